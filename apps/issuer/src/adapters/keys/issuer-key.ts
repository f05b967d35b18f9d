import { readFileSync } from 'node:fs';
import { signEs256 } from '@vestibule/crypto';
import { configurationFault, isIssuerInSan, readSigningCertificate, requireMaySignAt } from '@vestibule/x509-trust';
import type { CredentialSigner } from '../../use-cases/issue-credential';

export interface IssuerKeyFiles {
  readonly certificateFile: string;
  readonly keyPem: string;
  readonly now: Date;
  readonly issuerUrl: string;
}

/** The certificate and key that credentials are signed with. */
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

/** Reads and checks the issuer's certificate and key; throws a configuration fault that says what to change. */
export function readIssuerKey({ certificateFile, keyPem, now, issuerUrl }: IssuerKeyFiles): IssuerKey {
  const certificatePem = readCertificateFile(certificateFile);
  const { certificate, key } = readSigningCertificate({ certificatePem, keyPem, allowSelfSigned: false });
  requireMaySignAt(certificate, now);
  const signer: CredentialSigner = {
    sign: (input) => signEs256(key, input),
    x5c: certificate.x5c,
    certificateNotBefore: certificate.notBefore,
  };
  return {
    signerAt(at) {
      requireMaySignAt(certificate, at);
      return signer;
    },
    isValidAt: (at) => at >= certificate.notBefore && at <= certificate.notAfter,
    notAfter: certificate.notAfter,
    namesIssuer: isIssuerInSan(issuerUrl, certificate.leaf),
  };
}
