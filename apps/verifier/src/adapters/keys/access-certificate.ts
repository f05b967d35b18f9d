import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RequestSigner } from '@vestibule/oid4vp';
import { DomainError, ProcessingFailure } from '@vestibule/foundation';
import {
  parsePemCertificates,
  prepareSigningCertificate,
  requireMaySignAt,
  X509_CONFIGURATION_FAULTS,
  type X509ConfigurationFaultCode,
} from '@vestibule/x509-trust';

/** The certificate that this verifier is known by, and its key. */
export interface AccessCertificate {
  /** `client_id` of new requests (OpenID4VP 1.0 §5.9.3); throws when the certificate is not valid at `now`. */
  currentClientId(now: Date): string;
  /** Signs requests that were made with `clientId`; throws when that certificate is not configured or not valid any more. */
  signerOf(clientId: string, now: Date): RequestSigner;
  isValidAt(now: Date): boolean;
  readonly notAfter: Date;
}

export interface AccessCertificateFiles {
  readonly certificateFile: string;
  readonly keyPem: string;
  readonly now: Date;
  readonly allowSelfSigned: boolean;
}

function configurationFault(code: X509ConfigurationFaultCode, reason: string, cause: unknown): DomainError {
  const { meaning, remedy } = X509_CONFIGURATION_FAULTS[code];
  return new DomainError({ kind: 'internal', code, detail: `${meaning} (${reason}): ${remedy}`, cause });
}

function parseKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw configurationFault('signing_key_not_p256', 'it is not a PEM without passphrase', error);
  }
}

function readCertificateFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = `${file} cannot be read, ${(error as NodeJS.ErrnoException).code}`;
    throw configurationFault('certificate_file_invalid', reason, error);
  }
}

/** Reads and checks the access certificate; throws a configuration fault that says what to change. */
export function readAccessCertificate(files: AccessCertificateFiles): AccessCertificate {
  const key = parseKey(files.keyPem);
  const certificates = parsePemCertificates(readCertificateFile(files.certificateFile));
  const certificate = prepareSigningCertificate({
    certificates,
    privateKey: key,
    now: files.now,
    allowSelfSigned: files.allowSelfSigned,
  });
  const clientId = `x509_hash:${certificate.hash}`;
  return {
    currentClientId(now) {
      requireMaySignAt(certificate, now);
      return clientId;
    },
    signerOf(wanted, now) {
      if (wanted !== clientId) {
        throw new ProcessingFailure(
          'access_certificate_replaced',
          'the request was made with another access certificate',
        );
      }
      requireMaySignAt(certificate, now);
      return { key, x5c: certificate.x5c };
    },
    isValidAt: (now) => now >= certificate.notBefore && now <= certificate.notAfter,
    notAfter: certificate.notAfter,
  };
}
