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
  /** How often the files are looked at. */
  readonly reloadSeconds: number;
  /** The difference of clocks that is forgiven in the dates of others' certificates. */
  readonly skewSeconds: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Whom the verifier trusts and what it signs with, as its files are now. */
export interface Keys {
  readonly certificate: AccessCertificates;
  readonly trust: () => IssuerTrust;
  /** Ends the watch over the files. */
  close(): Promise<void>;
}

/** Reads trust and access certificates, and follows their files until it is closed. Throws configuration faults. */
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
