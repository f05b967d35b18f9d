import type { Logger } from './logger';

/** The fixed log messages of one certificate. */
export interface ExpirySentences {
  readonly endsSoon: string;
  readonly ended: string;
}

const DAY_MILLISECONDS = 86_400_000;
const WARNING_DAYS = 30;

/**
 * Returns a check that may be called often and logs each of two messages at most once a day: a warning from 30 days
 * before `validUntil`, and an error if that is absent because nothing is valid any more.
 */
export function createExpiryWarning(logger: Pick<Logger, 'warn' | 'error'>, { endsSoon, ended }: ExpirySentences) {
  const quietUntil = { warn: -Infinity, error: -Infinity };
  return (validUntil: Date | undefined, now: Date): void => {
    const level = validUntil ? 'warn' : 'error';
    const daysLeft = validUntil ? Math.floor((validUntil.getTime() - now.getTime()) / DAY_MILLISECONDS) : 0;
    if (daysLeft >= WARNING_DAYS || now.getTime() < quietUntil[level]) return;
    quietUntil[level] = now.getTime() + DAY_MILLISECONDS;
    if (validUntil) logger.warn(endsSoon, { endsAt: validUntil.toISOString(), daysLeft });
    else logger.error(ended);
  };
}
