import { sign, type KeyObject } from 'node:crypto';
import { isKeyFor, verifyEcdsa } from './ecdsa';

/** True for an EC key on P-256. */
export const isP256 = (key: KeyObject): boolean => isKeyFor('ES256', key);

/** ES256 (RFC 7518 §3.4): R and S, 32 bytes each. Throws a TypeError for a key that is not on P-256. */
export function signEs256(key: KeyObject, input: Uint8Array): Uint8Array {
  if (!isP256(key)) throw new TypeError('ES256 signs with a P-256 key');
  return sign('sha256', input, { key, dsaEncoding: 'ieee-p1363' });
}

/** True when `signature` is the raw 64-byte ES256 signature over `input`; DER and every other form are false. */
export function verifyEs256(key: KeyObject, input: Uint8Array, signature: Uint8Array): boolean {
  return verifyEcdsa('ES256', key, input, signature);
}
