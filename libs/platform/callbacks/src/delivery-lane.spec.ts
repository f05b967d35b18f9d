/** @jest-environment ./tools/jest-context-environment.cjs */
import { type Sealer } from '@vestibule/crypto';
import { currentRequestContext, withRequestContext, type Logger } from '@vestibule/process';
import { type CallbackStore } from './callback-store';
import { DELIVERY_LIMITS } from './delivery-policy';
import { openLane, removal, sealedEvent, sealer } from './testing/delivery-lane.fixture-spec';

const MARGIN_MILLISECONDS = 60;

/** What happens on the way of one event to its post. */
interface Way {
  /** While the database is asked. */
  readonly claiming?: () => void;
  /** After that, before the event is posted. */
  readonly opening?: () => void;
  readonly clock?: () => Date;
}

const pass = (milliseconds: number) => (): void => void jest.advanceTimersByTime(milliseconds);

/** What a lane posts of one event. */
async function postedOn({ claiming, opening, clock = () => new Date() }: Way) {
  const warnings: string[] = [];
  const log = (): void => undefined;
  const logger: Logger = { debug: log, info: log, warn: (message) => void warnings.push(message), error: log };
  const waiting = [sealedEvent()];
  const store: CallbackStore = {
    claim: () => {
      claiming?.();
      return Promise.resolve(waiting.splice(0));
    },
    remove: () => removal(),
    fail: () => Promise.resolve('waiting'),
  };
  let posted = 0;
  const poster = {
    post: () => {
      posted += 1;
      return Promise.resolve({ end: 'delivered' as const, result: 'http_204' });
    },
    close: () => Promise.resolve(),
  };
  const limits = { ...DELIVERY_LIMITS, leaseMarginMilliseconds: MARGIN_MILLISECONDS };
  const slow: Sealer = {
    ...sealer,
    open: (...sealed) => {
      opening?.();
      return sealer.open(...sealed);
    },
  };
  const lane = openLane({ sealer: slow, clock, logger, limits, store, poster });
  await jest.advanceTimersByTimeAsync(20);
  const stopped = lane.stop();
  await jest.advanceTimersByTimeAsync(20);
  await stopped;
  return { posted, warnings };
}

describe('an event whose claim took', () => {
  // Time passes when it is told to: what else the machine does takes none.
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('longer than its lease has to spare is not posted: another process may have it before the attempt ends', async () => {
    const claiming = pass(2 * MARGIN_MILLISECONDS);
    const warnings = ['callbacks were claimed too late to be posted now'];
    await expect(postedOn({ claiming })).resolves.toEqual({ posted: 0, warnings });
  });

  it('less than that is posted', async () => {
    await expect(postedOn({})).resolves.toEqual({ posted: 1, warnings: [] });
  });
});

describe('an event whose lease grew old after its claim', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());
  const refused = {
    posted: 0,
    warnings: ['a callback was not posted: its lease could end during the attempt'],
  };

  it('is not posted: the check is right before the post', async () => {
    await expect(postedOn({ opening: pass(MARGIN_MILLISECONDS) })).resolves.toEqual(refused);
    await expect(postedOn({ opening: pass(MARGIN_MILLISECONDS - 1) })).resolves.toEqual({ posted: 1, warnings: [] });
  });

  it('is not posted after the machine slept, while only the wall clock went on', async () => {
    let slept = 0;
    const clock = () => new Date(Date.now() + slept);
    await expect(postedOn({ opening: () => void (slept = 3_600_000), clock })).resolves.toEqual(refused);
  });

  it('is not posted after the wall clock was set back', async () => {
    let back = 0;
    const clock = () => new Date(Date.now() - back);
    const opening = () => {
      back = 3_600_000;
      jest.advanceTimersByTime(MARGIN_MILLISECONDS);
    };
    await expect(postedOn({ opening, clock })).resolves.toEqual(refused);
  });
});

describe('an event that a statement leases', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** What is posted of an event that was leased by a statement during which `passing` happens. */
  async function leasedWhile(passing: () => void, clock = () => new Date()) {
    const posted: unknown[] = [];
    const removed: number[] = [];
    const lane = openLane({
      clock,
      limits: { ...DELIVERY_LIMITS, leaseMarginMilliseconds: MARGIN_MILLISECONDS, pollMilliseconds: 3_600_000 },
      store: {
        claim: () => Promise.resolve([]),
        remove: (ids) => {
          removed.push(ids.length);
          return removal();
        },
        fail: () => Promise.resolve('waiting'),
      },
      poster: {
        post: () => {
          posted.push(currentRequestContext());
          return Promise.resolve({ end: 'delivered' as const, result: 'http_204' });
        },
        close: () => Promise.resolve(),
      },
    });
    await jest.advanceTimersByTimeAsync(20);
    const reservation = lane.reserve(1);
    expect([reservation.count, reservation.milliseconds]).toEqual([1, 10_000 + MARGIN_MILLISECONDS]);
    passing();
    withRequestContext({ requestId: 'request-1', answerBy: new Date(0) }, () => reservation.settle([sealedEvent()]));
    await jest.advanceTimersByTimeAsync(200);
    const stopped = lane.stop();
    await jest.advanceTimersByTimeAsync(20);
    await stopped;
    return { posted, removed };
  }

  it('is posted outside of the request that committed it, and deleted', async () => {
    const passing = pass(MARGIN_MILLISECONDS - 1);
    await expect(leasedWhile(passing)).resolves.toEqual({ posted: [undefined], removed: [1] });
  });

  it('is not posted after a slow statement: its lease could end during the attempt', async () => {
    await expect(leasedWhile(pass(MARGIN_MILLISECONDS))).resolves.toEqual({ posted: [], removed: [] });
    let slept = 0;
    const clock = () => new Date(Date.now() + slept);
    await expect(leasedWhile(() => void (slept = 60_000), clock)).resolves.toEqual({ posted: [], removed: [] });
  });
});

describe('a lane with a backlog', () => {
  it('reserves no room for new events until the backlog has been claimed, nor after it was stopped', async () => {
    const waiting = [sealedEvent(), sealedEvent()];
    const answers: (() => void)[] = [];
    const lane = openLane({
      limits: { ...DELIVERY_LIMITS, concurrency: 2, pollMilliseconds: 3_600_000 },
      store: {
        claim: (limit) => Promise.resolve(waiting.splice(0, limit)),
        remove: () => removal(),
        fail: () => Promise.resolve('waiting'),
      },
      poster: {
        post: () => new Promise((resolve) => answers.push(() => resolve({ end: 'delivered', result: 'http_204' }))),
        close: () => Promise.resolve(),
      },
    });
    const counts: number[] = [];
    const reserve = (): void => {
      const reservation = lane.reserve(5);
      counts.push(reservation.count);
      reservation.settle([]);
    };
    const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    while (answers.length < 2) await turn();
    reserve();
    for (const answer of answers) answer();
    for (let turns = 0; turns < 5; turns += 1) await turn();
    reserve();
    await lane.stop();
    reserve();
    expect(counts).toEqual([0, 2, 0]);
  });
});

describe('a lane that a request wakes', () => {
  it('claims, posts and removes outside of it: the deadline of that request is not the event’s', async () => {
    const contexts: unknown[] = [];
    const seen = <Result>(result: Result): Promise<Result> => {
      contexts.push(currentRequestContext());
      return Promise.resolve(result);
    };
    const waiting = [sealedEvent()];
    let removed: () => void = () => undefined;
    const done = new Promise<void>((resolve) => (removed = resolve));
    let isWoken = false;
    const lane = openLane({
      limits: { ...DELIVERY_LIMITS, pollMilliseconds: 3_600_000 },
      store: {
        claim: () => seen(isWoken ? waiting.splice(0) : []),
        remove: async () => {
          const result = await seen(await removal());
          removed();
          return result;
        },
        fail: () => Promise.resolve('waiting'),
      },
      poster: { post: () => seen({ end: 'delivered' as const, result: 'http_204' }), close: () => Promise.resolve() },
    });
    // The look that a lane begins with.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    isWoken = true;
    withRequestContext({ requestId: 'request-1', answerBy: new Date(0) }, () => lane.wake());
    await done;
    await lane.stop();
    expect(contexts.length).toBeGreaterThanOrEqual(3);
    expect(new Set(contexts)).toEqual(new Set([undefined]));
  });
});

describe('a backlog under a rate', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('goes out as fast as the rate allows and no faster, without anybody who wakes the lane', async () => {
    const waiting = Array.from({ length: 60 }, () => sealedEvent());
    let posted = 0;
    const lane = openLane({
      limits: { ...DELIVERY_LIMITS, ratePerSecond: 40, concurrency: 16, pollMilliseconds: 3_600_000 },
      store: {
        claim: (limit) => Promise.resolve(waiting.splice(0, limit)),
        remove: () => removal(),
        fail: () => Promise.resolve('waiting'),
      },
      poster: {
        post: () => {
          posted += 1;
          return Promise.resolve({ end: 'delivered' as const, result: 'http_204' });
        },
        close: () => Promise.resolve(),
      },
    });
    await jest.advanceTimersByTimeAsync(0);
    // The burst of a tenth of a second, then 40 in each.
    for (let milliseconds = 0; milliseconds <= 1_500; milliseconds += 10) {
      const allowed = Math.min(60, 4 + (40 * milliseconds) / 1_000);
      expect(posted).toBeLessThanOrEqual(allowed);
      // A lane looks again after 20 ms at the earliest.
      expect(posted).toBeGreaterThanOrEqual(Math.min(60, Math.floor(4 + (40 * (milliseconds - 50)) / 1_000)));
      await jest.advanceTimersByTimeAsync(10);
    }
    expect(posted).toBe(60);
    const stopped = lane.stop();
    await jest.advanceTimersByTimeAsync(20);
    await stopped;
  });
});
