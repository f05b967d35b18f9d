import type { ErrorEntry } from '@vestibule/foundation';

/** Why a credential cannot be issued. */
export const ISSUANCE_ERRORS = {
  claims_not_issuable: {
    meaning: 'FAILED: no credential can be created from the claims',
    remedy: 'report a bug: the claims were accepted when the offer was created',
  },
  signature_malformed: {
    meaning: 'FAILED: the signing key did not return an ES256 signature',
    remedy: 'check the key or the device that holds it',
  },
  signing_certificate_expired: {
    meaning: 'FAILED: a certificate in the chain of the issuer expires before a credential could be used',
    remedy: 'renew the certificate and restart',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

declare module '@vestibule/foundation' {
  interface ErrorTables {
    readonly issuance: typeof ISSUANCE_ERRORS;
  }
}
