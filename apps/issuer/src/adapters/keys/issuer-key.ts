import type { KeyObject } from 'node:crypto';
import { signEs256 } from '@vestibule/crypto';
import { readConfigurationFile } from '@vestibule/process';
import { lastExpiry, type SignBytes } from '@vestibule/sd-jwt-vc';
import {
  configurationFault,
  isIssuerInSan,
  parsePemCertificates,
  parseX5c,
  readRemoteSigningCertificate,
  readSigningCertificate,
  requireMaySignAt,
  type Certificate,
  type SigningCertificate,
} from '@vestibule/x509-trust';
import type { CredentialSigner } from '../../domain/ports';
import { createRemoteSigner, type RemoteSigning, type SigningLimits } from './remote-signer';

export interface IssuerCertificateFile {
  readonly certificateFile: string;
  readonly now: Date;
  readonly issuerUrl: string;
}

export interface IssuerKeyFiles extends IssuerCertificateFile {
  readonly keyPem: string;
}

/** A private key outside this process: in an HSM, behind PKCS#11, or in a KMS. */
export interface RemoteKey {
  /** Its public key, which must match the certificate and verifies every signature. */
  readonly publicKey: KeyObject;
  readonly sign: RemoteSigning;
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
}

function readCertificateFile(file: string): string {
  return readConfigurationFile(file, (reason, cause) =>
    configurationFault('certificate_file_invalid', `${file} ${reason}`, cause),
  ).toString('utf8');
}

/**
 * The earliest end of validity in a file, including that of a root: a verifier that no longer trusts the root accepts
 * nothing below it.
 */
function earliestEnd(certificatePem: string): Date {
  return new Date(Math.min(...parsePemCertificates(certificatePem).map(({ notAfter }) => notAfter.getTime())));
}

function issuerKeyOf(
  { certificate, sign, chainEndsAt }: { certificate: SigningCertificate; sign: SignBytes; chainEndsAt: Date },
  issuerUrl: string,
) {
  const { x5c, notBefore: certificateNotBefore } = certificate;
  const signer: CredentialSigner = { sign, x5c, certificateNotBefore, chainEndsAt };
  const key: IssuerKey = {
    chain: parseX5c(x5c),
    signerAt(at) {
      requireMaySignAt(certificate, at);
      return signer;
    },
    isValidAt: (at) => at >= certificate.notBefore && at <= certificate.notAfter,
    mayIssueAt: (at) => at >= certificate.notBefore && at < lastExpiry(chainEndsAt),
    chainEndsAt,
    namesIssuer: isIssuerInSan(issuerUrl, certificate.leaf),
  };
  return key;
}

/**
 * Reads a certificate and its key, whether or not it is valid now; throws a configuration fault that says what to
 * change.
 */
export function readRetiredIssuerKey({ keyPem, certificateFile, issuerUrl }: Omit<IssuerKeyFiles, 'now'>): IssuerKey {
  const certificatePem = readCertificateFile(certificateFile);
  const { certificate, key } = readSigningCertificate({ certificatePem, keyPem, allowSelfSigned: false });
  const sign: SignBytes = (input) => signEs256(key, input);
  return issuerKeyOf({ certificate, sign, chainEndsAt: earliestEnd(certificatePem) }, issuerUrl);
}

/** {@link readRetiredIssuerKey} for the key that signs credentials: its certificate must be valid at `now`. */
export function readIssuerKey({ now, ...file }: IssuerKeyFiles): IssuerKey {
  const key = readRetiredIssuerKey(file);
  key.signerAt(now);
  return key;
}

const START_CHECK = Buffer.from('a test signature at startup, to verify that the key matches its certificate', 'ascii');

/**
 * {@link readIssuerKey} for a remote key, which signs once to show that it is available and matches. Throws a
 * configuration fault, `signer_unavailable` or `signature_invalid`.
 */
export async function openRemoteIssuerKey(
  { publicKey, sign }: RemoteKey,
  file: IssuerCertificateFile,
  limits?: SigningLimits,
): Promise<IssuerKey> {
  const certificatePem = readCertificateFile(file.certificateFile);
  const certificate = readRemoteSigningCertificate({ certificatePem, publicKey, allowSelfSigned: false });
  const checked = createRemoteSigner({ sign, publicKey: certificate.leaf.publicKey, ...(limits ? { limits } : {}) });
  requireMaySignAt(certificate, file.now);
  const key = issuerKeyOf({ certificate, sign: checked, chainEndsAt: earliestEnd(certificatePem) }, file.issuerUrl);
  await checked(START_CHECK);
  return key;
}
