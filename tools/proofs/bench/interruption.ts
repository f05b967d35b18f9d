/** A signal that ended the bench prematurely. */
export class Interrupted extends Error {
  constructor(readonly signal: string) {
    super(`${signal}: stopped`);
  }
}

/**
 * Rejects on the first signal, so that everything can be stopped in order; a second one ends the process immediately.
 */
export function untilInterrupted(): Promise<never> {
  const interrupted = new Promise<never>((_resolve, reject) => {
    let signals = 0;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        signals += 1;
        if (signals > 1) process.exit(130);
        reject(new Interrupted(signal));
      });
    }
  });
  interrupted.catch(() => undefined);
  return interrupted;
}
