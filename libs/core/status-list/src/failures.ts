import { failureFamily } from '@vestibule/foundation';

/** Why a status reference or a status list is not acceptable, or what the status says. `TSL` is Token Status List, draft 14. */
export const STATUS_FAILURES = {
  status_reference_malformed: {
    section: 'TSL §6.2, HAIP 1.0 §6.1',
    meaning: 'the credential has a status without a valid reference to a status list',
    remedy: 'the issuer must write status.status_list with a non-negative integer idx and an absolute uri',
  },
  status_mechanism_not_supported: {
    section: 'HAIP 1.0 §6.1',
    meaning: 'the credential has its status in credentialStatus alone, which is not looked up',
    remedy: 'the issuer must refer to a status list in status.status_list',
  },
  status_token_malformed: {
    section: 'TSL §5.1',
    meaning: 'the status list token is not a compact JWS with a JSON payload',
    remedy: 'the issuer must serve a status list token in JWT form',
  },
  status_token_type: {
    section: 'TSL §5.1',
    meaning: 'the typ header of the status list token is not statuslist+jwt',
    remedy: 'the issuer must set typ to statuslist+jwt',
  },
  status_token_algorithm_not_allowed: {
    section: 'HAIP 1.0 §7, RFC 8725 §3.1',
    meaning: 'the signature algorithm of the status list token is not on the allow-list',
    remedy: 'the issuer must sign its status list with ES256; lists about attestations may have ES384 or ES512',
  },
  status_token_certificate_missing: {
    section: 'HAIP 1.0 §6.1.1',
    meaning: 'the status list token carries no certificate chain',
    remedy: 'the issuer must put its x5c chain into the header of the status list token',
  },
  status_token_signer_not_trusted: {
    section: 'HAIP 1.0 §6.1.1, TSL §11.3',
    meaning: 'the signer of the status list token is not trusted for this credential',
    remedy: 'the status list must be signed under an anchor and authority that is accepted for the credential',
  },
  status_token_signature_invalid: {
    section: 'TSL §8.3',
    meaning: 'the signature of the status list token does not verify',
    remedy: 'the token was changed in transit or signed with another key',
  },
  status_token_subject_mismatch: {
    section: 'TSL §5.1, §8.3',
    meaning: 'the status list token is for a different uri than the credential',
    remedy: 'the issuer must use the same uri, character by character, in sub and in its credentials',
  },
  status_token_audience: {
    section: 'RFC 7519 §4.1.3',
    meaning: 'the status list token is for certain recipients, with the claim aud',
    remedy: 'the issuer must leave out aud: a status list is for everybody who is shown a credential',
  },
  status_token_claims_malformed: {
    section: 'TSL §5.1',
    meaning:
      'iat, exp, nbf or ttl of the status list token is missing or malformed, or the token has a number that cannot be represented exactly',
    remedy: 'the issuer must set iat, and numbers where exp, nbf and ttl are used; ttl is positive',
  },
  status_token_not_yet_valid: {
    section: 'RFC 7519 §4.1.5, §4.1.6',
    meaning: 'the status list token is dated in the future',
    remedy: 'check the clocks of this installation and of the issuer',
  },
  status_token_expired: {
    section: 'TSL §8.3',
    meaning: 'the status list token has expired',
    remedy: 'the issuer must renew its status list before it expires',
  },
  status_token_too_old: {
    section: 'TSL §8.3',
    meaning: 'the status list token was issued longer ago than `STATUS_LIST_MAX_AGE_SECONDS` allows',
    remedy: 'the issuer must renew its status list more often; or allow more',
  },
  status_list_rolled_back: {
    section: 'TSL §11.2',
    meaning: 'the status list is older than one that was seen before',
    remedy: 'the host of the list must not serve an older version after a newer one',
  },
  status_list_malformed: {
    section: 'TSL §4.2',
    meaning: 'status_list has no bits of 1, 2, 4 or 8 or no base64url lst',
    remedy: 'the issuer must encode the status list as the standard requires',
  },
  status_list_compression_invalid: {
    section: 'TSL §4.1',
    meaning: 'the status list is not one complete ZLIB stream',
    remedy: 'the issuer must compress with DEFLATE in the ZLIB format of RFC 1950, not gzip and not raw',
  },
  status_list_too_large: {
    section: 'TSL §8.3',
    meaning: 'the status list is larger than this verifier accepts',
    remedy: 'the issuer must split its status list',
  },
  status_index_out_of_range: {
    section: 'TSL §8.3',
    meaning: 'the status list has no entry for this credential',
    remedy: 'the issuer must publish a list that covers every index it has assigned',
  },
  credential_revoked: {
    section: 'TSL §7.1',
    meaning: 'the issuer has revoked the credential',
    remedy: 'the holder must ask the issuer for a new credential',
  },
  credential_suspended: {
    section: 'TSL §7.1',
    meaning: 'the issuer has suspended the credential',
    remedy: 'the holder must ask the issuer when the suspension ends',
  },
  credential_status_unknown: {
    section: 'TSL §7.1',
    meaning: 'the credential has a status that means neither valid, nor revoked, nor suspended',
    remedy: 'ask the issuer what this application-specific status means; it is never accepted as valid',
  },
} as const;

declare module '@vestibule/foundation' {
  interface ErrorTables {
    readonly status: typeof STATUS_FAILURES;
  }
}

export type StatusFailureCode = keyof typeof STATUS_FAILURES;

export const statusFailure = failureFamily(STATUS_FAILURES);
