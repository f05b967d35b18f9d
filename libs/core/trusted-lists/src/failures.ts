import { failureFamily } from '@vestibule/foundation';

/** Why a list of trusted entities is not used: for the operator's log, never for a wallet. */
export const TRUSTED_LIST_FAILURES = {
  trusted_list_malformed: {
    section: 'ETSI TS 119 602 §6, RFC 7515 §7',
    meaning: 'the document is not a signed list of trusted entities in JSON',
    remedy: 'check the URL: it must serve a JWS, compact or JSON with one signature, whose payload has the member LoTE',
  },
  trusted_list_too_large: {
    section: 'ETSI TS 119 602 §6',
    meaning: 'the list has more bytes, entities, services or certificates than are read',
    remedy: 'check the URL; a real list of this size needs a change of this program',
  },
  trusted_list_algorithm_not_allowed: {
    section: 'RFC 8725 §3.1, ETSI TS 119 182-1',
    meaning: 'the list is signed with an algorithm that is not on the allow-list, or not at all',
    remedy: 'the scheme operator must sign with ECDSA or RSA and SHA-256, SHA-384 or SHA-512',
  },
  trusted_list_critical_header: {
    section: 'RFC 7515 §4.1.11, ETSI TS 119 182-1 §5',
    meaning: 'the header has a critical extension that is not understood, or signs something else than its payload',
    remedy: 'the scheme operator must sign the attached payload (no sigD, no b64) at level B-B',
  },
  trusted_list_header_invalid: {
    section: 'ETSI TS 119 182-1 §5',
    meaning:
      'the header names another certificate than it contains, or a signing time that is malformed or in the future',
    remedy: 'the scheme operator must sign the list again; check the clock of this machine',
  },
  trusted_list_signer_unknown: {
    section: 'ETSI TS 119 602 §6.8',
    meaning:
      'the list is not signed by a certificate that is configured for it, nor by one of the configured operator below a configured authority',
    remedy:
      'if the scheme operator has announced a new certificate, add it to signers of the list; if signers has its authority, set operator to the organisation in the subject of its certificates',
  },
  trusted_list_signature_invalid: {
    section: 'RFC 7515 §5.2',
    meaning: 'the signature of the list does not verify',
    remedy: 'the list was changed after it was signed; do not use it',
  },
  trusted_list_type_mismatch: {
    section: 'ETSI TS 119 602 §6.3.3',
    meaning: 'the list has another LoTEType than the one that is configured for it',
    remedy: 'check the URL and the type of the list in the trust file',
  },
  trusted_list_scheme_mismatch: {
    section: 'ETSI TS 119 602 §6.3.6',
    meaning: 'the list has another SchemeName than the one that is configured for it, or none',
    remedy: 'check the URL and schemeName of the list: another list of the same operator may be there',
  },
  trusted_list_critical_extension: {
    section: 'ETSI TS 119 602 §6.3.17',
    meaning: 'the list has a critical extension that is not understood',
    remedy: 'a list with such an extension must not be used by this program',
  },
  trusted_list_not_yet_issued: {
    section: 'ETSI TS 119 602 §6.3.14',
    meaning: 'the list was issued in the future',
    remedy: 'check the clock of this machine',
  },
  trusted_list_out_of_date: {
    section: 'ETSI TS 119 602 §6.3.15',
    meaning:
      'the next update of the list, or the latest that its type allows, is overdue for longer than the grace time',
    remedy: 'the scheme operator must publish a new version; ask why it has not',
  },
  trusted_list_rolled_back: {
    section: 'ETSI TS 119 602 §6.3.2',
    meaning: 'the list is older than the version that is in use: its sequence number or its issue date went back',
    remedy: 'somebody may be withholding the newest list; compare with the list that others receive',
  },
} as const;

declare module '@vestibule/foundation' {
  interface ErrorTables {
    readonly trustedList: typeof TRUSTED_LIST_FAILURES;
  }
}

export const trustedListFailure = failureFamily(TRUSTED_LIST_FAILURES);
