import { randomBytes } from 'node:crypto';
import { createSealer } from '@vestibule/crypto';
import { type Logger } from '@vestibule/process';
import { type CallbackStore, type ClaimedCallback } from './callback-store';
import { DeliveryLane } from './delivery-lane';
import { DELIVERY_LIMITS } from './delivery-policy';
import { payloadContext } from './enqueue-callback';

const MARGIN_MILLISECONDS = 60;
const sealer = createSealer([randomBytes(32)], randomBytes);

function event(): ClaimedCallback {
  const id = randomBytes(16);
  const payload = sealer.seal(Buffer.from('{}'), payloadContext('test', id));
  return { id, subject: 's', payload, url: null, attempts: 1 };
}

/** What a lane posts when the database gives it one event after a time. */
async function postedAfter(claimMilliseconds: number): Promise<{ posted: number; warnings: string[] }> {
  const warnings: string[] = [];
  const log = (): void => undefined;
  const logger: Logger = { debug: log, info: log, warn: (message) => void warnings.push(message), error: log };
  const waiting = [event()];
  const store: CallbackStore = {
    claim: () => {
      jest.advanceTimersByTime(claimMilliseconds);
      return Promise.resolve(waiting.splice(0));
    },
    remove: () => Promise.resolve(false),
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
  const lane = new DeliveryLane({ schema: 'test', sealer, random: randomBytes, logger, limits, store, poster });
  await jest.advanceTimersByTimeAsync(claimMilliseconds + 20);
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
    const { posted, warnings } = await postedAfter(2 * MARGIN_MILLISECONDS);
    expect([posted, warnings]).toEqual([0, ['callbacks were claimed too late to be posted now']]);
  });

  it('less than that is posted', async () => {
    await expect(postedAfter(0)).resolves.toEqual({ posted: 1, warnings: [] });
  });
});

describe('a backlog under a rate', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('goes out as fast as the rate allows and no faster, without anybody who wakes the lane', async () => {
    const waiting = Array.from({ length: 60 }, event);
    let posted = 0;
    const log = (): void => undefined;
    const lane = new DeliveryLane({
      schema: 'test',
      sealer,
      random: randomBytes,
      logger: { debug: log, info: log, warn: log, error: log },
      limits: { ...DELIVERY_LIMITS, ratePerSecond: 40, concurrency: 16, pollMilliseconds: 3_600_000 },
      store: {
        claim: (limit) => Promise.resolve(waiting.splice(0, limit)),
        remove: () => Promise.resolve(false),
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
