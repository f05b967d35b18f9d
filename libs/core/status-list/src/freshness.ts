import type { StatusList } from './verify-status-list-token';

/** For how long a resolved list may be used, whatever its token asks for. */
export interface FreshnessBounds {
  readonly minSeconds: number;
  readonly maxSeconds: number;
}

/** At most one hour, also for a token without a `ttl`, and at least half a minute. */
const DEFAULT_FRESHNESS_BOUNDS: FreshnessBounds = { minSeconds: 30, maxSeconds: 3600 };

/**
 * Until when a list that was resolved at `resolvedAt` may be used without asking again (TSL §8.2, §11.5, §13.7): its
 * `ttl` within the bounds, `maxSeconds` without one, and never past `exp`. The result is not after `resolvedAt` when
 * the token was accepted only by the tolerance for clocks: such a list is used once.
 */
export function freshness(
  list: Pick<StatusList, 'expiresAt' | 'ttlSeconds'>,
  resolvedAt: Date,
  bounds: FreshnessBounds = DEFAULT_FRESHNESS_BOUNDS,
): Date {
  const ttlSeconds = Math.min(Math.max(list.ttlSeconds ?? Infinity, bounds.minSeconds), bounds.maxSeconds);
  return new Date(Math.min(resolvedAt.getTime() + ttlSeconds * 1000, list.expiresAt?.getTime() ?? Infinity));
}
