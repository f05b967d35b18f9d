import { jwsClaims, parseCompactJws, type CompactJws } from '@vestibule/crypto';
import { isJsonObject, ownMember, VerificationFailure, type JsonValue } from '@vestibule/foundation';
import { KEY_PROOF_LIMITS, MAX_NONCE_LENGTH } from './key-proof';

/** What `read` finds in a compact JWS; nothing in what is none. */
function readJws(text: unknown, read: (jws: CompactJws) => readonly unknown[]): readonly unknown[] {
  if (typeof text !== 'string') return [];
  try {
    return read(parseCompactJws(text, KEY_PROOF_LIMITS));
  } catch (error) {
    if (error instanceof VerificationFailure) return [];
    throw error;
  }
}

const nonceOf = (jws: CompactJws) => ownMember(jwsClaims(jws), 'nonce');

/** Its own, and that of a key attestation in its header (OpenID4VCI 1.0 §F.1). */
function noncesOf(proof: JsonValue): readonly unknown[] {
  return readJws(proof, (jws) => [
    nonceOf(jws),
    ...readJws(ownMember(jws.header, 'key_attestation'), (attestation) => [nonceOf(attestation)]),
  ]);
}

/**
 * The nonces in the proofs of a credential request, each once, all unverified: enough to look up whether one of them
 * was used before, but for no other purpose. At most `maxProofs` of each kind of proof are read; an unreadable proof
 * has no nonce. Never throws, whatever the input.
 */
export function presentedNonces(body: unknown, maxProofs: number): readonly string[] {
  const proofs = isJsonObject(body) ? ownMember(body, 'proofs') : undefined;
  if (!isJsonObject(proofs)) return [];
  const lists = ['jwt', 'attestation'].map((type) => ownMember(proofs, type));
  const given = lists.flatMap((list) => (Array.isArray(list) ? list.slice(0, maxProofs) : []));
  const isNonce = (nonce: unknown): nonce is string => typeof nonce === 'string' && nonce.length <= MAX_NONCE_LENGTH;
  return [...new Set(given.flatMap(noncesOf).filter(isNonce))];
}
