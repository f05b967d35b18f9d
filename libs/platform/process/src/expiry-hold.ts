export interface ExpiryHoldOptions {
  /** Monotonic milliseconds. */
  readonly stopwatch: () => number;
  /** Can gateways currently reach this service? */
  readonly isReachable: () => boolean;
}

type Find<Found> = (now: Date, limit: number) => Promise<readonly Found[]>;

/** After an outage, gives gateways time to report which wallets could not be served, before flows expire. */
export interface ExpiryHold {
  /** Runs one sweep: a sweep that fails, or begins long after the last one, counts as an outage. */
  during<Result>(sweep: () => Promise<Result>): Promise<Result>;
  /** Finds what has expired, or less of it during a hold. */
  held<Found>(find: Find<Found>): Find<Found>;
}

/** From the end of an outage. Gateways retry at least every 2 s. */
const SETTLING_MILLISECONDS = 5_000;
/**
 * While the service cannot be reached, flows are kept for at most this time after they expire, because they contain
 * claims.
 */
const LONGEST_MILLISECONDS = 60_000;
/** Longer than the interval between two sweeps. */
const GAP_MILLISECONDS = 4_000;

/** Creates a hold for the sweep of a service that has just started. */
export function createExpiryHold({ stopwatch, isReachable }: ExpiryHoldOptions): ExpiryHold {
  let sweptAt = Number.NEGATIVE_INFINITY;
  let workingSince = Number.POSITIVE_INFINITY;
  let reachableSince = Number.POSITIVE_INFINITY;
  /** How long ago a flow must have expired to be ended in this sweep; undefined: none is ended. */
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
