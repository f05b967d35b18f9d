import { type Logger } from './logger';

export interface TimerOptions {
  readonly name: string;
  /** From the end of one run to the start of the next. */
  readonly everyMilliseconds: number;
  readonly run: () => Promise<void>;
  readonly logger: Logger;
}

export interface Timer {
  /** Starts no more runs and waits for the current one. */
  stop(): Promise<void>;
}

/** The errors of a run that went on after its first one. */
export class SeveralFailures extends Error {
  override readonly name = 'SeveralFailures';

  constructor(readonly failures: readonly unknown[]) {
    super('several parts of a periodic task failed');
  }
}

/** Each error by itself, also where several were thrown as one. */
export const eachFailure = (error: unknown): readonly unknown[] =>
  error instanceof SeveralFailures ? error.failures : [error];

/** Repeats `run` without overlap, for sweeps and purges. Errors are logged and never end the repetition. */
export function createTimer({ name, everyMilliseconds, run, logger }: TimerOptions): Timer {
  let stopped = false;
  let handle: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const runOnce = async (): Promise<void> => {
    try {
      await run();
    } catch (error) {
      for (const one of eachFailure(error)) logger.error('a periodic task failed', { task: name, error: one });
    }
    if (!stopped) schedule();
  };
  function schedule(): void {
    handle = setTimeout(() => {
      running = runOnce();
    }, everyMilliseconds);
  }

  schedule();
  return {
    async stop() {
      stopped = true;
      clearTimeout(handle);
      await running;
    },
  };
}
