import { createCipheriv, createDecipheriv, createECDH, createHash, ECDH } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { encodeBase64url, type JsonObject, type RandomBytes } from '@vestibule/foundation';
import { createEphemeralKeyPair } from './ephemeral-key';
import { joseFailure } from './failures';
import { inflateWhole } from './inflate';
import type { PublicJwk } from './jwk';
import {
  CONTENT_ENCRYPTION,
  IV_BYTES,
  KEY_AGREEMENT,
  parseJwe,
  readAgreement,
  TAG_BYTES,
  type ContentEncryption,
  type DecryptedJwe,
  type ParsedJwe,
  type SenderAgreement,
} from './parse-jwe';

/** A private key that a JWE may be addressed to, by the `kid` that was published with it. */
export interface DecryptionKey {
  readonly kid: string;
  readonly privateKey: Uint8Array;
}

/** Whom a JWE is for, and how it is made. */
export interface JweOrder {
  readonly recipient: PublicJwk;
  /** The `kid` of the recipient's key, if it has one. */
  readonly kid: string | undefined;
  readonly enc: ContentEncryption;
  /** Compresses the content with DEFLATE first. */
  readonly zip?: 'DEF' | undefined;
  /** Where the ephemeral key and the initialization vector come from. */
  readonly random: RandomBytes;
}

const CURVE = 'prime256v1';
const CIPHER = { A128GCM: 'aes-128-gcm', A256GCM: 'aes-256-gcm' } as const;
const NOBODY = new Uint8Array();

function lengthPrefixed(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.byteLength);
  return Buffer.concat([length, bytes]);
}

/** Concat KDF with SHA-256, one round: both key sizes fit into one digest (RFC 7518 §4.6.2). */
function deriveKey(secret: Uint8Array, enc: ContentEncryption, { apu, apv }: Omit<SenderAgreement, 'peer'>): Buffer {
  const keyBytes = CONTENT_ENCRYPTION[enc];
  const round = Buffer.from([0, 0, 0, 1]);
  const keyBits = Buffer.alloc(4);
  keyBits.writeUInt32BE(keyBytes * 8);
  const info = [lengthPrefixed(Buffer.from(enc)), lengthPrefixed(apu), lengthPrefixed(apv), keyBits];
  return createHash('sha256')
    .update(Buffer.concat([round, secret, ...info]))
    .digest()
    .subarray(0, keyBytes);
}

const pointOf = ({ x, y }: PublicJwk): Buffer =>
  Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);

/** Throws for a peer off the curve. */
function agree(privateKey: Uint8Array, peer: PublicJwk): Uint8Array {
  const ecdh = createECDH(CURVE);
  ecdh.setPrivateKey(privateKey);
  return ecdh.computeSecret(pointOf(peer));
}

function decrypt(jwe: ParsedJwe, key: DecryptionKey): Uint8Array {
  const agreement = readAgreement(jwe.header);
  const contentKey = deriveKey(agree(key.privateKey, agreement.peer), jwe.enc, agreement);
  const decipher = createDecipheriv(CIPHER[jwe.enc], contentKey, jwe.iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(jwe.aad);
  decipher.setAuthTag(jwe.tag);
  return Buffer.concat([decipher.update(jwe.ciphertext), decipher.final()]);
}

/**
 * Decrypts a compact JWE: ECDH-ES direct key agreement on P-256 with A128GCM or A256GCM, nothing else
 * (RFC 7516 §5.2, RFC 7518 §4.6, HAIP 1.0 §5). `apu` and `apv` may hold anything. Content compressed with DEFLATE is accepted
 * if it inflates to at most `maxInflatedBytes`; by default it is refused.
 * Throws `jwe_malformed`, `jwe_algorithm_not_allowed`, `jwe_key_unknown` or `jwe_decryption_failed`.
 */
export function decryptJwe(text: string, keys: readonly DecryptionKey[], maxInflatedBytes = 0): DecryptedJwe {
  const jwe = parseJwe(text, maxInflatedBytes > 0 ? 'DEF' : 'refused');
  const key = keys.find((candidate) => candidate.kid === jwe.kid);
  if (!key) throw joseFailure('jwe_key_unknown');
  try {
    const content = decrypt(jwe, key);
    const plaintext = Object.hasOwn(jwe.header, 'zip') ? inflateWhole(content, maxInflatedBytes) : content;
    return { header: jwe.header, kid: jwe.kid, plaintext };
  } catch (error) {
    throw joseFailure('jwe_decryption_failed', undefined, error);
  }
}

const offCurve = (cause: unknown) => joseFailure('jwk_not_allowed', 'the point is not on curve P-256', cause);

/** Throws `jwk_not_allowed` for a key that nothing can be encrypted to, because it is not on its curve. */
export function requireOnCurve(recipient: PublicJwk): void {
  try {
    ECDH.convertKey(pointOf(recipient), CURVE);
  } catch (error) {
    throw offCurve(error);
  }
}

function contentKeyFor({ recipient, enc }: JweOrder, privateKey: Uint8Array): Buffer {
  try {
    return deriveKey(agree(privateKey, recipient), enc, { apu: NOBODY, apv: NOBODY });
  } catch (error) {
    throw offCurve(error);
  }
}

/**
 * Encrypts bytes to a P-256 key as a compact JWE with ECDH-ES direct key agreement and AES-GCM (RFC 7516 §5.1, RFC 7518
 * §4.6, §5.3). The key agreement is ephemeral, so that no content key is used twice. `header` members are added as they
 * are. Throws `jwk_not_allowed` for a recipient off the curve.
 */
export function encryptJwe(plaintext: Uint8Array, order: JweOrder, header: JsonObject = {}): string {
  const { kid, enc, zip, random } = order;
  const { privateKey, publicJwk } = createEphemeralKeyPair(random);
  const optional = { ...(kid === undefined ? {} : { kid }), ...(zip === undefined ? {} : { zip }) };
  const full = { ...header, alg: KEY_AGREEMENT, enc, ...optional, epk: publicJwk };
  const encodedHeader = encodeBase64url(Buffer.from(JSON.stringify(full)));
  const iv = random(IV_BYTES);
  const cipher = createCipheriv(CIPHER[enc], contentKeyFor(order, privateKey), iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(encodedHeader, 'ascii'));
  const content = zip === undefined ? plaintext : deflateRawSync(plaintext);
  const ciphertext = Buffer.concat([cipher.update(content), cipher.final()]);
  return [encodedHeader, '', ...[iv, ciphertext, cipher.getAuthTag()].map(encodeBase64url)].join('.');
}
