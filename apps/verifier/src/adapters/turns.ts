import { setImmediate } from 'node:timers/promises';
import type { ProcessingFailure } from '@vestibule/foundation';
import { responseFailure } from '@vestibule/oid4vp';

/** Lets everything that waits for the event loop have its turn. */
export async function pause(): Promise<void> {
  await setImmediate();
}

/**
 * Runs a task for at most so many milliseconds. Then `failure`, by default `judgement_timeout`, is thrown at once, whether
 * or not the task is done.
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
