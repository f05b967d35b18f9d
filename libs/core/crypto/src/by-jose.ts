import { KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, compactVerify, importJWK } from 'jose';
import { encodeBase64url } from '@vestibule/foundation';
import { algorithmOf, isKeyFor, type EcdsaAlgorithm } from './ecdsa';
import { joseFailure } from './failures';
import type { EcJwk } from './jwk';
import { ES256_ALONE, requireAlgorithm, type CompactJws } from './jws';

// The only file of the libraries that calls jose; paths.ts says which operations are implemented here. Untrusted input has passed our
// own parsers before, and jose's errors, which may contain a payload, appear only as the hidden cause of a failure.

/** As `verifyJws`, by jose. Throws `jws_algorithm_not_allowed` or `jws_signature_invalid`. */
export async function verifyJwsByJose(
  jws: CompactJws,
  key: KeyObject,
  allowed: readonly EcdsaAlgorithm[] = ES256_ALONE,
): Promise<void> {
  const algorithm = requireAlgorithm(jws, allowed);
  if (!isKeyFor(algorithm, key)) throw joseFailure('jws_signature_invalid');
  const signature = Buffer.from(`.${encodeBase64url(jws.signature)}`, 'ascii');
  try {
    await compactVerify(Buffer.concat([jws.signingInput, signature]), key, { algorithms: [algorithm] });
  } catch (error) {
    throw joseFailure('jws_signature_invalid', undefined, error);
  }
}

/** As `importPublicJwk`, by jose. Throws `jwk_not_allowed` when the point is not on the curve. */
export async function importPublicJwkByJose({ kty, crv, x, y }: EcJwk): Promise<KeyObject> {
  try {
    const key = await importJWK({ kty, crv, x, y }, algorithmOf(crv), { extractable: true });
    return KeyObject.from(key as Exclude<typeof key, Uint8Array>);
  } catch (error) {
    throw joseFailure('jwk_not_allowed', 'the point is not on its curve', error);
  }
}

/** As `jwkThumbprint`, by jose. */
export async function jwkThumbprintByJose({ kty, crv, x, y }: EcJwk): Promise<string> {
  return calculateJwkThumbprint({ kty, crv, x, y }, 'sha256');
}
