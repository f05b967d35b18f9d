import type { ErrorEntry } from '@vestibule/foundation';

/** Why a credential cannot be issued. */
export const ISSUANCE_ERRORS = {
  claims_not_issuable: {
    meaning: 'FAILED: no credential can be created from the claims, or its type was changed since they were accepted',
    remedy: 'create a new offer with claims that fit the type as it is now; if it was not changed, report a bug',
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
