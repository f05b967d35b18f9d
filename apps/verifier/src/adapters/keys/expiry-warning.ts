import { createExpiryWarning as warnOf, type Logger } from '@vestibule/process';
import type { AccessCertificates } from './access-certificate';

/**
 * Returns a check that may be called often and logs each message at most once a day: a warning in the last 30 days in
 * which an access certificate is valid, and an error after that. A successor that begins in time ends the warnings.
 */
export function createExpiryWarning(logger: Pick<Logger, 'warn' | 'error'>) {
  const warn = warnOf(logger, {
    endsSoon: 'the access certificate expires soon',
    ended: 'no access certificate is valid: new requests fail',
  });
  return (certificates: Pick<AccessCertificates, 'validUntil'>, now: Date): void => {
    warn(certificates.validUntil(now), now);
  };
}
