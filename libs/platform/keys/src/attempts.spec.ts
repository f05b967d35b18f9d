import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { callWithin } from './attempts';

const limits = { attempts: 5, attemptMilliseconds: 60_000, pauseMilliseconds: 1 };

describe('calls of a device', () => {
  it('are repeated until one is answered', async () => {
    let calls = 0;
    const answer = await callWithin(
      () => ((calls += 1) < 3 ? Promise.reject(new Error('away')) : Promise.resolve(Buffer.from('x'))),
      limits,
      new AbortController().signal,
    );
    expect([calls, String(answer)]).toEqual([3, 'x']);
  });

  it('end with the last failure when the time is over during a pause, and none begins after it', async () => {
    const budget = new AbortController();
    let calls = 0;
    const call = (): Promise<Uint8Array> => {
      calls += 1;
      // While it pauses.
      setImmediate(() => budget.abort(new Error('the time is over')));
      return Promise.reject(new Error('away'));
    };
    await expect(callWithin(call, { ...limits, pauseMilliseconds: 100 }, budget.signal)).rejects.toThrow('away');
    expect(calls).toBe(1);
  });

  it('do not begin when the time was over before, which no event tells again', async () => {
    const hang = () => new Promise<never>(() => undefined);
    const over = AbortSignal.abort(new Error('the time is over'));
    await expect(callWithin(hang, limits, over)).rejects.toThrow('the time is over');
  });

  it('have an end each, and all together, whatever the garbage collector takes away meanwhile', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const collecting = setInterval(collect, 10);
    const hang = () => new Promise<never>(() => undefined);
    const times = (attemptMilliseconds: number) => ({ attempts: 3, attemptMilliseconds, pauseMilliseconds: 1 });
    const begin = performance.now();
    try {
      const each = callWithin(hang, times(100), new AbortController().signal);
      const together = callWithin(hang, times(60_000), AbortSignal.timeout(300));
      const ends = await Promise.allSettled([each, together]);
      expect(ends.map((end) => end.status === 'rejected' && (end.reason as Error).name)).toEqual([
        'TimeoutError',
        'TimeoutError',
      ]);
    } finally {
      clearInterval(collecting);
    }
    expect(performance.now() - begin).toBeGreaterThan(290);
  });
});
