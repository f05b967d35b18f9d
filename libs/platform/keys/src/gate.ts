/** At most so many at a time; the others wait in order, and at most so many of them. */
export interface Gate {
  /** Runs the work when there is room; rejects with the reason of `signal` when it is aborted before that. */
  run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
}

/** More than this wait for nothing: the wallets that asked for them have gone. */
const MOST_WAITING = 2_000;

export class TooManyWaiting extends Error {}

export function createGate(atOnce: number, mostWaiting = MOST_WAITING): Gate {
  let running = 0;
  const waiting = new Set<() => void>();

  const admit = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        waiting.delete(enter);
        reject(signal.reason as Error);
      };
      waiting.add(enter);
      signal.addEventListener('abort', leave, { once: true });
    });

  /** The place of one that has ended goes to the next without being free in between. */
  function release(): void {
    const [next] = waiting;
    if (!next) return void (running -= 1);
    waiting.delete(next);
    next();
  }

  return {
    async run(work, signal) {
      signal.throwIfAborted();
      if (running < atOnce) running += 1;
      else if (waiting.size >= mostWaiting) throw new TooManyWaiting();
      else await admit(signal);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}
