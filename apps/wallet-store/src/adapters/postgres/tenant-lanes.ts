import { ApiError } from '@vestibule/foundation';
import type { Asker } from '../../domain/records';

/** Each tenant may use a third of the connections, so that none can starve the others; so may all callers without a key together. */
const SHARE = 3;
const WAIT_MILLISECONDS = 2_000;
/** How many calls of one tenant may wait; more are refused immediately, because they would time out anyway. */
const MAX_WAITING = 100;

interface Lane {
  running: number;
  readonly waiting: (() => void)[];
}

function busy(): ApiError {
  const detail =
    'too many such calls are running, of this tenant or without a key: send fewer at the same time, and try again';
  return new ApiError({ kind: 'unavailable', code: 'tenant_busy', detail });
}

/**
 * Lets each tenant use at most a third of the connections at the same time; its other calls wait for one of its own to
 * finish.
 */
export class TenantLanes {
  readonly #width: number;
  readonly #lanes = new Map<Asker, Lane>();

  /** @param connections size of the pool */
  constructor(connections: number) {
    this.#width = Math.max(1, Math.floor(connections / SHARE));
  }

  /**
   * @throws ApiError `tenant_busy` if too many calls of the tenant are waiting, or this one has waited for two seconds
   */
  async run<Result>(asker: Asker, work: () => Promise<Result>): Promise<Result> {
    await this.#enter(asker);
    try {
      return await work();
    } finally {
      this.#leave(asker);
    }
  }

  async #enter(asker: Asker): Promise<void> {
    const lane = this.#lanes.get(asker) ?? { running: 0, waiting: [] };
    this.#lanes.set(asker, lane);
    if (lane.running < this.#width) {
      lane.running += 1;
      return;
    }
    if (lane.waiting.length >= MAX_WAITING) throw busy();
    await new Promise<void>((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timeout);
        resolve();
      };
      const timeout = setTimeout(() => {
        lane.waiting.splice(lane.waiting.indexOf(enter), 1);
        reject(busy());
      }, WAIT_MILLISECONDS);
      lane.waiting.push(enter);
    });
  }

  /** Hands the place over to the call that has waited longest, so that it is never free in between. */
  #leave(asker: Asker): void {
    const lane = this.#lanes.get(asker) as Lane;
    const next = lane.waiting.shift();
    if (next) return next();
    lane.running -= 1;
    if (lane.running === 0) this.#lanes.delete(asker);
  }
}
