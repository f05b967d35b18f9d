import { egressFailure } from './failures';

/** Lets a bounded number of tasks run, altogether and for each host, and a bounded number wait. */
export interface Gate {
  run<T>(host: string, signal: AbortSignal, task: () => Promise<T>): Promise<T>;
}

export interface GateLimits {
  readonly maxConcurrent: number;
  readonly maxConcurrentForHost: number;
  readonly maxWaiting: number;
  /** Of these, for one host. */
  readonly maxWaitingForHost: number;
}

interface Waiting {
  readonly host: string;
  start(): void;
}

const countOf = (host: string, waiting: ReadonlySet<Waiting>) =>
  [...waiting].filter((entry) => entry.host === host).length;

/**
 * Makes a gate; of the tasks that wait, the first whose host has a place starts next, so that a slow host keeps nobody
 * from the others. A task that must wait throws the signal's reason when that aborts first, and `egress_overloaded` when too
 * many wait already.
 */
export function createGate({ maxConcurrent, maxConcurrentForHost, maxWaiting, maxWaitingForHost }: GateLimits): Gate {
  /** How many run, by host; hosts of which none runs are not in it. */
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
