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
});
