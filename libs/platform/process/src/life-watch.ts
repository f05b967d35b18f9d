import type { Logger } from './logger';
import { createTimer, type Timer } from './timer';

export interface LifeWatchOptions {
  /** What `/health/live` answers. */
  readonly isAlive: () => Promise<boolean>;
  /** How long only a restart has had to help before the process ends. */
  readonly seconds: number;
  readonly logger: Logger;
  /** Ends the process, for its supervisor to start it again. */
  readonly end: () => void;
  /** From one look to the next, default 5,000. */
  readonly everyMilliseconds?: number;
  /** Milliseconds; default `performance.now()`. */
  readonly stopwatch?: () => number;
}

const LOOK_MILLISECONDS = 5_000;

/**
 * Ends a process that has not been alive for `seconds` at every look: for supervisors that restart what ends, but not
 * what is unhealthy. A process whose event loop hangs does not look.
 */
export function watchLife(options: LifeWatchOptions): Timer {
  const { isAlive, seconds, logger, end, everyMilliseconds = LOOK_MILLISECONDS } = options;
  const { stopwatch = () => performance.now() } = options;
  let deadSince: number | undefined;
  return createTimer({
    name: 'look at its own life',
    everyMilliseconds,
    logger,
    async run() {
      const lives = await isAlive();
      deadSince = lives ? undefined : (deadSince ?? stopwatch());
      if (deadSince === undefined || stopwatch() - deadSince < seconds * 1000) return;
      logger.error('only a restart helps this process, which ends', { seconds });
      deadSince = undefined;
      end();
    },
  });
}
