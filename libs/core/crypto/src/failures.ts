import { failureFamily } from '@vestibule/foundation';

/** Why a JOSE object from outside is not acceptable. */
export const JOSE_FAILURES = {
  jws_malformed: {
    section: 'RFC 7515 §7.1',
    meaning: 'the string is not a compact JWS with a JSON header',
    remedy: 'the sender must use the compact serialization with three base64url parts',
  },
  jws_number_not_exact: {
    section: 'RFC 8259 §6',
    meaning: 'a number in the JWS cannot be represented exactly',
    remedy: 'the sender must write such numbers as strings',
  },
  jws_algorithm_not_allowed: {
    section: 'RFC 8725 §3.1',
    meaning: 'the signature algorithm is not on the allow-list',
    remedy: 'the sender must sign with ES256, or with another algorithm that the metadata list',
  },
  jws_critical_header: {
    section: 'RFC 7515 §4.1.11',
    meaning: 'the header marks an unknown extension as critical',
    remedy: 'the sender must not use critical header extensions',
  },
  jws_signature_invalid: {
    section: 'RFC 7515 §5.2',
    meaning: 'the signature does not verify with the expected key',
    remedy: 'the object was changed in transit or signed with another key',
  },
  jwk_not_allowed: {
    section: 'RFC 7517 §4, RFC 7518 §6.2',
    meaning: 'the key is not a public EC key on an allowed curve, or not for signatures where it must be',
    remedy: 'the sender must use a public P-256 key, or one on another curve that the metadata list',
  },
  jwe_malformed: {
    section: 'RFC 7516 §7.1',
    meaning: 'the string is not a compact JWE with a JSON header',
    remedy: 'the sender must encrypt with the compact serialization',
  },
  jwe_algorithm_not_allowed: {
    section: 'OpenID4VP 1.0 §8.3',
    meaning: 'the key management or content encryption algorithm was not offered',
    remedy: 'the sender must use ECDH-ES with A128GCM or A256GCM',
  },
  jwe_key_unknown: {
    section: 'OpenID4VP 1.0 §8.3',
    meaning: 'the header does not identify a key that was offered',
    remedy: 'the sender must copy the kid of the key it encrypts to',
  },
  jwe_decryption_failed: {
    section: 'RFC 7516 §5.2',
    meaning: 'the content cannot be decrypted',
    remedy: 'the sender encrypted to another key, or the object was changed in transit',
  },
} as const;

declare module '@vestibule/foundation' {
  interface ErrorTables {
    readonly jose: typeof JOSE_FAILURES;
  }
}

export const joseFailure = failureFamily(JOSE_FAILURES);
