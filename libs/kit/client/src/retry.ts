import { ConnectionError, ProblemError, UnexpectedResponseError } from './errors';

const FIRST_DELAY_MILLISECONDS = 250;
const LONGEST_DELAY_MILLISECONDS = 10_000;
/** Too Many Requests: the call was not executed, so that any call may be repeated. */
const NOT_EXECUTED = [429];
/** Bad Gateway, Service Unavailable, Gateway Timeout: the call may have been executed. */
const UNCERTAIN = [502, 503, 504];

/**
 * The seconds of `Retry-After` (RFC 9110 §10.2.3), a number or a date; undefined if it is absent or neither.
 * `now` is in milliseconds since 1970.
 */
export function parseRetryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  // Dates alone: `Date.parse` also reads signs and fractions of numbers.
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000));
}

/** Whether another attempt may succeed without executing a call twice that must not be. */
export function mayRepeat(error: unknown, isRepeatable: boolean): boolean {
  if (error instanceof ConnectionError) return isRepeatable;
  if (!(error instanceof ProblemError) && !(error instanceof UnexpectedResponseError)) return false;
  return NOT_EXECUTED.includes(error.status) || (isRepeatable && UNCERTAIN.includes(error.status));
}

/**
 * Milliseconds before the next attempt: exponential with full jitter, and never earlier than `Retry-After` says.
 * `attempt` counts from 0, and `random` is from 0 to 1.
 */
export function delayMilliseconds(attempt: number, error: unknown, random: number): number {
  const ceiling = Math.min(LONGEST_DELAY_MILLISECONDS, FIRST_DELAY_MILLISECONDS * 2 ** attempt);
  const isAnswer = error instanceof ProblemError || error instanceof UnexpectedResponseError;
  const asked = isAnswer ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  return asked + ceiling * random;
}
