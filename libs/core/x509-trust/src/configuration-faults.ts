import { DomainError } from '@vestibule/foundation';

/** What can be wrong with the certificates and keys that an operator configures, and what to do about it. */
export const X509_CONFIGURATION_FAULTS = {
  certificate_file_invalid: {
    meaning: 'the file does not contain a readable certificate',
    remedy: 'use a file with PEM blocks of type CERTIFICATE, one after the other',
  },
  signing_certificate_missing: {
    meaning: 'no signing certificate is configured',
    remedy: 'configure the leaf certificate first, then its intermediates',
  },
  signing_key_not_p256: {
    meaning: 'the signing key is not a private EC key on curve P-256',
    remedy: 'generate a P-256 key and have a certificate issued for it',
  },
  signing_key_mismatch: {
    meaning: 'the signing key does not belong to the first certificate',
    remedy: 'put the leaf certificate first and configure the key that it was issued for',
  },
  signing_certificate_self_signed: {
    meaning: 'the signing certificate is self-signed, which wallets reject',
    remedy: 'use a certificate issued by a certification authority, or the development switch',
  },
  signing_certificate_expired: {
    meaning: 'the signing certificate or one of its intermediates has expired',
    remedy: 'renew the certificate and restart',
  },
  signing_certificate_not_yet_valid: {
    meaning: 'the signing certificate or one of its intermediates is not valid yet',
    remedy: 'check the clock of this machine, or wait until the certificate becomes valid',
  },
  signing_chain_invalid: {
    meaning: 'the configured certificates are not a chain that wallets accept',
    remedy: 'order them from the leaf to the last intermediate, each issued by the next',
  },
  trust_anchor_invalid: {
    meaning: 'a configured trust anchor cannot certify anything',
    remedy: 'configure the certificate of a certification authority: CA true, keyCertSign, a strong key',
  },
} as const;

declare module '@vestibule/foundation' {
  interface ErrorTables {
    readonly x509Configuration: typeof X509_CONFIGURATION_FAULTS;
  }
}

export type X509ConfigurationFaultCode = keyof typeof X509_CONFIGURATION_FAULTS;

/** An operator's mistake: kind `internal`; the sentence says what to do and holds nothing from the files. */
export function configurationFault(code: X509ConfigurationFaultCode, reason?: string, cause?: unknown): DomainError {
  const { meaning, remedy } = X509_CONFIGURATION_FAULTS[code];
  const detail = reason === undefined ? `${meaning}: ${remedy}` : `${meaning} (${reason}): ${remedy}`;
  return new DomainError({ kind: 'internal', code, detail, cause });
}
