import type { Logger } from './logger';
import { purgeEach, type GoesOn, type Purge } from './purge-each';
import { createTimer, type Timer } from './timer';

export interface SweepOptions {
  readonly everyMilliseconds: number;
  /** Ends what has expired, as long as there is time; returns how much it was. */
  readonly expire: (goesOn: GoesOn) => Promise<number>;
  readonly purges: readonly Purge[];
  readonly logger: Logger;
}

/**
 * Ends what has expired, and deletes what is no longer needed. Neither waits for the other: a purge that fails, or waits for
 * a lock, must not leave anything open. When it is stopped, both end with what they are just doing.
 */
export function createSweep({ everyMilliseconds, expire, purges, logger }: SweepOptions): Timer {
  const timer = (name: string, run: () => Promise<void>): Timer =>
    createTimer({ name, everyMilliseconds, logger, run });
  let isStopped = false;
  const goesOn = (): boolean => !isStopped;
  const timers = [
    timer('expiry', async () => {
      const expired = await expire(goesOn);
      if (expired > 0) logger.info('swept', { expired });
    }),
    timer('purge', async () => void (await purgeEach(purges, goesOn))),
  ];
  return {
    async stop() {
      isStopped = true;
      await Promise.all(timers.map((one) => one.stop()));
    },
  };
}
