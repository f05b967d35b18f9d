import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { signEs256 } from '@vestibule/crypto';
import type { SignBytes } from '@vestibule/sd-jwt-vc';
import {
  configurationFault,
  isIssuerInSan,
  readRemoteSigningCertificate,
  readSigningCertificate,
  requireMaySignAt,
  type SigningCertificate,
} from '@vestibule/x509-trust';
import type { CredentialSigner } from '../../use-cases/sign-credentials';
import { createRemoteSigner, type RemoteSigning, type SigningLimits } from './remote-signer';

export interface IssuerCertificateFile {
  readonly certificateFile: string;
  readonly now: Date;
  readonly issuerUrl: string;
}

export interface IssuerKeyFiles extends IssuerCertificateFile {
  readonly keyPem: string;
}

/** A private key that never comes here: in an HSM, behind PKCS#11, or in a KMS. */
export interface RemoteKey {
  /** Its public half, which is compared with the certificate and verifies every signature. */
  readonly publicKey: KeyObject;
  readonly sign: RemoteSigning;
}

/** The certificate and key that credentials and status lists are signed with. */
export interface IssuerKey {
  /** Throws a configuration fault when certificate and key may not sign at `now`. */
  signerAt(now: Date): CredentialSigner;
  isValidAt(now: Date): boolean;
  readonly notAfter: Date;
  /** False where older verifiers, which look for `iss` in the certificate, would refuse the credentials. */
  readonly namesIssuer: boolean;
}

function readCertificateFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = `${file} cannot be read, ${(error as NodeJS.ErrnoException).code}`;
    throw configurationFault('certificate_file_invalid', reason, error);
  }
}

function issuerKeyOf(certificate: SigningCertificate, sign: SignBytes, { now, issuerUrl }: IssuerCertificateFile) {
  requireMaySignAt(certificate, now);
  const signer: CredentialSigner = { sign, x5c: certificate.x5c, certificateNotBefore: certificate.notBefore };
  const key: IssuerKey = {
    signerAt(at) {
      requireMaySignAt(certificate, at);
      return signer;
    },
    isValidAt: (at) => at >= certificate.notBefore && at <= certificate.notAfter,
    notAfter: certificate.notAfter,
    namesIssuer: isIssuerInSan(issuerUrl, certificate.leaf),
  };
  return key;
}

/** Reads and checks the issuer's certificate and key; throws a configuration fault that says what to change. */
export function readIssuerKey({ keyPem, ...file }: IssuerKeyFiles): IssuerKey {
  const certificatePem = readCertificateFile(file.certificateFile);
  const { certificate, key } = readSigningCertificate({ certificatePem, keyPem, allowSelfSigned: false });
  return issuerKeyOf(certificate, (input) => signEs256(key, input), file);
}

const START_CHECK = Buffer.from('a signature to see at the start that the key fits its certificate', 'ascii');

/**
 * The same for a key that is somewhere else, which signs once to show that it is there and the right one. Throws a
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
  const key = issuerKeyOf(certificate, checked, file);
  await checked(START_CHECK);
  return key;
}
