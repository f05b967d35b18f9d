import type { Database } from '@vestibule/persistence';
import { createCallbackStore, type ClaimedCallback } from './callback-store';

const CALLBACK = { id: Buffer.of(1), attempts: 1 } as ClaimedCallback;
const FAILED = { result: 'http_500', delayMilliseconds: 1, final: false };

/** A store over a database that notes how each statement is planned, and claims what it is told. */
function open() {
  const plans: string[] = [];
  let next: readonly unknown[] | Error = [];
  const noting = (plan: string) => () => {
    plans.push(plan);
    return next instanceof Error ? Promise.reject(next) : Promise.resolve([...next]);
  };
  const database = { query: noting('kept'), queryAnew: noting('anew') } as unknown as Database;
  const store = createCallbackStore({
    database,
    schema: 'x',
    leaseMilliseconds: 1,
    origin: '',
    clock: () => new Date(),
  });
  return { plans, store, answer: (rows: readonly unknown[] | Error) => void (next = rows) };
}

describe('statements of an outbox', () => {
  it('are planned anew from a full claim on, until a claim is not full', async () => {
    const { plans, store, answer } = open();
    answer([CALLBACK, CALLBACK]);
    await store.claim(2);
    answer([CALLBACK]);
    await store.remove([CALLBACK]);
    await store.fail(CALLBACK, FAILED);
    await store.claim(2);
    await store.remove([CALLBACK]);
    await store.claim(2);
    expect(plans).toEqual(['kept', 'anew', 'anew', 'anew', 'kept', 'kept']);
  });

  it('are one for a deletion, and another one only if not all were deleted, to see what is locked', async () => {
    const { plans, store, answer } = open();
    answer([{ ...CALLBACK, followed: false }]);
    expect(await store.remove([CALLBACK])).toEqual({ followed: false, locked: [] });
    expect(plans).toHaveLength(1);
    expect(await store.remove([CALLBACK, CALLBACK])).toEqual({ followed: false, locked: [CALLBACK.id] });
    expect(plans).toHaveLength(3);
  });

  it('are planned anew after a claim that failed: its plan may have taken too long', async () => {
    const { plans, store, answer } = open();
    answer(new Error('statement timeout'));
    await expect(store.claim(2)).rejects.toThrow('statement timeout');
    answer([]);
    await store.claim(2);
    await store.claim(2);
    expect(plans).toEqual(['kept', 'anew', 'kept']);
  });
});
