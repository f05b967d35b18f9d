import { until } from '@vestibule/testkit';
import { watchLife } from './life-watch';
import type { Timer } from './timer';

const nothing = () => undefined;
let timer: Timer | undefined;
let looks: number;
let ends: number;
let endedAt: number | undefined;
let errors: string[];

/** Watches a process that is alive as `answers` say, one each ten seconds, and from their end on as the last one says. */
function watch(answers: readonly (boolean | Error)[], seconds: number): void {
  [looks, ends, errors, endedAt] = [0, 0, [], undefined];
  const logger = { debug: nothing, info: nothing, warn: nothing, error: (text: string) => void errors.push(text) };
  timer = watchLife({
    seconds,
    logger,
    everyMilliseconds: 1,
    stopwatch: () => looks * 10_000,
    end() {
      ends += 1;
      endedAt ??= looks;
    },
    isAlive: async () => {
      const answer = answers[Math.min(looks, answers.length - 1)];
      looks += 1;
      if (answer instanceof Error) throw answer;
      return answer === true;
    },
  });
}
afterEach(() => timer?.stop());

describe('a process that looks at its own life', () => {
  it('ends when it has not been alive for long enough, and says why', async () => {
    watch([true, false], 30);
    await until(() => ends > 0);
    expect(endedAt).toBe(5);
    expect(errors[0]).toBe('only a restart helps this process, which ends');
  });

  it('goes on while it is alive, also after it was not for a shorter time', async () => {
    watch(Array.from({ length: 100 }, (_, look) => look % 4 === 0).concat(true), 30);
    await until(() => looks > 110);
    expect([ends, errors]).toEqual([0, []]);
  });

  it('is not ended by a look that fails', async () => {
    watch([new Error('no answer')], 0);
    await until(() => looks > 5);
    expect(ends).toBe(0);
    expect(new Set(errors)).toEqual(new Set(['a periodic task failed']));
  });
});
