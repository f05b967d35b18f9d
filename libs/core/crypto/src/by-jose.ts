import { KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, compactDecrypt, CompactEncrypt, compactVerify, importJWK } from 'jose';
import { encodeBase64url, type JsonObject } from '@vestibule/foundation';
import { algorithmOf, isKeyFor, type EcdsaAlgorithm } from './ecdsa';
import { joseFailure } from './failures';
import { decryptJwe, type DecryptionKey } from './jwe';
import type { EcJwk, PublicJwk } from './jwk';
import { ES256_ALONE, requireAlgorithm, type CompactJws } from './jws';
import {
  CONTENT_ENCRYPTION,
  KEY_AGREEMENT,
  parseJwe,
  readAgreement,
  type ContentEncryption,
  type DecryptedJwe,
} from './parse-jwe';

// The only file that calls jose; paths.ts says which operations are implemented here. Untrusted input has passed our
// own parsers before, and jose's errors, which may contain a payload, appear only as the hidden cause of a failure.

const ENCRYPTION = {
  keyManagementAlgorithms: [KEY_AGREEMENT],
  contentEncryptionAlgorithms: Object.keys(CONTENT_ENCRYPTION),
};

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

/** A key that was published for encryption, with its private half. */
export interface PublishedDecryptionKey extends DecryptionKey {
  readonly publicJwk: PublicJwk;
}

/** What a receiver takes besides the algorithms. */
export interface DecryptOptions {
  /** Content compressed with DEFLATE (RFC 7516 §4.1.3) is taken up to this many bytes; 0 refuses it altogether. */
  readonly maxInflatedBytes: number;
}

/**
 * The members of an ephemeral key that jose reads. WebCrypto refuses keys with other members, which are irrelevant to
 * key agreement.
 */
const EPHEMERAL_MEMBERS = ['kty', 'crv', 'x', 'y'];

/**
 * True for compressed content, which jose inflates at eight times the cost, and for headers that jose refuses and our own
 * parser accepts: `apu` and `apv` that are alike (RFC 7518 §4.6.2 has them distinct, and
 * nothing depends on it), and an `epk` with `key_ops`, `ext` and the like.
 */
function isForOwnCode(header: JsonObject): boolean {
  if (Object.hasOwn(header, 'zip')) return true;
  const { apu, apv } = readAgreement(header);
  const isAlike = header['apu'] !== undefined && header['apv'] !== undefined && Buffer.compare(apu, apv) === 0;
  return isAlike || Object.keys(header['epk'] as JsonObject).some((name) => !EPHEMERAL_MEMBERS.includes(name));
}

/**
 * As `decryptJwe`, by jose, and with compressed content where `options` says how much may come of it.
 * Compressed content, and headers that jose refuses and our own parser accepts, are left to `decryptJwe`.
 * Throws `jwe_malformed`, `jwe_algorithm_not_allowed`, `jwe_key_unknown` or `jwe_decryption_failed`.
 */
export async function decryptJweByJose(
  text: string,
  keys: readonly PublishedDecryptionKey[],
  { maxInflatedBytes }: DecryptOptions,
): Promise<DecryptedJwe> {
  const { header, kid } = parseJwe(text, maxInflatedBytes > 0 ? 'DEF' : 'refused');
  const key = keys.find((candidate) => candidate.kid === kid);
  if (!key) throw joseFailure('jwe_key_unknown');
  try {
    if (isForOwnCode(header)) return decryptJwe(text, keys, maxInflatedBytes);
    const jwk = { ...key.publicJwk, d: encodeBase64url(key.privateKey) };
    const privateKey = await importJWK(jwk, KEY_AGREEMENT);
    const { plaintext } = await compactDecrypt(text, privateKey, ENCRYPTION);
    return { header, kid, plaintext };
  } catch (error) {
    throw joseFailure('jwe_decryption_failed', undefined, error);
  }
}

export interface EncryptOptions {
  readonly recipient: PublicJwk;
  readonly kid: string | undefined;
  readonly enc: ContentEncryption;
  /** Compresses the content with DEFLATE first. */
  readonly zip?: 'DEF' | undefined;
}

/**
 * Encrypts bytes to a P-256 key as a compact JWE with ECDH-ES (RFC 7516 §5.1); `header` members are added as they are. The
 * ephemeral key and the initialization vector are drawn by jose. Throws `jwk_not_allowed` for a recipient off the curve.
 */
export async function encryptJweByJose(
  plaintext: Uint8Array,
  { recipient, kid, enc, zip }: EncryptOptions,
  header: JsonObject = {},
): Promise<string> {
  const { kty, crv, x, y } = recipient;
  const key = await importJWK({ kty, crv, x, y }, KEY_AGREEMENT).catch((error: unknown) => {
    throw joseFailure('jwk_not_allowed', 'the point is not on curve P-256', error);
  });
  return new CompactEncrypt(plaintext)
    .setProtectedHeader({
      ...header,
      alg: KEY_AGREEMENT,
      enc,
      ...(kid === undefined ? {} : { kid }),
      ...(zip === undefined ? {} : { zip }),
    })
    .encrypt(key);
}
