/** The tolerated clock skew between two processes; docs/operations.md requires operators to ensure it. */
export const CLOCKS_DIFFER_MILLISECONDS = 2_000;

/** The deadline that a question carries, by the clock of the asking side; undefined if there is no readable one. */
export interface Arrival {
  readonly answerBy: Date | undefined;
  /** By the clock of this process. */
  readonly arrivedAt: Date;
  /** How long the contract allows its answer to take. */
  readonly timeoutMilliseconds: number;
}

/**
 * Until when the answer to a question is awaited; undefined if it cannot be awaited any more, so that nothing need be
 * done for it. Clocks may differ by {@link CLOCKS_DIFFER_MILLISECONDS} either way: a question whose answer could still
 * be awaited is never dropped. Whatever a deadline says, callers wait no longer than the contract's time from the
 * arrival: a deadline that is missing, malformed or later than that is ignored.
 */
export function awaitedUntil({ answerBy, arrivedAt, timeoutMilliseconds }: Arrival): Date | undefined {
  const own = arrivedAt.getTime() + timeoutMilliseconds;
  if (answerBy === undefined || answerBy.getTime() > own) return new Date(own);
  return answerBy.getTime() + CLOCKS_DIFFER_MILLISECONDS < arrivedAt.getTime() ? undefined : answerBy;
}
