import { createECDH } from 'node:crypto';
import { encodeBase64url, type RandomBytes } from '@vestibule/foundation';
import type { PublicJwk } from './jwk';

const PRIVATE_KEY_BYTES = 32;
const COORDINATE_BYTES = 32;

/** A P-256 key pair for one key agreement; the private half is its raw 32 bytes, ready to be sealed. */
export interface EphemeralKeyPair {
  readonly privateKey: Uint8Array;
  readonly publicJwk: PublicJwk;
}

function pairFrom(privateKey: Uint8Array): EphemeralKeyPair | undefined {
  const ecdh = createECDH('prime256v1');
  try {
    ecdh.setPrivateKey(privateKey);
  } catch {
    return undefined; // zero or not below the group order: about one in 2^32 draws
  }
  const point = ecdh.getPublicKey();
  const x = encodeBase64url(point.subarray(1, 1 + COORDINATE_BYTES));
  const y = encodeBase64url(point.subarray(1 + COORDINATE_BYTES));
  return { privateKey, publicJwk: { kty: 'EC', crv: 'P-256', x, y } };
}

/** Makes a fresh P-256 pair from the given randomness. */
export function createEphemeralKeyPair(random: RandomBytes): EphemeralKeyPair {
  for (;;) {
    const pair = pairFrom(random(PRIVATE_KEY_BYTES));
    if (pair) return pair;
  }
}
