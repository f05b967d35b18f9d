import type { Clock } from '@vestibule/foundation';
import type { IssuerTrust } from '@vestibule/oid4vp';
import { createTimer, type Logger } from '@vestibule/process';
import type { AccessCertificates } from './access-certificate';
import { readAccessCertificates, type AccessCertificateFiles } from './access-certificate-files';
import { createExpiryWarning } from './expiry-warning';
import { createReloading } from './reloading';
import { readTrustFile } from './trust-file';

export interface KeysOptions extends AccessCertificateFiles {
  readonly trustFile: string;
  /** How often the files are checked for changes. */
  readonly reloadSeconds: number;
  /** The tolerated clock skew for the validity of other parties' certificates. */
  readonly skewSeconds: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The trust configuration and the signing keys, as the files are now. */
export interface Keys {
  readonly certificate: AccessCertificates;
  readonly trust: () => IssuerTrust;
  /** Stops watching the files. */
  close(): Promise<void>;
}

/**
 * Reads the trust file and the access certificates, and follows changes of their files until it is closed. Throws
 * configuration faults.
 */
export function openKeys({ trustFile, reloadSeconds, skewSeconds, clock, logger, ...pems }: KeysOptions): Keys {
  const trust = createReloading({
    what: 'trust',
    load: (files) => readTrustFile(trustFile, { files, logger, skewSeconds }),
    logger,
  });
  const certificates = createReloading({
    what: 'access certificates',
    load: (files) => readAccessCertificates(pems, { files, now: clock(), logger }),
    logger,
  });
  const warnOfExpiry = createExpiryWarning(logger);
  warnOfExpiry(certificates.current(), clock());
  const timer = createTimer({
    name: 'reload',
    everyMilliseconds: reloadSeconds * 1000,
    logger,
    run() {
      trust.refresh();
      certificates.refresh();
      warnOfExpiry(certificates.current(), clock());
      return Promise.resolve();
    },
  });
  return {
    close: () => timer.stop(),
    trust: trust.current,
    certificate: {
      currentClientId: (now) => certificates.current().currentClientId(now),
      signerOf: (clientId, now) => certificates.current().signerOf(clientId, now),
      isValidAt: (now) => certificates.current().isValidAt(now),
      validUntil: (now) => certificates.current().validUntil(now),
    },
  };
}
