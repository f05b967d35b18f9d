import type { Contract } from '@vestibule/contracts';
import { DomainError } from '@vestibule/foundation';
import type { Ask } from '../ask';
import { createKnownKeys } from './known-keys';

const digest = (index: number) => String(index).padStart(43, 'A');

/** A wallet store that answers when it is told to. */
function openStore(known: ReadonlySet<string>) {
  const questions: string[][] = [];
  let held: (() => void)[] = [];
  let holds = false;
  let fails = false;
  const ask = async (_contract: Contract<unknown, unknown>, question: unknown) => {
    const { apiKeyDigests } = question as { apiKeyDigests: string[] };
    questions.push(apiKeyDigests);
    if (holds) await new Promise<void>((resolve) => held.push(resolve));
    if (fails) throw new DomainError({ kind: 'unavailable', code: 'service_unavailable', detail: 'down' });
    return { known: apiKeyDigests.filter((one) => known.has(one)) };
  };
  let now = 0;
  const isKnown = createKnownKeys(ask as Ask, () => now);
  return {
    questions,
    isKnown,
    pass: (milliseconds: number) => void (now += milliseconds),
    hold: () => void (holds = true),
    fail: (value: boolean) => void (fails = value),
    release() {
      holds = false;
      for (const resolve of held) resolve();
      held = [];
    },
  };
}

describe('knowing API keys', () => {
  it.each([true, false])('asks once in five seconds about a key (known: %s)', async (expected) => {
    const { isKnown, questions, pass } = openStore(new Set(expected ? [digest(1)] : []));
    for (let count = 0; count < 10; count += 1) expect(await isKnown(digest(1))).toBe(expected);
    pass(4_999);
    expect(await isKnown(digest(1))).toBe(expected);
    expect(questions).toHaveLength(1);
    pass(1);
    expect(await isKnown(digest(1))).toBe(expected);
    expect(questions).toHaveLength(2);
  });

  it('asks once for any number of requests at the same time', async () => {
    const { isKnown, questions } = openStore(new Set([digest(1)]));
    expect(await Promise.all([1, 1, 1, 1].map((index) => isKnown(digest(index))))).toEqual([true, true, true, true]);
    expect(questions).toEqual([[digest(1)]]);
  });

  it('asks about a thousand wrong keys in five questions, and a right one among them is known', async () => {
    const { isKnown, questions } = openStore(new Set([digest(500)]));
    const answers = await Promise.all(Array.from({ length: 1_000 }, (_, index) => isKnown(digest(index))));
    expect(answers.filter(Boolean)).toEqual([true]);
    expect(answers[500]).toBe(true);
    expect(questions.map(({ length }) => length)).toEqual([1, 256, 256, 256, 231]);
  });

  it('lets no more than 4,096 wait, and refuses the others as not available', async () => {
    const { isKnown, hold, release } = openStore(new Set());
    hold();
    const waiting = Array.from({ length: 4_096 }, (_, index) => isKnown(digest(index)));
    await expect(isKnown(digest(5_000))).rejects.toMatchObject({ kind: 'unavailable', code: 'service_unavailable' });
    await expect(Promise.race([isKnown(digest(1)), Promise.resolve('waits')])).resolves.toBe('waits');
    release();
    expect((await Promise.all(waiting)).some(Boolean)).toBe(false);
    expect(await isKnown(digest(5_000))).toBe(false);
  });

  it('remembers no failure', async () => {
    const { isKnown, fail } = openStore(new Set([digest(1)]));
    fail(true);
    await expect(isKnown(digest(1))).rejects.toMatchObject({ code: 'service_unavailable' });
    fail(false);
    expect(await isKnown(digest(1))).toBe(true);
  });

  it('forgets no right key for any number of wrong ones, and keeps 10,000 of these', async () => {
    const { isKnown, questions } = openStore(new Set([digest(1)]));
    await isKnown(digest(1));
    for (let index = 2; index < 10_003; index += 1) await isKnown(digest(index));
    const before = questions.length;
    await isKnown(digest(1));
    await isKnown(digest(10_002));
    expect(questions.length).toBe(before);
    await isKnown(digest(2));
    expect(questions.length).toBe(before + 1);
  });
});
