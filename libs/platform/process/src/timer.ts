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

/** Repeats `run` without overlap, for sweeps and purges. An error is logged and never ends the repetition. */
export function createTimer({ name, everyMilliseconds, run, logger }: TimerOptions): Timer {
  let stopped = false;
  let handle: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const runOnce = async (): Promise<void> => {
    try {
      await run();
    } catch (error) {
      logger.error('a periodic task failed', { task: name, error });
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
