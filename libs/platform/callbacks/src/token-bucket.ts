/** Bounds a rate: tokens come back evenly, and only a few are kept for a burst. */
export interface TokenBucket {
  /** Tokens that may be taken now. */
  available(): number;
  take(count: number): void;
  /** Until there is a token again; 0 when there is one. */
  millisecondsToNext(): number;
}

/** How much of a second's tokens may be used in a single burst. */
const BURST_SECONDS = 0.1;

/** `stopwatch` counts milliseconds and never goes back. The bucket is full at first. */
export function createTokenBucket(perSecond: number, stopwatch: () => number): TokenBucket {
  const capacity = Math.max(1, perSecond * BURST_SECONDS);
  let tokens = capacity;
  let filledAt = stopwatch();
  const fill = (): number => {
    const now = stopwatch();
    tokens = Math.min(capacity, tokens + ((now - filledAt) / 1000) * perSecond);
    filledAt = now;
    return tokens;
  };
  return {
    available: () => Math.floor(fill()),
    take(count) {
      tokens = fill() - count;
    },
    millisecondsToNext: () => Math.max(0, Math.ceil(((1 - fill()) / perSecond) * 1000)),
  };
}
