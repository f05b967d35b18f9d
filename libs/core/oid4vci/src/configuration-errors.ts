import type { ErrorEntry } from '@vestibule/foundation';

/** What stops an issuer at startup: its URL, its display and its credential types. */
export const ISSUER_CONFIGURATION_ERRORS = {
  type_metadata_invalid: {
    meaning:
      'documents in `TYPE_METADATA_FOLDER` are missing or invalid; the message has the file, the location and the reason',
    remedy:
      'correct the documents; see "Credential types" in [issuer-operations.md](issuer-operations.md#credential-types)',
  },
  issuer_url_invalid: {
    meaning: '`ISSUER_URL` is not a valid Credential Issuer Identifier',
    remedy: 'use an https URL in normal form, without query, fragment or trailing slash',
  },
  issuer_display_invalid: {
    meaning: '`display` in `issuance.json` is invalid',
    remedy: 'see OpenID4VCI 1.0 §12.2.4',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

declare module '@vestibule/foundation' {
  interface ErrorTables {
    readonly issuerConfiguration: typeof ISSUER_CONFIGURATION_ERRORS;
  }
}
