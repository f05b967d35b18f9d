import { failureFamily } from '@vestibule/foundation';

/** Why a W3C document cannot be issued, or does not hold. */
export const VCDM_FAILURES = {
  vc_malformed: {
    section: 'VCDM 2.0 §4',
    meaning: 'the document does not have the form of a verifiable credential or presentation of version 2.0',
    remedy:
      'send a document whose first context is https://www.w3.org/ns/credentials/v2, with type, issuer and subject',
  },
  vc_term_undefined: {
    section: 'VC Data Integrity 1.0 §2.4.1',
    meaning: 'a member of the document is defined by none of its contexts, so no signature would cover it',
    remedy: 'add the context that defines every claim, or leave the claim out',
  },
  vc_member_unsigned: {
    section: 'VC Data Integrity 1.0 §2.4.1',
    meaning:
      'a member of the document has no place of its own in the graph that is signed, or could stand elsewhere or under another name with the same signature',
    remedy:
      'name members by terms of the contexts, without null, empty arrays, repetitions, keywords of JSON-LD or names of blank nodes, and describe each node once',
  },
  vc_number_inexact: {
    section: 'VC Data Integrity ECDSA Cryptosuites 1.0 §3.2',
    meaning:
      'a number of the document has more digits than its graph can hold, so the signature would cover another one',
    remedy: 'send integers of at most 2^53 and decimals of at most 16 digits; send other numbers as texts',
  },
  vc_too_complex: {
    section: 'RDF Dataset Canonicalization §7.1',
    meaning: 'the document has more values, nodes or quads, or nodes that look more alike, than are canonicalized here',
    remedy: 'split the document, or give the nodes that look alike an id',
  },
  vc_context_unknown: {
    section: 'VCDM 2.0 §4.3',
    meaning: 'a context of the document is not in the store of known contexts',
    remedy: 'use a bundled or published context, or let the operator add the context to the allow-list',
  },
  vc_proof_unsupported: {
    section: 'VC Data Integrity 1.0 §2.1',
    meaning: 'the document does not carry exactly one proof of cryptosuite ecdsa-rdfc-2019',
    remedy: 'secure the document with one DataIntegrityProof, cryptosuite ecdsa-rdfc-2019',
  },
  vc_proof_invalid: {
    section: 'VC Data Integrity 1.0 §4.4',
    meaning: 'the proof does not hold for this document, purpose and key',
    remedy: 'the document was changed after signing, or signed with a key that is not its issuer or holder',
  },
  vc_key_unresolvable: {
    section: 'VC Data Integrity 1.0 §4.4',
    meaning: 'the verification method is no P-256 did:key, the one method that is resolved offline',
    remedy: 'the issuer or holder must sign with a P-256 did:key',
  },
  vc_not_yet_valid: {
    section: 'VCDM 2.0 §4.9',
    meaning: 'the validity of the credential has not begun',
    remedy: 'use the credential after its validFrom, and check the clocks',
  },
  vc_expired: {
    section: 'VCDM 2.0 §4.9',
    meaning: 'the validity of the credential, or of its proof, is over',
    remedy: 'ask the issuer for a new credential',
  },
  vc_status_unsupported: {
    section: 'VCDM 2.0 §4.10',
    meaning: 'the credential has a status that cannot be checked offline',
    remedy: 'this version takes credentials without credentialStatus',
  },
  vc_holder_mismatch: {
    section: 'VCDM 2.0 §4.13',
    meaning: 'the presentation is signed by another key than that of its holder',
    remedy: 'the holder of the presentation must sign it',
  },
  vc_challenge_mismatch: {
    section: 'VC Data Integrity 1.0 §2.1',
    meaning: 'the challenge or the domain of the proof is not the expected one',
    remedy: 'sign the presentation for this challenge and domain',
  },
} as const;

export const vcdmFailure = failureFamily(VCDM_FAILURES);
