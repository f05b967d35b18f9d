/** @jest-environment ./tools/jest-context-environment.cjs */
import { Heartbeat } from './heartbeat';

/** A connection that counts how often it was asked for a sign of life, and given up. */
function quiet() {
  const told = { pings: 0, given: 0, messages: 0, answers: false };
  const flush = (): Promise<void> => {
    told.pings += 1;
    return told.answers ? Promise.resolve() : new Promise(() => undefined);
  };
  const reconnect = (): Promise<void> => {
    told.given += 1;
    return Promise.resolve();
  };
  const stats = () => ({ inMsgs: told.messages, outMsgs: 0, inBytes: 0, outBytes: 0 });
  return { told, heartbeat: new Heartbeat({ flush, reconnect, stats }, 1_000, 2) };
}

describe('a heartbeat', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());
  const pass = (intervals: number) => jest.advanceTimersByTimeAsync(intervals * 1_000 + 10);

  it('gives up a connection that is silent for three intervals, once', async () => {
    const { told, heartbeat } = quiet();
    heartbeat.start();
    await pass(2);
    expect(told).toMatchObject({ pings: 2, given: 0 });
    await pass(1);
    expect(told).toMatchObject({ pings: 2, given: 1 });
    await pass(10);
    expect(told.given).toBe(1);
  });

  it('keeps one that answers, and one that brings messages', async () => {
    const { told, heartbeat } = quiet();
    heartbeat.start();
    told.answers = true;
    await pass(10);
    told.answers = false;
    for (let count = 0; count < 10; count += 1) {
      told.messages += 1;
      await pass(1);
    }
    expect(told.given).toBe(0);
    await pass(3);
    expect(told.given).toBe(1);
    heartbeat.stop();
  });

  it('begins anew with a connection that is back, and ends with one that is lost', async () => {
    const { told, heartbeat } = quiet();
    heartbeat.start();
    await pass(2);
    heartbeat.start();
    await pass(2);
    expect(told.given).toBe(0);
    heartbeat.stop();
    await pass(10);
    expect(told).toMatchObject({ pings: 4, given: 0 });
  });
});
