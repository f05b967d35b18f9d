import { setImmediate } from 'node:timers/promises';
import type { ProcessingFailure } from '@vestibule/foundation';
import { responseFailure } from '@vestibule/oid4vp';

/** Yields to everything that waits for the event loop. */
export async function pause(): Promise<void> {
  await setImmediate();
}

/**
 * Runs a task for at most the given number of milliseconds. After that, `failure`, by default `judgement_timeout`, is
 * thrown immediately, whether or not the task has finished.
 */
export async function within<T>(
  milliseconds: number,
  task: () => Promise<T>,
  failure: () => ProcessingFailure = () => responseFailure('judgement_timeout'),
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(failure()), Math.max(0, milliseconds));
  });
  try {
    return await Promise.race([task(), limit]);
  } finally {
    clearTimeout(timer);
  }
}
