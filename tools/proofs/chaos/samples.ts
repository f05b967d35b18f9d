/** What the watcher asks for. */
export const QUESTIONS = ['presentation', 'issuance', 'search', 'ready'] as const;
export type Question = (typeof QUESTIONS)[number];

/** One question from outside, as it went at its first try; times are milliseconds of `performance.now()`. */
export interface Sample {
  readonly question: Question;
  readonly startedAt: number;
  readonly endedAt: number;
  /** `away`: 503 with Retry-After, or no answer at all. */
  readonly outcome: 'good' | 'away' | 'wrong';
  /** What was wrong. */
  readonly text?: string;
}

/** How the product came through a fault. */
export interface Recovery {
  /** Until each question had a good answer; undefined when one had none. */
  readonly firstGoodSeconds: number | undefined;
  /** Until the last question was asked that was not answered well; 0 when all were. */
  readonly steadySeconds: number;
}

const seconds = (milliseconds: number) => Math.round(milliseconds / 100) / 10;

/** What samples tell of the time from `markedAt` on. */
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
  /** For how long every question was answered well. */
  readonly milliseconds: number;
  /** A question older than this has to have its answer. */
  readonly patienceMilliseconds: number;
}

/**
 * True when every question that was asked in the last while was answered well, nobody waits long, and each of the
 * questions was asked.
 * @param openSince when the questions without an answer were asked
 */
export function isCalm(samples: readonly Sample[], openSince: readonly number[], now: number, calm: Calm): boolean {
  if (openSince.some((startedAt) => now - startedAt > calm.patienceMilliseconds)) return false;
  const recent = samples.filter(({ startedAt }) => startedAt >= now - calm.milliseconds);
  return (
    recent.every(({ outcome }) => outcome === 'good') &&
    QUESTIONS.every((question) => recent.some((sample) => sample.question === question))
  );
}
