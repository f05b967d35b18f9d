import type { Logger } from './logger';

/** The fixed sentences of one certificate. */
export interface ExpirySentences {
  readonly endsSoon: string;
  readonly ended: string;
}

const DAY_MILLISECONDS = 86_400_000;
const WARNING_DAYS = 30;

/**
 * Makes a check that is asked often and logs each of two things at most once a day: a warning from 30 days before
 * `validUntil`, an error where there is no such time because nothing is valid any more.
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
