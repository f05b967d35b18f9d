import { egressFailure } from './failures';

/**
 * Runs a task for at most the given time. Then the signal aborts and `egress_timeout` is thrown immediately, whether or
 * not the task reacts.
 */
export async function withTimeLimit<T>(milliseconds: number, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const failure = egressFailure('egress_timeout');
      controller.abort(failure);
      reject(failure);
    }, milliseconds);
  });
  try {
    return await Promise.race([task(controller.signal), limit]);
  } finally {
    clearTimeout(timer);
  }
}
