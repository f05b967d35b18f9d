import type { Logger } from '@vestibule/service';
import type { AccessCertificates } from './access-certificate';

const DAY_MILLISECONDS = 86_400_000;
const WARNING_DAYS = 30;

/**
 * Makes a check that is asked often and logs each of two things at most once a day: a warning from 30 days before no
 * access certificate is valid any more, an error from then on. A successor that begins in time ends the warnings.
 */
export function createExpiryWarning(logger: Pick<Logger, 'warn' | 'error'>) {
  const quietUntil = { warn: -Infinity, error: -Infinity };
  return (certificates: Pick<AccessCertificates, 'validUntil'>, now: Date): void => {
    const validUntil = certificates.validUntil(now);
    const level = validUntil ? 'warn' : 'error';
    const daysLeft = validUntil ? Math.floor((validUntil.getTime() - now.getTime()) / DAY_MILLISECONDS) : 0;
    if (daysLeft >= WARNING_DAYS || now.getTime() < quietUntil[level]) return;
    quietUntil[level] = now.getTime() + DAY_MILLISECONDS;
    if (validUntil) logger.warn('the access certificate ends soon', { endsAt: validUntil.toISOString(), daysLeft });
    else logger.error('no access certificate is valid: new requests fail');
  };
}
