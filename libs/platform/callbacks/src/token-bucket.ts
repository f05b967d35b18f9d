/** Limits a rate: tokens are replenished evenly, and only a few are kept for a burst. */
export interface TokenBucket {
  /** Tokens that may be taken now. */
  available(): number;
  take(count: number): void;
  /** Returns tokens that were taken and not used. */
  giveBack(count: number): void;
  /** Until a token is available; 0 if one is. */
  millisecondsToNext(): number;
}

/** How much of a second's tokens may be used in a single burst. */
const BURST_SECONDS = 0.1;

/** `stopwatch` counts monotonic milliseconds. The bucket is full at first. */
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
    giveBack(count) {
      tokens = Math.min(capacity, fill() + count);
    },
    millisecondsToNext: () => Math.max(0, Math.ceil(((1 - fill()) / perSecond) * 1000)),
  };
}
