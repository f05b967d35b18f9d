import type { Signer } from '@vestibule/crypto';
import { DomainError } from '@vestibule/foundation';
import type { FileReader } from '@vestibule/keys';
import { readConfigurationFile } from '@vestibule/process';
import { lastExpiry } from '@vestibule/sd-jwt-vc';
import {
  configurationFault,
  isIssuerInSan,
  parsePemCertificates,
  parseX5c,
  readCertifiedSigner,
  requireMaySignAt,
  type Certificate,
  type OpenKey,
  type SigningCertificate,
} from '@vestibule/x509-trust';
import type { CredentialSigner } from '../../domain/ports';

export interface IssuerKeyFiles {
  readonly certificateFile: string;
  /** The private key as PEM, or the description of a key in a device. */
  readonly key: string;
  readonly openKey: OpenKey;
  readonly issuerUrl: string;
  /** Reads the files, so that changes are noticed; by default they are only read. */
  readonly files?: Pick<FileReader, 'read'> | undefined;
}

/** A certificate and key that sign credentials and status lists. */
export interface IssuerKey {
  /** The chain in its signatures: leaf first, without the root. */
  readonly chain: readonly Certificate[];
  /** Throws a configuration fault if certificate and key may not sign at `now`. */
  signerAt(now: Date): CredentialSigner;
  /** Whether it may sign, in particular status lists. */
  isValidAt(now: Date): boolean;
  /** Whether a credential could be issued: it expires at a full hour, and no later than `chainEndsAt`. */
  mayIssueAt(now: Date): boolean;
  /** The earliest end of validity in its file, including a root: no credential outlives it. */
  readonly chainEndsAt: Date;
  /** False if older verifiers, which look for `iss` in the certificate, would refuse the credentials. */
  readonly namesIssuer: boolean;
  /** Has the key sign a probe; throws `signer_unavailable` or `signature_invalid`. */
  check(): Promise<void>;
}

function readCertificateFile(file: string, files: IssuerKeyFiles['files']): string {
  const fail = (reason: string, cause: unknown) =>
    configurationFault('certificate_file_invalid', `${file} ${reason}`, cause);
  return readConfigurationFile(file, fail, files && ((name) => files.read(name))).toString('utf8');
}

/**
 * The earliest end of validity in a file, including that of a root: a verifier that no longer trusts the root accepts
 * nothing below it.
 */
function earliestEnd(certificatePem: string): Date {
  return new Date(Math.min(...parsePemCertificates(certificatePem).map(({ notAfter }) => notAfter.getTime())));
}

function issuerKeyOf(
  { certificate, signer, chainEndsAt }: { certificate: SigningCertificate; signer: Signer; chainEndsAt: Date },
  issuerUrl: string,
) {
  const { sign, requireReady, check } = signer;
  const { x5c, notBefore: certificateNotBefore } = certificate;
  const credentialSigner: CredentialSigner = { sign, requireReady, x5c, certificateNotBefore, chainEndsAt };
  const key: IssuerKey = {
    chain: parseX5c(x5c),
    signerAt(at) {
      requireMaySignAt(certificate, at);
      return credentialSigner;
    },
    isValidAt: (at) => at >= certificate.notBefore && at <= certificate.notAfter,
    mayIssueAt: (at) => at >= certificate.notBefore && at < lastExpiry(chainEndsAt),
    chainEndsAt,
    namesIssuer: isIssuerInSan(issuerUrl, certificate.leaf),
    check,
  };
  return key;
}

/** The same fault, naming the file of the pair that it is about. */
function naming(certificateFile: string, error: unknown): unknown {
  if (!(error instanceof DomainError) || error.detail.includes(certificateFile)) return error;
  const { kind, code, detail } = error;
  return new DomainError({ kind, code, detail: `${certificateFile}: ${detail}`, cause: error });
}

/**
 * Reads a certificate and its key, whether or not it is valid now; throws a configuration fault that names the file and
 * says what to change.
 */
export function readRetiredIssuerKey({ key, certificateFile, openKey, issuerUrl, files }: IssuerKeyFiles): IssuerKey {
  const certificatePem = readCertificateFile(certificateFile, files);
  try {
    const certified = readCertifiedSigner({ certificatePem, key, allowSelfSigned: false }, openKey);
    return issuerKeyOf({ ...certified, chainEndsAt: earliestEnd(certificatePem) }, issuerUrl);
  } catch (error) {
    throw naming(certificateFile, error);
  }
}
