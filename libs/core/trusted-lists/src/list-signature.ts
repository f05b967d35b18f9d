import { constants, verify, type KeyObject } from 'node:crypto';
import { ECDSA_ALGORITHMS, verifyEcdsa } from '@vestibule/crypto';
import { ownMember } from '@vestibule/foundation';
import { trustedListFailure } from './failures';
import type { SignedList } from './parse-signed-list';

const RSA_ALGORITHMS = {
  RS256: { hash: 'sha256', padding: constants.RSA_PKCS1_PADDING },
  RS384: { hash: 'sha384', padding: constants.RSA_PKCS1_PADDING },
  RS512: { hash: 'sha512', padding: constants.RSA_PKCS1_PADDING },
  PS256: { hash: 'sha256', padding: constants.RSA_PKCS1_PSS_PADDING },
  PS384: { hash: 'sha384', padding: constants.RSA_PKCS1_PSS_PADDING },
  PS512: { hash: 'sha512', padding: constants.RSA_PKCS1_PSS_PADDING },
} as const;
type RsaAlgorithm = keyof typeof RSA_ALGORITHMS;
const MIN_RSA_BITS = 2_048;

function verifyRsa(algorithm: RsaAlgorithm, key: KeyObject, { signingInput, signature }: SignedList): boolean {
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== 'rsa' || bits < MIN_RSA_BITS) return false;
  const { hash, padding } = RSA_ALGORITHMS[algorithm];
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
  return verify(hash, signingInput, { key, padding, saltLength }, signature);
}

/**
 * Verifies the signature of a list with the key of its signer. The algorithm is one of an allow-list, looked at before
 * anything is computed, and the key must be of its type. Throws `trusted_list_algorithm_not_allowed` and
 * `trusted_list_signature_invalid`.
 */
export function verifyListSignature(list: SignedList, key: KeyObject): void {
  const named = ownMember(list.header, 'alg');
  const ecdsa = ECDSA_ALGORITHMS.find((one) => one === named);
  const rsa = Object.keys(RSA_ALGORITHMS).find((one): one is RsaAlgorithm => one === named);
  if (!ecdsa && !rsa) throw trustedListFailure('trusted_list_algorithm_not_allowed');
  const holds = ecdsa
    ? verifyEcdsa(ecdsa, key, list.signingInput, list.signature)
    : rsa !== undefined && verifyRsa(rsa, key, list);
  if (!holds) throw trustedListFailure('trusted_list_signature_invalid');
}
