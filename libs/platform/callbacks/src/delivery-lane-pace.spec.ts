/** @jest-environment ./tools/jest-context-environment.cjs */
import { type ClaimedCallback } from './callback-store';
import { openLane, removal, sealedEvent } from './testing/delivery-lane.fixture-spec';

describe('a lane that looks for events by itself', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** A lane whose attempts end as `attempt` says; `claims` are the seconds after its start at which it looked. */
  function open(waiting: ClaimedCallback[] = [], failing = { claims: 0, retryAfterMilliseconds: 0 }) {
    const claims: number[] = [];
    const started = Date.now();
    const lane = openLane({
      store: {
        claim: () => {
          claims.push(Math.round((Date.now() - started) / 1_000));
          if (claims.length <= failing.claims) return Promise.reject(new Error('away'));
          return Promise.resolve(waiting.splice(0));
        },
        remove: () => removal(),
        fail: () => Promise.resolve('waiting'),
      },
      poster: {
        post: () => {
          const { retryAfterMilliseconds } = failing;
          return Promise.resolve({ end: 'failed' as const, result: 'http_500', retryAfterMilliseconds });
        },
        close: () => Promise.resolve(),
      },
    });
    const until = async (seconds: number): Promise<void> => {
      await jest.advanceTimersByTimeAsync(started + seconds * 1_000 + 20 - Date.now());
    };
    const stop = async (): Promise<void> => {
      const stopped = lane.stop();
      await jest.advanceTimersByTimeAsync(20);
      await stopped;
    };
    const from = (second: number): number[] => claims.filter((one) => one >= second);
    return { lane, until, stop, from };
  }
  const each = (from: number, to: number): number[] =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index);

  it('does so every second while leases of a process before it may end, then every five', async () => {
    const { until, stop, from } = open();
    await until(40);
    await stop();
    expect(from(0)).toEqual([...each(0, 16), 21, 26, 31, 36]);
  });

  it('does so at once when it is woken, and every second while the lease of its statement may show events', async () => {
    const { lane, until, stop, from } = open();
    await until(30);
    lane.wake();
    await until(40);
    lane.reserve(1).settle([]);
    await until(70);
    await stop();
    expect(from(27)).toEqual([30, 31, 36, ...each(41, 56), 61, 66]);
  });

  it('does so every second until an attempt that failed is due again', async () => {
    const { lane, until, stop, from } = open([], { claims: 0, retryAfterMilliseconds: 60_000 });
    await until(30);
    lane.reserve(1).settle([sealedEvent()]);
    await until(110);
    await stop();
    expect(from(30)).toEqual([...each(31, 91), 96, 101, 106]);
  });

  it('does so every second while Postgres does not answer, and for a lease longer', async () => {
    const { until, stop, from } = open([], { claims: 60, retryAfterMilliseconds: 0 });
    await until(90);
    await stop();
    expect(from(0)).toEqual([...each(0, 75), 80, 85, 90]);
  });
});
