/** By how much the clocks of two processes may differ; docs/operations.md asks operators for it. */
export const CLOCKS_DIFFER_MILLISECONDS = 2_000;

/** What a question said about its deadline, by the clock of whoever asked; undefined where it said nothing readable. */
export interface Arrival {
  readonly answerBy: Date | undefined;
  /** By the clock of this process. */
  readonly arrivedAt: Date;
  /** How long the contract lets its answer take. */
  readonly timeoutMilliseconds: number;
}

/**
 * Until when the answer to a question is awaited; undefined when nobody can be waiting any more, so that nothing has to be
 * done for it. Clocks may differ by {@link CLOCKS_DIFFER_MILLISECONDS} either way: a question that could still be awaited
 * is never dropped. Nobody waits for longer than the contract's time from the arrival, whatever a deadline says: one that is
 * missing, malformed or further away counts for nothing.
 */
export function awaitedUntil({ answerBy, arrivedAt, timeoutMilliseconds }: Arrival): Date | undefined {
  const own = arrivedAt.getTime() + timeoutMilliseconds;
  if (answerBy === undefined || answerBy.getTime() > own) return new Date(own);
  return answerBy.getTime() + CLOCKS_DIFFER_MILLISECONDS < arrivedAt.getTime() ? undefined : answerBy;
}
