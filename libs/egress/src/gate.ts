import { egressFailure } from './failures';

/** Lets a bounded number of tasks run, and a bounded number wait. */
export interface Gate {
  run<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T>;
}

export interface GateLimits {
  readonly maxConcurrent: number;
  readonly maxWaiting: number;
}

/**
 * Makes a gate; tasks start in the order in which they came. A task that must wait throws the signal's reason when that
 * aborts first, and `egress_overloaded` when too many wait already.
 */
export function createGate({ maxConcurrent, maxWaiting }: GateLimits): Gate {
  let running = 0;
  const waiting = new Set<() => void>();

  function wait(signal: AbortSignal): Promise<void> {
    if (waiting.size >= maxWaiting) throw egressFailure('egress_overloaded');
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        waiting.delete(start);
        reject(signal.reason as Error);
      };
      const start = () => {
        waiting.delete(start);
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      waiting.add(start);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  function leave(): void {
    const [next] = waiting;
    if (next) next();
    else running -= 1;
  }

  return {
    async run(signal, task) {
      if (running < maxConcurrent) running += 1;
      else await wait(signal);
      try {
        return await task();
      } finally {
        leave();
      }
    },
  };
}
