import { verify, type KeyObject } from 'node:crypto';

/** The signature algorithms of RFC 7518 §3.4, each with the only curve of its keys. */
export const ECDSA_ALGORITHMS = ['ES256', 'ES384', 'ES512'] as const;
export type EcdsaAlgorithm = (typeof ECDSA_ALGORITHMS)[number];
export type EcCurve = 'P-256' | 'P-384' | 'P-521';

interface Ecdsa {
  readonly curve: EcCurve;
  /** OpenSSL's name of the curve. */
  readonly namedCurve: string;
  readonly hash: string;
  /** R and S. */
  readonly signatureBytes: number;
}

const ECDSA: Readonly<Record<EcdsaAlgorithm, Ecdsa>> = {
  ES256: { curve: 'P-256', namedCurve: 'prime256v1', hash: 'sha256', signatureBytes: 64 },
  ES384: { curve: 'P-384', namedCurve: 'secp384r1', hash: 'sha384', signatureBytes: 96 },
  ES512: { curve: 'P-521', namedCurve: 'secp521r1', hash: 'sha512', signatureBytes: 132 },
};

/** The curve that keys of an algorithm are on. */
export const curveOf = (algorithm: EcdsaAlgorithm): EcCurve => ECDSA[algorithm].curve;

/** The algorithm that keys of a curve sign with. */
export function algorithmOf(curve: EcCurve): EcdsaAlgorithm {
  const algorithm = ECDSA_ALGORITHMS.find((one) => ECDSA[one].curve === curve);
  if (algorithm === undefined) throw new RangeError('a curve without an algorithm');
  return algorithm;
}

/** True for an EC key on the curve of the algorithm. */
export function isKeyFor(algorithm: EcdsaAlgorithm, key: KeyObject): boolean {
  return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === ECDSA[algorithm].namedCurve;
}

/** True when `signature` is the raw R and S over `input`; DER, every other form and a key on another curve are false. */
export function verifyEcdsa(
  algorithm: EcdsaAlgorithm,
  key: KeyObject,
  input: Uint8Array,
  signature: Uint8Array,
): boolean {
  const { hash, signatureBytes } = ECDSA[algorithm];
  if (!isKeyFor(algorithm, key) || signature.byteLength !== signatureBytes) return false;
  return verify(hash, input, { key, dsaEncoding: 'ieee-p1363' }, signature);
}
