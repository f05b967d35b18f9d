/** The watcher's requests. */
export const QUESTIONS = ['presentation', 'issuance', 'search', 'ready'] as const;
export type Question = (typeof QUESTIONS)[number];

/** One request from outside, with the result of its first attempt; times are milliseconds of `performance.now()`. */
export interface Sample {
  readonly question: Question;
  readonly startedAt: number;
  readonly endedAt: number;
  /** `away`: 503 with Retry-After, or no answer at all. */
  readonly outcome: 'good' | 'away' | 'wrong';
  /** What was wrong. */
  readonly text?: string;
}

/** How the product recovered from a fault. */
export interface Recovery {
  /** Until each kind of request had a good answer; undefined if one had none. */
  readonly firstGoodSeconds: number | undefined;
  /** Until the last request without a good answer was sent; 0 if all were good. */
  readonly steadySeconds: number;
}

const seconds = (milliseconds: number) => Math.round(milliseconds / 100) / 10;

/** The recovery that samples show from `markedAt` on. */
export function findRecovery(samples: readonly Sample[], markedAt: number): Recovery {
  const since = samples.filter(({ startedAt }) => startedAt >= markedAt);
  const firsts = QUESTIONS.map((question) => {
    const good = since.filter((sample) => sample.question === question && sample.outcome === 'good');
    return good.length === 0 ? undefined : Math.min(...good.map(({ endedAt }) => endedAt)) - markedAt;
  });
  const bad = since.filter(({ outcome }) => outcome !== 'good').map(({ startedAt }) => startedAt - markedAt);
  const isComplete = firsts.every((first) => first !== undefined);
  return {
    firstGoodSeconds: isComplete ? seconds(Math.max(...(firsts as number[]))) : undefined,
    steadySeconds: seconds(Math.max(0, ...bad)),
  };
}

export interface Calm {
  /** For how long every request must have been answered well. */
  readonly milliseconds: number;
  /** A request older than this must have its answer. */
  readonly patienceMilliseconds: number;
}

/**
 * True if every recent request was answered well, none has been waiting for long, and each kind of request was sent.
 * @param openSince when the pending requests were sent
 */
export function isCalm(samples: readonly Sample[], openSince: readonly number[], now: number, calm: Calm): boolean {
  if (openSince.some((startedAt) => now - startedAt > calm.patienceMilliseconds)) return false;
  const recent = samples.filter(({ startedAt }) => startedAt >= now - calm.milliseconds);
  return (
    recent.every(({ outcome }) => outcome === 'good') &&
    QUESTIONS.every((question) => recent.some((sample) => sample.question === question))
  );
}
