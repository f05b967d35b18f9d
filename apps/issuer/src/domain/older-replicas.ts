/** In a rolling upgrade or restart, the other replicas are replaced within this time. */
export const SETTLED_MILLISECONDS = 15 * 60_000;

/** Replicas of the previous version, which make tokens without a tag. */
export interface OlderReplicas {
  /** Notes an offer that one of them has sealed: its id, which the seal covers, says when. */
  readonly note: (madeAt: Date) => void;
  /** Has one of them made an offer of late? Nobody without a key can pretend that. */
  readonly wereSeen: (now: Date) => boolean;
  /** May one of them be running? Also true for as long after the start as an upgrade may take. */
  readonly mayRun: (now: Date) => boolean;
}

/** `stopwatch` returns milliseconds, and is not set back. */
export function createOlderReplicas(stopwatch: () => number): OlderReplicas {
  const startedAt = stopwatch();
  let lastMadeAt = Number.NEGATIVE_INFINITY;
  const wereSeen = (now: Date) => now.getTime() - lastMadeAt < SETTLED_MILLISECONDS;
  return {
    note: (madeAt) => {
      lastMadeAt = Math.max(lastMadeAt, madeAt.getTime());
    },
    wereSeen,
    mayRun: (now) => stopwatch() - startedAt < SETTLED_MILLISECONDS || wereSeen(now),
  };
}
