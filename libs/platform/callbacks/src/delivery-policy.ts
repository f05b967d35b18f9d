import { type RandomBytes } from '@vestibule/foundation';

/** How delivery behaves; every default is a product decision. */
export interface DeliveryLimits {
  /** How many events may be posted to one target at the same time. */
  readonly concurrency: number;
  /** How many events may be posted to one target per second. */
  readonly ratePerSecond: number;
  /** For one attempt, from connecting to the end of the answer. */
  readonly timeoutMilliseconds: number;
  /** How much longer than an attempt its lease lasts; an attempt that cannot begin in time is not made. */
  readonly leaseMarginMilliseconds: number;
  readonly firstDelayMilliseconds: number;
  readonly longestDelayMilliseconds: number;
  /** The upper limit of a receiver's Retry-After. */
  readonly longestRetryAfterMilliseconds: number;
  /** How often due events are looked for, as a safety net beside {@link Deliverer.wake}. */
  readonly pollMilliseconds: number;
  /** How much of an answer's body is read (and discarded) to keep the connection. */
  readonly answerBytes: number;
}

export const DELIVERY_LIMITS: DeliveryLimits = {
  concurrency: 16,
  ratePerSecond: 500,
  timeoutMilliseconds: 10_000,
  leaseMarginMilliseconds: 5_000,
  firstDelayMilliseconds: 1_000,
  longestDelayMilliseconds: 300_000,
  longestRetryAfterMilliseconds: 3_600_000,
  pollMilliseconds: 1_000,
  answerBytes: 16_384,
};

const LARGEST_EXPONENT = 30;

function fraction(random: RandomBytes): number {
  return Buffer.from(random(4)).readUInt32BE() / 2 ** 32;
}

/**
 * Milliseconds until the next attempt after `attempts` failed ones: doubles from the shortest to the longest delay,
 * with a random upper half, but never less than the shortest delay or a receiver's (bounded) Retry-After.
 */
export function retryDelay(
  attempts: number,
  retryAfterMilliseconds: number | undefined,
  limits: DeliveryLimits,
  random: RandomBytes,
): number {
  const { firstDelayMilliseconds, longestDelayMilliseconds, longestRetryAfterMilliseconds } = limits;
  const doubled = firstDelayMilliseconds * 2 ** Math.min(Math.max(attempts - 1, 0), LARGEST_EXPONENT);
  const ceiling = Math.min(doubled, longestDelayMilliseconds);
  const jittered = ceiling / 2 + (ceiling / 2) * fraction(random);
  const asked = Math.min(retryAfterMilliseconds ?? 0, longestRetryAfterMilliseconds);
  return Math.round(Math.max(jittered, firstDelayMilliseconds, asked));
}

/** The milliseconds in a Retry-After header (RFC 9110 §10.2.3: seconds or an HTTP date), if it can be parsed. */
export function parseRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(header)) return undefined;
  const instant = Date.parse(header);
  return Number.isNaN(instant) ? undefined : Math.max(0, instant - now.getTime());
}
