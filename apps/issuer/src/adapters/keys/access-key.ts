import { DomainError, type Clock } from '@vestibule/foundation';
import type { Logger } from '@vestibule/process';
import type { OpenKey } from '@vestibule/x509-trust';
import type { CredentialSigner } from '../../domain/ports';
import { readRetiredIssuerKey, type IssuerKey } from './issuer-key';

/** The certificate that says who the issuer is, and its key: it signs metadata, never a credential. */
export interface AccessKey {
  /** Throws a configuration fault if certificate and key may not sign at `now`. */
  signerAt(now: Date): CredentialSigner;
  isValidAt(now: Date): boolean;
  /** The earliest end of validity in its file. */
  endsAt(): Date;
  /** Has the key sign a probe; throws `signer_unavailable` or `signature_invalid`. */
  check(): Promise<void>;
}

export interface AccessKeyConfiguration {
  readonly accessCertificateFile?: string | undefined;
  readonly accessKey?: string | undefined;
}

export interface AccessKeyOptions {
  /** The identifier that needs one: for EU wallets, metadata are signed with it. */
  readonly needed: string | undefined;
  /** The keys of credentials and of their status lists, none of which it may be. */
  readonly certified: () => readonly IssuerKey[];
  /** For a key that is in a device. */
  readonly openKey: OpenKey;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

/** How often the file of the certificate is read again at most. */
const RELOAD_MILLISECONDS = 5_000;

function fault(detail: string): DomainError {
  return new DomainError({ kind: 'internal', code: 'issuer_access_key_invalid', detail });
}

const leafKeyOf = ({ chain }: IssuerKey) => chain[0]?.publicKey;

function readOnce(
  { accessCertificateFile: certificateFile, accessKey: key }: AccessKeyConfiguration,
  { needed, certified, openKey }: AccessKeyOptions,
): IssuerKey | undefined {
  if (certificateFile === undefined && key === undefined) {
    if (needed === undefined) return undefined;
    throw fault(`${needed} is for EU wallets: set ISSUER_ACCESS_CERTIFICATE_FILE and ISSUER_ACCESS_KEY`);
  }
  if (certificateFile === undefined || key === undefined)
    throw fault('set both ISSUER_ACCESS_CERTIFICATE_FILE and ISSUER_ACCESS_KEY, or neither');
  const read = readRetiredIssuerKey({ certificateFile, key, openKey, issuerUrl: needed ?? 'https://issuer.invalid' });
  const own = leafKeyOf(read);
  if (certified().some((one) => own !== undefined && leafKeyOf(one)?.equals(own)))
    throw fault('ISSUER_ACCESS_KEY is the key of an issuer certificate: credentials and metadata need different keys');
  return read;
}

/**
 * Reads the access certificate and its key; undefined if there is none. A renewed certificate for the same key is used
 * without a restart; one that cannot be used is logged, and the previous one stays in effect. Throws
 * `issuer_access_key_invalid` if it is needed and missing, or shares the key of an issuer certificate, and faults of the
 * certificate.
 */
export function readAccessKey(configuration: AccessKeyConfiguration, options: AccessKeyOptions): AccessKey | undefined {
  const { clock, logger } = options;
  const first = readOnce(configuration, options);
  if (!first) return undefined;
  first.signerAt(clock());
  let current = first;
  let lookAgainAt = clock().getTime() + RELOAD_MILLISECONDS;
  let isBroken = false;

  function reload(): IssuerKey {
    const now = clock();
    if (now.getTime() < lookAgainAt) return current;
    lookAgainAt = now.getTime() + RELOAD_MILLISECONDS;
    try {
      const read = readOnce(configuration, options) ?? current;
      const isSame =
        read.chain.map(({ fingerprint }) => fingerprint).join() ===
        current.chain.map(({ fingerprint }) => fingerprint).join();
      if (!isSame) {
        read.signerAt(now);
        current = read;
        logger.info('changed files were loaded', { what: 'access certificate of the issuer' });
      }
      isBroken = false;
    } catch (error) {
      const what = 'access certificate of the issuer';
      if (!isBroken)
        logger.error('changed files cannot be used; the previous version stays in effect', { what, error });
      isBroken = true;
    }
    return current;
  }

  return {
    signerAt: (now) => reload().signerAt(now),
    isValidAt: (now) => reload().isValidAt(now),
    endsAt: () => current.chainEndsAt,
    check: () => current.check(),
  };
}
