import { failureFamily } from '@vestibule/foundation';

/** Why a presented SD-JWT VC is not acceptable: one code for each family of faults. */
export const SD_JWT_FAILURES = {
  sd_jwt_malformed: {
    section: 'RFC 9901 §4',
    meaning: 'the string is not an SD-JWT in compact serialization',
    remedy: 'the wallet must send <issuer JWT>~<disclosure>~…~<key binding JWT or nothing>',
  },
  sd_jwt_too_large: {
    section: 'RFC 9901 §7.1',
    meaning: 'the SD-JWT is longer, or has more disclosures or JSON values, than this verifier accepts',
    remedy: 'the wallet should disclose only what was requested',
  },
  issuer_jwt_malformed: {
    section: 'RFC 7515 §7.1',
    meaning:
      'the issuer-signed part is not a compact JWS with a JSON object as payload, or its header has a number that cannot be represented exactly',
    remedy: 'the credential is damaged or was not issued as an SD-JWT VC',
  },
  issuer_algorithm_not_allowed: {
    section: 'RFC 9901 §7.1, RFC 8725 §3.1',
    meaning: 'the issuer signed with an algorithm that is not on the allow-list',
    remedy: 'the issuer must sign with ES256',
  },
  issuer_critical_header: {
    section: 'RFC 7515 §4.1.11',
    meaning: 'the issuer marks an unknown header extension as critical',
    remedy: 'the issuer must not use critical header extensions',
  },
  issuer_signature_invalid: {
    section: 'RFC 9901 §7.1',
    meaning: "the issuer's signature does not verify",
    remedy: 'the credential was changed or signed with another key',
  },
  type_header_wrong: {
    section: 'SD-JWT VC §3.2.1',
    meaning: 'the header typ is not dc+sd-jwt',
    remedy: 'the issuer must set typ to dc+sd-jwt; for vc+sd-jwt, see legacyTypes in the trust file',
  },
  x5c_missing: {
    section: 'HAIP 1.0 §6.1.1',
    meaning: 'the protected header carries no certificate chain',
    remedy: 'the issuer must put its chain into x5c',
  },
  x5c_malformed: {
    section: 'RFC 7515 §4.1.6',
    meaning: 'x5c is not a non-empty array of strings',
    remedy: 'the issuer must put its chain into x5c as base64 DER',
  },
  issuer_identifier_not_allowed: {
    section: 'SD-JWT VC §5',
    meaning: 'iss is not an https URL without user information, query and fragment, so it has no metadata',
    remedy: 'the issuer must use such a URL, in normal form, as its identifier',
  },
  issuer_metadata_malformed: {
    section: 'SD-JWT VC §5',
    meaning:
      "the issuer's metadata, or the key set that it refers to, is too long or is not a JSON object whose numbers can be represented exactly",
    remedy: 'the issuer must publish JSON of at most 64 KiB',
  },
  issuer_metadata_mismatch: {
    section: 'SD-JWT VC §5',
    meaning: "the issuer's metadata names another issuer",
    remedy: 'the issuer must publish issuer exactly as in its credentials',
  },
  issuer_metadata_keys: {
    section: 'SD-JWT VC §5',
    meaning: "the issuer's metadata does not have exactly one of jwks and jwks_uri, or has no usable key",
    remedy: 'the issuer must publish 1 to 20 keys, at least one of them on P-256 for ES256',
  },
  issuer_key_not_found: {
    section: 'SD-JWT VC §3.5',
    meaning: 'the header does not identify exactly one of the keys that the issuer publishes',
    remedy: 'the issuer must set kid, and publish a new key at least five minutes before it signs with it',
  },
  number_not_exact: {
    section: 'RFC 8259 §6',
    meaning: 'a number in the credential cannot be represented exactly, so a different number would be delivered',
    remedy:
      'the issuer must write numbers that a double (IEEE 754) cannot represent as strings, and times with fewer digits',
  },
  disclosure_malformed: {
    section: 'RFC 9901 §4.2, §7.1',
    meaning: 'a disclosure is not base64url of a JSON array of a salt, an optional claim name, and a value',
    remedy: 'the wallet or the issuer damaged a disclosure',
  },
  disclosure_kind_wrong: {
    section: 'RFC 9901 §7.1 step 3.c',
    meaning: 'a disclosure of an array element is used for an object member, or the reverse',
    remedy: 'the issuer made an inconsistent credential',
  },
  disclosure_duplicate: {
    section: 'RFC 9901 §4',
    meaning: 'the same disclosure was sent twice',
    remedy: 'the wallet must send each disclosure once',
  },
  disclosure_unreferenced: {
    section: 'RFC 9901 §7.1 step 5',
    meaning: 'a disclosure belongs to no digest of the credential',
    remedy: 'a disclosure was changed, made up, or sent without its parent',
  },
  claim_name_reserved: {
    section: 'RFC 9901 §4.2.1, §7.1 step 3.c',
    meaning: 'a disclosure discloses a claim with a reserved name',
    remedy: 'the issuer must not use the names _sd, _sd_alg and …',
  },
  claim_name_collision: {
    section: 'RFC 9901 §7.1 step 3.c',
    meaning: 'a disclosed claim has the name of an existing claim',
    remedy: 'the issuer made an inconsistent credential',
  },
  digest_repeated: {
    section: 'RFC 9901 §7.1 step 4',
    meaning: 'a digest occurs more than once',
    remedy: 'the issuer made an inconsistent credential',
  },
  digests_malformed: {
    section: 'RFC 9901 §4.2.4.1',
    meaning: '_sd is not an array of strings',
    remedy: 'the issuer made an inconsistent credential',
  },
  ellipsis_misused: {
    section: 'RFC 9901 §4.2.4.2, §7.1 step 3.b',
    meaning: 'the member … is used for something other than the digest of an array element',
    remedy: 'the issuer made an inconsistent credential',
  },
  sd_alg_unsupported: {
    section: 'RFC 9901 §4.1.1, §7.1 step 2.d',
    meaning: '_sd_alg is not a hash algorithm on the allow-list',
    remedy: 'the issuer must use sha-256, sha-384 or sha-512',
  },
  sd_alg_misplaced: {
    section: 'RFC 9901 §4.1.1',
    meaning: '_sd_alg occurs below the top level',
    remedy: 'the issuer made an inconsistent credential',
  },
  nesting_too_deep: {
    section: 'RFC 9901 §7.1',
    meaning: 'the claims are nested deeper than this verifier accepts',
    remedy: 'the issuer must use flatter claims',
  },
  registered_claim_disclosed: {
    section: 'SD-JWT VC §3.2.2.2',
    meaning: 'a claim that must always be visible is selectively disclosable',
    remedy: 'the issuer must put iss, nbf, exp, cnf, vct and status into the payload without a disclosure',
  },
  vct_missing: {
    section: 'SD-JWT VC §3.2.2.1',
    meaning: 'the credential does not have a type',
    remedy: 'the issuer must set vct',
  },
  claim_malformed: {
    section: 'RFC 7519 §4.1, SD-JWT VC §3.2.2',
    meaning: 'a registered claim has a value of the wrong kind',
    remedy: 'the issuer must follow the definition of the claim',
  },
  status_malformed: {
    section: 'HAIP 1.0 §6.1',
    meaning: 'status does not contain a status_list object',
    remedy: 'the issuer must use the Token Status List',
  },
  expired: {
    section: 'RFC 7519 §4.1.4',
    meaning: 'the credential has expired',
    remedy: 'the holder must get a new credential',
  },
  audience_mismatch: {
    section: 'RFC 7519 §4.1.3',
    meaning: 'the issuer restricts the credential to other verifiers, with the claim aud',
    remedy: 'the issuer must leave out aud, or name the client_id of this verifier in it',
  },
  not_yet_valid: {
    section: 'RFC 7519 §4.1.5',
    meaning: 'the credential is not valid yet',
    remedy: 'the holder must wait; check the clocks',
  },
  issued_in_future: {
    section: 'RFC 7519 §4.1.6',
    meaning: 'the credential has an issuance time in the future',
    remedy: 'check the clocks of issuer and verifier',
  },
  administratively_expired: {
    section: 'ETSI TS 119 472-1 §5.2.7.2',
    meaning: 'what the credential attests has ended, such as a licence: adm_exp is past',
    remedy: 'the holder must renew what is attested, and get a new credential',
  },
  administratively_not_yet_valid: {
    section: 'ETSI TS 119 472-1 §5.2.7.2',
    meaning: 'what the credential attests has not begun: adm_nbf is still to come',
    remedy: 'the holder must wait; check the clocks',
  },
  expiry_missing: {
    section: 'RFC 9901 §7.1 step 6',
    meaning: 'the policy requires an expiry and the credential has none',
    remedy: 'the issuer must set exp, or the policy must change',
  },
  confirmation_key_missing: {
    section: 'HAIP 1.0 §6.1, SD-JWT VC §3.2.2.2',
    meaning: 'the credential is not bound to a key in cnf.jwk',
    remedy: 'the issuer must put the key of the holder into cnf.jwk',
  },
  confirmation_key_not_allowed: {
    section: 'HAIP 1.0 §6.1, RFC 7800 §3',
    meaning: 'the key in cnf is not one public key for ES256 or ES384 signatures',
    remedy: 'the issuer must put a public key on P-256 or P-384 into cnf.jwk',
  },
  key_binding_missing: {
    section: 'OpenID4VP 1.0 §8.6',
    meaning: 'the query requires a key binding JWT and the presentation has none',
    remedy: 'the wallet must prove possession of the key of the credential',
  },
  key_binding_malformed: {
    section: 'RFC 9901 §4.3',
    meaning:
      'the last component is not a compact JWS with a JSON object as payload, or has a number that cannot be represented exactly',
    remedy: 'the wallet must end an SD-JWT without key binding with a tilde',
  },
  key_binding_type: {
    section: 'RFC 9901 §7.3 step 5.d',
    meaning: 'the header typ of the key binding JWT is not kb+jwt',
    remedy: 'the wallet must set typ to kb+jwt',
  },
  key_binding_algorithm: {
    section: 'RFC 9901 §7.3 step 5.b',
    meaning: 'the key binding JWT is signed with an algorithm that its key does not have',
    remedy: 'the wallet must sign with ES256 with a key on P-256, and with ES384 with a key on P-384',
  },
  key_binding_critical_header: {
    section: 'RFC 7515 §4.1.11',
    meaning: 'the key binding JWT marks an unknown header extension as critical',
    remedy: 'the wallet must not use critical header extensions',
  },
  key_binding_signature: {
    section: 'RFC 9901 §7.3 step 5.c',
    meaning: 'the key binding JWT does not verify with the key of the credential',
    remedy: 'the presenter does not hold the key, or the JWT was changed',
  },
  key_binding_audience: {
    section: 'OpenID4VP 1.0 §14.8',
    meaning: 'the key binding JWT was made for another verifier',
    remedy: 'the wallet must set aud to the full client_id of the request',
  },
  key_binding_nonce: {
    section: 'OpenID4VP 1.0 §14.1.2',
    meaning: 'the key binding JWT was made for another request',
    remedy: 'the wallet must copy the nonce of the request',
  },
  key_binding_time: {
    section: 'RFC 9901 §7.3 step 5.e',
    meaning: 'the key binding JWT was not created during the lifetime of the request',
    remedy: 'the wallet must set iat to the current time; check its clock',
  },
  key_binding_hash: {
    section: 'RFC 9901 §4.3.1, §7.3 step 5.g',
    meaning: 'the key binding JWT was made for another SD-JWT or another set of disclosures',
    remedy: 'the wallet must compute sd_hash over exactly what it sends',
  },
  transaction_data_missing: {
    section: 'OpenID4VP 1.0 §8.4, B.3.3.1',
    meaning: 'the key binding JWT confirms no transaction data although some was sent',
    remedy: 'the wallet must add transaction_data_hashes',
  },
  transaction_data_mismatch: {
    section: 'OpenID4VP 1.0 §8.4, B.3.3.1',
    meaning: 'the key binding JWT does not confirm the transaction data that was sent',
    remedy: 'the wallet must hash the strings exactly as it received them',
  },
  transaction_data_algorithm: {
    section: 'OpenID4VP 1.0 B.3.3.1',
    meaning: 'transaction_data_hashes_alg is missing or was not offered',
    remedy: 'the wallet must name one of the offered algorithms',
  },
  transaction_data_unexpected: {
    section: 'OpenID4VP 1.0 §8.4',
    meaning: 'the key binding JWT confirms transaction data that was not sent for this credential',
    remedy: 'the wallet must confirm only what the request contains',
  },
} as const;

declare module '@vestibule/foundation' {
  interface ErrorTables {
    readonly sdJwt: typeof SD_JWT_FAILURES;
  }
}

export type SdJwtFailureCode = keyof typeof SD_JWT_FAILURES;

/** Makes the failure with this code. */
export const sdJwtFailure = failureFamily(SD_JWT_FAILURES);
