import { failureFamily } from '@vestibule/foundation';

/** Why a W3C document cannot be issued, or does not hold. */
export const VCDM_FAILURES = {
  vc_malformed: {
    section: 'VCDM 2.0 §4',
    meaning: 'the document does not have the form of a verifiable credential or presentation of version 2.0',
    remedy:
      'send a document whose first context is https://www.w3.org/ns/credentials/v2, with type, issuer and subject',
  },
  vc_version_unsupported: {
    section: 'VCDM 2.0 §4.3',
    meaning: 'the document is a verifiable credential or presentation of version 1.1; 2.0 is supported',
    remedy: 'send a document of version 2.0, whose first context is https://www.w3.org/ns/credentials/v2',
  },
  vc_too_deep: {
    section: 'VCDM 2.0 §7.1',
    meaning: 'objects and arrays are nested more than 40 levels deep',
    remedy: 'send a flatter document',
  },
  vc_issuer_mismatch: {
    section: 'VCDM 2.0 §4.7',
    meaning: '`issuer` is not the DID of the key that signed or is to sign the credential',
    remedy: 'sign with the key of the issuer, and write its DID in issuer',
  },
  vc_validity_reversed: {
    section: 'VCDM 2.0 §4.9',
    meaning: '`validUntil` is before `validFrom`',
    remedy: 'correct the times',
  },
  vc_credential_schema_malformed: {
    section: 'VCDM 2.0 §4.11',
    meaning: '`credentialSchema` is not one or more objects with a URL in `id` and a `type`',
    remedy: 'give each credentialSchema an id and a type',
  },
  vc_credential_status_malformed: {
    section: 'VCDM 2.0 §4.10',
    meaning:
      '`credentialStatus` is not one to eight objects with a `type` and, if they have one, a URL in `id`; or an entry of a Bitstring Status List has no `statusPurpose`, no decimal `statusListIndex` in a string, or no URL in `statusListCredential`',
    remedy: 'write each credentialStatus as its type requires',
  },
  vc_refresh_service_malformed: {
    section: 'VCDM 2.0 §5.4',
    meaning: '`refreshService` is not one or more objects with a `type`, and a URL in `id` if they have one',
    remedy: 'give each refreshService a type',
  },
  vc_terms_of_use_malformed: {
    section: 'VCDM 2.0 §5.5',
    meaning: '`termsOfUse` is not one or more objects with a `type`, and a URL in `id` if they have one',
    remedy: 'give each termsOfUse a type',
  },
  vc_evidence_malformed: {
    section: 'VCDM 2.0 §5.6',
    meaning: '`evidence` is not one or more objects with a `type`, and a URL in `id` if they have one',
    remedy: 'give each evidence a type',
  },
  vc_related_resource_malformed: {
    section: 'VCDM 2.0 §5.3',
    meaning:
      '`relatedResource` is not one or more objects with different URLs in `id`, each with `digestSRI` or `digestMultibase` by SHA-256, SHA-384 or SHA-512',
    remedy: 'name each resource once, with its digest',
  },
  vc_related_resource_mismatch: {
    section: 'VCDM 2.0 §5.3',
    meaning: 'a digest in `relatedResource` is not that of the resource, whose bytes are known here',
    remedy:
      'compute the digest of the resource itself, or do not accept the credential; a resource that the operator lists may have to be listed as text',
  },
  vc_language_malformed: {
    section: 'VCDM 2.0 §11.1',
    meaning:
      'a text with a language does not consist of `@value` (a string), `@language` (BCP 47) and `@direction` (`ltr` or `rtl`), or `name` or `description` is neither such a text nor a string',
    remedy: 'write a string, or an object with these members only',
  },
  vc_term_undefined: {
    section: 'VC Data Integrity 1.0 §2.4.1',
    meaning: 'a member of the document is defined by none of its contexts, so no signature would cover it',
    remedy: 'add the context that defines every claim, or omit the claim',
  },
  vc_member_unsigned: {
    section: 'VC Data Integrity 1.0 §2.4.1',
    meaning:
      'a member of the document does not have exactly one place in the signed graph, or could be moved or renamed without breaking the signature',
    remedy:
      'name members by terms of the contexts, without null, empty arrays, repeated values, JSON-LD keywords or blank node identifiers, and describe each node once',
  },
  vc_number_inexact: {
    section: 'VC Data Integrity ECDSA Cryptosuites 1.0 §3.2',
    meaning:
      'a number in the document has more digits than the graph can represent, so the signature would cover a different number',
    remedy: 'send integers of at most 2^53 and decimals of at most 16 digits; send other numbers as strings',
  },
  vc_too_complex: {
    section: 'RDF Dataset Canonicalization §7.1',
    meaning:
      'the document has too many values, nodes or quads, or too many indistinguishable nodes, to be canonicalized',
    remedy: 'split the document, give indistinguishable nodes an id, and do not repeat values in lists',
  },
  vc_context_unknown: {
    section: 'VCDM 2.0 §4.3',
    meaning: 'a context of the document is not in the store of known contexts',
    remedy: 'use a built-in or published context, or have the operator add the context to the allow-list',
  },
  vc_proof_unsupported: {
    section: 'VC Data Integrity 1.0 §2.1',
    meaning: 'the document does not carry exactly one proof of cryptosuite ecdsa-rdfc-2019',
    remedy: 'secure the document with one DataIntegrityProof, cryptosuite ecdsa-rdfc-2019',
  },
  vc_proof_invalid: {
    section: 'VC Data Integrity 1.0 §4.4',
    meaning: 'the proof is not valid for this document, purpose and key',
    remedy: 'the document was changed after signing, or signed with a key that is not its issuer or holder',
  },
  vc_key_unresolvable: {
    section: 'VC Data Integrity 1.0 §4.4',
    meaning: 'the verification method is not a P-256 did:key, the only method that can be resolved offline',
    remedy: 'the issuer or holder must sign with a P-256 did:key',
  },
  vc_not_yet_valid: {
    section: 'VCDM 2.0 §4.9',
    meaning: 'the credential is not valid yet',
    remedy: 'use the credential after its validFrom, and check the clocks',
  },
  vc_expired: {
    section: 'VCDM 2.0 §4.9',
    meaning: 'the credential or its proof has expired',
    remedy: 'ask the issuer for a new credential',
  },
  vc_status_unsupported: {
    section: 'Bitstring Status List 1.0 §2.1',
    meaning:
      'a `credentialStatus` is not of type BitstringStatusListEntry, or its purpose is neither revocation nor suspension, or its `statusSize` is not 1',
    remedy: 'use a credential whose status is one bit of a BitstringStatusList for revocation or suspension',
  },
  vc_status_host_not_allowed: {
    section: 'Bitstring Status List 1.0 §3.2',
    meaning: 'the status list of the credential is at a host from which this installation fetches none',
    remedy: 'the operator must add the host to `CREDENTIAL_STATUS_HOSTS`, or do not accept the credential',
  },
  vc_status_list_invalid: {
    section: 'Bitstring Status List 1.0 §2.2, §3.2',
    meaning:
      'the status list does not hold: its proof, validity, type, `id`, purpose, encoding or length, or it has no entry for the credential',
    remedy: 'the issuer must publish a list that verifies and has an entry for every index that it has assigned',
  },
  vc_status_issuer_mismatch: {
    section: 'Bitstring Status List 1.0 §5',
    meaning:
      'the status list is signed neither by the issuer of the credential nor by one of `CREDENTIAL_STATUS_ISSUERS`',
    remedy: 'the issuer must sign its own status list, or the operator must add the DID of its signer',
  },
  vc_revoked: {
    section: 'Bitstring Status List 1.0 §3.2',
    meaning: 'the issuer has revoked the credential',
    remedy: 'the holder must ask the issuer for a new credential',
  },
  vc_suspended: {
    section: 'Bitstring Status List 1.0 §3.2',
    meaning: 'the issuer has suspended the credential',
    remedy: 'the holder must ask the issuer when the suspension ends',
  },
  vc_holder_mismatch: {
    section: 'VCDM 2.0 §4.13',
    meaning: 'the presentation is not signed with the key of its holder',
    remedy: 'the holder of the presentation must sign it',
  },
  vc_challenge_mismatch: {
    section: 'VC Data Integrity 1.0 §2.1',
    meaning: 'the challenge or the domain of the proof is not the expected one',
    remedy: 'sign the presentation for this challenge and domain',
  },
} as const;

declare module '@vestibule/foundation' {
  interface ErrorTables {
    readonly vcdm: typeof VCDM_FAILURES;
  }
}

/** The code of a failure. */
export type VcdmCode = keyof typeof VCDM_FAILURES;

export const vcdmFailure = failureFamily(VCDM_FAILURES);
