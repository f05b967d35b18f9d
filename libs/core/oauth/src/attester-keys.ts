import type { KeyObject } from 'node:crypto';
import { joseFailure, verifyJws, type CompactJws } from '@vestibule/crypto';
import { VerificationFailure, type JsonObject } from '@vestibule/foundation';

/**
 * The trusted keys that may have signed an attestation with this header, by its `x5c` or `kid`; none for an attester that
 * nobody trusts. Throws a verification failure for a chain that does not hold.
 */
export type AttesterKeys = (header: JsonObject, now: Date) => readonly KeyObject[];

function isSignedWith(jws: CompactJws, key: KeyObject): boolean {
  try {
    verifyJws(jws, key);
    return true;
  } catch (error) {
    if (error instanceof VerificationFailure) return false;
    throw error;
  }
}

/** Throws `jws_signature_invalid` unless a trusted attester signed; a key in the header itself counts for nothing. */
export function requireAttesterSignature(jws: CompactJws, attesterKeys: AttesterKeys, now: Date): void {
  const signed = attesterKeys(jws.header, now).some((key) => isSignedWith(jws, key));
  if (!signed) throw joseFailure('jws_signature_invalid', 'no trusted attester signed the attestation');
}
