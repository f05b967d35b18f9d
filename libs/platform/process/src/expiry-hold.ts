export interface ExpiryHoldOptions {
  /** Milliseconds that only grow. */
  readonly stopwatch: () => number;
  /** Can a gateway say anything at the moment? */
  readonly isReachable: () => boolean;
}

type Find<Found> = (now: Date, limit: number) => Promise<readonly Found[]>;

/** Leaves gateways the time, after an outage, to tell which wallets could not be served, before flows end with their time. */
export interface ExpiryHold {
  /** Runs one sweep: a sweep that fails, or begins long after the last one, was an outage. */
  during<Result>(sweep: () => Promise<Result>): Promise<Result>;
  /** Finds what is over, or, while there is a hold, less of it. */
  held<Found>(find: Find<Found>): Find<Found>;
}

/** From the end of an outage on. Gateways try again every 2 s at most. */
const SETTLING_MILLISECONDS = 5_000;
/** What nobody can reach waits so much longer than its time, and no longer: it has claims. */
const LONGEST_MILLISECONDS = 60_000;
/** Longer than from one sweep to the next. */
const GAP_MILLISECONDS = 4_000;

/** Makes one for the sweep of a service that has just started. */
export function createExpiryHold({ stopwatch, isReachable }: ExpiryHoldOptions): ExpiryHold {
  let sweptAt = Number.NEGATIVE_INFINITY;
  let workingSince = Number.POSITIVE_INFINITY;
  let reachableSince = Number.POSITIVE_INFINITY;
  /** What is over since so long may end in this sweep; undefined: nothing. */
  let leastMilliseconds: number | undefined = 0;

  const least = (now: number): number | undefined => {
    if (now - workingSince < SETTLING_MILLISECONDS) return undefined;
    return now - reachableSince < SETTLING_MILLISECONDS ? LONGEST_MILLISECONDS : 0;
  };
  return {
    async during(sweep) {
      const now = stopwatch();
      if (now - sweptAt > GAP_MILLISECONDS) workingSince = now;
      reachableSince = isReachable() ? Math.min(reachableSince, now) : Number.POSITIVE_INFINITY;
      leastMilliseconds = least(now);
      sweptAt = Number.NEGATIVE_INFINITY;
      const result = await sweep();
      sweptAt = stopwatch();
      return result;
    },
    held: (find) => async (now, limit) =>
      leastMilliseconds === undefined ? [] : find(new Date(now.getTime() - leastMilliseconds), limit),
  };
}
