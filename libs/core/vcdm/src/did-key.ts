import { createPrivateKey, createPublicKey, ECDH, type KeyObject } from 'node:crypto';
import { createEphemeralKeyPair, type PublicJwk } from '@vestibule/crypto';
import { encodeBase64url, type RandomBytes } from '@vestibule/foundation';
import { decodeBase58, encodeBase58 } from './base58';

/** A decentralized identifier that is its own public key, and the private half as raw 32 bytes, to be sealed. */
export interface DidKeyPair {
  readonly did: string;
  readonly privateKey: Uint8Array;
}

/** Multicodec p256-pub (0x1200) as a varint. */
const P256_PREFIX = Buffer.of(0x80, 0x24);
const COMPRESSED_BYTES = 33;
const COORDINATE_BYTES = 32;
const METHOD = 'did:key:';
/** A P-256 did:key in its one spelling. */
const P256_DID = /^did:key:(zDna[1-9A-HJ-NP-Za-km-z]{44,45})$/;

/** The did:key of a P-256 key: multibase base58btc of the multicodec prefix and the compressed point (did:key §3.1.1). */
export function didKeyOf(jwk: PublicJwk): string {
  const [x, y] = [Buffer.from(jwk.x, 'base64url'), Buffer.from(jwk.y, 'base64url')];
  const sign = 2 + ((y.at(-1) ?? 0) & 1);
  return `${METHOD}z${encodeBase58(Buffer.concat([P256_PREFIX, Buffer.of(sign), x]))}`;
}

/** A fresh P-256 did:key. */
export function createDidKey(random: RandomBytes): DidKeyPair {
  const { publicJwk, privateKey } = createEphemeralKeyPair(random);
  return { did: didKeyOf(publicJwk), privateKey };
}

/** The key that signs for a P-256 did:key; throws a RangeError for another DID. */
export function importDidKey({ did, privateKey }: DidKeyPair): KeyObject {
  const publicJwk = publicJwkOf(did);
  if (!publicJwk) throw new RangeError('not a P-256 did:key');
  return createPrivateKey({ key: { ...publicJwk, d: encodeBase64url(privateKey) }, format: 'jwk' });
}

/** The point of an uncompressed key as a JWK. */
function jwkOfPoint(point: Buffer): PublicJwk {
  const x = encodeBase64url(point.subarray(1, 1 + COORDINATE_BYTES));
  const y = encodeBase64url(point.subarray(1 + COORDINATE_BYTES));
  return { kty: 'EC', crv: 'P-256', x, y };
}

/** The public key that a did:key is, offline, ready to verify with; undefined where {@link publicJwkOf} has none. */
export function publicKeyOf(did: string): KeyObject | undefined {
  const jwk = publicJwkOf(did);
  return jwk && createPublicKey({ key: { ...jwk }, format: 'jwk' });
}

/** The public key that a did:key is, offline; undefined for every other text (another method or curve, a bad point). */
export function publicJwkOf(did: string): PublicJwk | undefined {
  const multibase = P256_DID.exec(did)?.[1];
  const bytes = multibase === undefined ? undefined : decodeBase58(multibase.slice(1));
  if (bytes?.byteLength !== P256_PREFIX.byteLength + COMPRESSED_BYTES) return undefined;
  if (!P256_PREFIX.equals(bytes.subarray(0, P256_PREFIX.byteLength))) return undefined;
  try {
    const compressed = bytes.subarray(P256_PREFIX.byteLength);
    const point = ECDH.convertKey(compressed, 'prime256v1', undefined, undefined, 'uncompressed') as Buffer;
    const jwk = jwkOfPoint(point);
    createPublicKey({ key: { ...jwk }, format: 'jwk' });
    return jwk;
  } catch {
    return undefined; // no point of the curve has this coordinate
  }
}

/** The id of the one verification method of a did:key (did:key §3.1.2): the DID with its own multibase value. */
export function verificationMethodOf(did: string): string {
  return `${did}#${did.slice(METHOD.length)}`;
}
