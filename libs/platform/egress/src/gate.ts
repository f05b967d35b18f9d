import { egressFailure } from './failures';

/** Runs a bounded number of tasks, in total and per host, and lets a bounded number wait. */
export interface Gate {
  run<T>(host: string, signal: AbortSignal, task: () => Promise<T>): Promise<T>;
}

export interface GateLimits {
  readonly maxConcurrent: number;
  readonly maxConcurrentForHost: number;
  readonly maxWaiting: number;
  /** How many of these may be for the same host. */
  readonly maxWaitingForHost: number;
}

interface Waiting {
  readonly host: string;
  start(): void;
}

const countOf = (host: string, waiting: ReadonlySet<Waiting>) =>
  [...waiting].filter((entry) => entry.host === host).length;

/**
 * Creates a gate. Of the waiting tasks, the first whose host has a free place starts next, so that a slow host does not
 * delay others. A waiting task throws the signal's reason if that aborts first; `egress_overloaded` if too many are
 * waiting already.
 */
export function createGate({ maxConcurrent, maxConcurrentForHost, maxWaiting, maxWaitingForHost }: GateLimits): Gate {
  /** Running tasks per host, without hosts that have none. */
  const running = new Map<string, number>();
  const waiting = new Set<Waiting>();
  let total = 0;

  const hasPlace = (host: string): boolean => total < maxConcurrent && (running.get(host) ?? 0) < maxConcurrentForHost;

  function enter(host: string): void {
    total += 1;
    running.set(host, (running.get(host) ?? 0) + 1);
  }

  function leave(host: string): void {
    total -= 1;
    const left = (running.get(host) ?? 0) - 1;
    if (left > 0) running.set(host, left);
    else running.delete(host);
    for (const next of waiting) {
      if (!hasPlace(next.host)) continue;
      next.start();
      return;
    }
  }

  function wait(host: string, signal: AbortSignal): Promise<void> {
    const isFull = waiting.size >= maxWaiting || countOf(host, waiting) >= maxWaitingForHost;
    if (isFull) throw egressFailure('egress_overloaded');
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        waiting.delete(entry);
        reject(signal.reason as Error);
      };
      const entry: Waiting = {
        host,
        start() {
          waiting.delete(entry);
          signal.removeEventListener('abort', giveUp);
          enter(host);
          resolve();
        },
      };
      waiting.add(entry);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  return {
    async run(host, signal, task) {
      if (hasPlace(host)) enter(host);
      else await wait(host, signal);
      try {
        return await task();
      } finally {
        leave(host);
      }
    },
  };
}
