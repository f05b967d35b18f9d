import type { Environment } from './load-configuration';
import type { Logger } from './logger';

/** The process as an argument, so that signals and exit codes can be tested. */
export interface ProcessHost {
  readonly environment: Environment;
  /** As `process.version`. */
  readonly nodeVersion: string;
  readonly command: string | undefined;
  on(
    event: 'SIGTERM' | 'SIGINT' | 'unhandledRejection' | 'uncaughtException',
    listener: (cause: unknown) => void,
  ): void;
  exit(code: number): void;
  /** Sends a message to the parent process; does nothing without a message channel. */
  tellParent(message: object): void;
}

/** 0 success, 1 a failure, 2 an invalid configuration or command, or a Node version below the minimum. */
export const EXIT_CODES = { clean: 0, failed: 1, misconfigured: 2 } as const;

/** The process itself. */
export const realProcess = (): ProcessHost => ({
  // eslint-disable-next-line no-restricted-properties -- the one place that reads the environment
  environment: process.env,
  nodeVersion: process.version,
  command: process.argv[2],
  on: (event, listener) => void process.on(event, listener),
  exit: (code) => process.exit(code),
  // If the parent has ended, the message is not needed.
  tellParent: (message) => void process.send?.(message, undefined, undefined, () => undefined),
});

/** What ends a process from outside. */
export const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Ends the process immediately on a signal, while there is nothing to close, until the result is called. The first process of
 * a container has no default for signals. A command that has not begun has not succeeded.
 */
export function endOnSignal(host: ProcessHost, logger: Logger): () => void {
  let isEarly = true;
  for (const signal of SIGNALS)
    host.on(signal, () => {
      if (!isEarly) return;
      logger.info('stopping', { signal });
      host.exit(host.command === undefined ? EXIT_CODES.clean : EXIT_CODES.failed);
    });
  return () => void (isEarly = false);
}
