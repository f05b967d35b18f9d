import type { FastifyRateLimitStore } from '@fastify/rate-limit';

/** So many addresses are counted; those that have been silent for longest are forgotten first. */
const MAX_ADDRESSES = 5_000;
/** How many are forgotten together: finding the oldest one makes a Map step over the places of all that were deleted before it. */
const FORGOTTEN_TOGETHER = 500;

/** The requests of one address since then, in milliseconds of a clock that nobody sets. */
interface Counted {
  readonly since: number;
  count: number;
}

/**
 * Counts the requests of client addresses for the rate limit. The package's own store goes by the clock: when that is set
 * back, no count would start again until the clock is where it was.
 */
export class RequestCounts implements FastifyRateLimitStore {
  readonly #counted = new Map<string, Counted>();

  incr(...[address, done, windowMilliseconds]: Parameters<FastifyRateLimitStore['incr']>): void {
    const now = performance.now();
    const known = this.#counted.get(address);
    const counted = known && now - known.since < windowMilliseconds ? known : { since: now, count: 0 };
    counted.count += 1;
    this.#counted.delete(address);
    this.#counted.set(address, counted);
    if (this.#counted.size > MAX_ADDRESSES) this.#forgetOldest();
    done(null, { current: counted.count, ttl: windowMilliseconds - (now - counted.since) });
  }

  #forgetOldest(): void {
    let forgotten = 0;
    for (const address of this.#counted.keys()) {
      if (forgotten === FORGOTTEN_TOGETHER) break;
      this.#counted.delete(address);
      forgotten += 1;
    }
  }

  /** All routes share the counts. */
  child(): this {
    return this;
  }
}
