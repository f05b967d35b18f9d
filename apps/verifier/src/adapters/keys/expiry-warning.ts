import { createExpiryWarning as warnOf, type Logger } from '@vestibule/process';
import type { AccessCertificates } from './access-certificate';

/**
 * Makes a check that is asked often and logs each of two things at most once a day: a warning from 30 days before no
 * access certificate is valid any more, an error from then on. A successor that begins in time ends the warnings.
 */
export function createExpiryWarning(logger: Pick<Logger, 'warn' | 'error'>) {
  const warn = warnOf(logger, {
    endsSoon: 'the access certificate ends soon',
    ended: 'no access certificate is valid: new requests fail',
  });
  return (certificates: Pick<AccessCertificates, 'validUntil'>, now: Date): void => {
    warn(certificates.validUntil(now), now);
  };
}
