import { createCipheriv, createDecipheriv, createECDH, createHash, type ECDH } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import {
  decodeBase64url,
  encodeBase64url,
  isJsonObject,
  ownMember,
  parseJsonBytes,
  type JsonObject,
  type RandomBytes,
} from '@vestibule/foundation';
import { createEphemeralKeyPair } from './ephemeral-key';
import { joseFailure } from './failures';
import { parsePublicJwk, type PublicJwk } from './jwk';

/** Content encryption algorithms on the allow-list (HAIP 1.0 §5) and their key sizes in bytes. */
export const CONTENT_ENCRYPTION = { A128GCM: 16, A256GCM: 32 } as const;
export type ContentEncryption = keyof typeof CONTENT_ENCRYPTION;

/** A private key that a JWE may be addressed to, by the `kid` that was published with it. */
export interface DecryptionKey {
  readonly kid: string;
  readonly privateKey: Uint8Array;
}

export interface DecryptedJwe {
  readonly header: JsonObject;
  readonly kid: string;
  readonly plaintext: Uint8Array;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;
const MAX_LENGTH = 1_048_576;
const MAX_HEADER_LENGTH = 8_192;

interface ParsedJwe {
  readonly header: JsonObject;
  readonly enc: ContentEncryption;
  readonly compressed: boolean;
  readonly kid: string;
  readonly aad: Buffer;
  readonly iv: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly tag: Uint8Array;
}

function decodeHeader(encoded: string): JsonObject {
  const bytes = encoded.length > MAX_HEADER_LENGTH ? undefined : decodeBase64url(encoded);
  const header = bytes && parseJsonBytes(bytes);
  if (!isJsonObject(header)) throw joseFailure('jwe_malformed');
  return header;
}

/** What a receiver takes besides the algorithms. */
export interface DecryptOptions {
  /** Content compressed with DEFLATE (RFC 7516 §4.1.3) is taken up to this many bytes; 0 refuses it altogether. */
  readonly maxInflatedBytes: number;
}

const UNCOMPRESSED: DecryptOptions = { maxInflatedBytes: 0 };

function isCompressed(header: JsonObject, { maxInflatedBytes }: DecryptOptions): boolean {
  if (!Object.hasOwn(header, 'zip')) return false;
  if (maxInflatedBytes > 0 && ownMember(header, 'zip') === 'DEF') return true;
  throw joseFailure('jwe_algorithm_not_allowed', 'this compression is refused');
}

function checkedAlgorithms(header: JsonObject): ContentEncryption {
  const enc = ownMember(header, 'enc');
  const offered = typeof enc === 'string' && Object.hasOwn(CONTENT_ENCRYPTION, enc);
  if (ownMember(header, 'alg') !== 'ECDH-ES' || !offered) throw joseFailure('jwe_algorithm_not_allowed');
  if (Object.hasOwn(header, 'crit')) throw joseFailure('jwe_malformed', 'critical header extensions are refused');
  return enc as ContentEncryption;
}

function parse(text: string, options: DecryptOptions): ParsedJwe {
  const parts = text.length > MAX_LENGTH ? [] : text.split('.', 6);
  const [encodedHeader, encryptedKey, encodedIv, encodedCiphertext, encodedTag] = parts;
  if (parts.length !== 5 || encodedHeader === undefined) throw joseFailure('jwe_malformed');
  const header = decodeHeader(encodedHeader);
  const enc = checkedAlgorithms(header);
  const compressed = isCompressed(header, options);
  if (encryptedKey !== '') throw joseFailure('jwe_malformed', 'ECDH-ES has an empty encrypted key');
  const [iv, ciphertext, tag] = [encodedIv, encodedCiphertext, encodedTag].map((part) => decodeBase64url(part ?? ''));
  if (!iv || !ciphertext || !tag) throw joseFailure('jwe_malformed');
  if (iv.byteLength !== IV_BYTES || tag.byteLength !== TAG_BYTES) throw joseFailure('jwe_malformed');
  const kid = ownMember(header, 'kid');
  if (typeof kid !== 'string') throw joseFailure('jwe_key_unknown');
  return { header, enc, compressed, kid, aad: Buffer.from(encodedHeader, 'ascii'), iv, ciphertext, tag };
}

function lengthPrefixed(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.byteLength);
  return Buffer.concat([length, bytes]);
}

function partyInfo(header: JsonObject, name: 'apu' | 'apv'): Uint8Array {
  if (!Object.hasOwn(header, name)) return new Uint8Array();
  const value = header[name];
  const bytes = typeof value === 'string' ? decodeBase64url(value) : undefined;
  if (!bytes) throw joseFailure('jwe_malformed');
  return bytes;
}

/** Concat KDF with SHA-256, one round: both key sizes fit into one digest (RFC 7518 §4.6.2). */
function deriveKey(secret: Uint8Array, enc: ContentEncryption, header: JsonObject): Buffer {
  const keyBytes = CONTENT_ENCRYPTION[enc];
  const round = Buffer.from([0, 0, 0, 1]);
  const keyBits = Buffer.alloc(4);
  keyBits.writeUInt32BE(keyBytes * 8);
  const info = [
    lengthPrefixed(Buffer.from(enc)),
    lengthPrefixed(partyInfo(header, 'apu')),
    lengthPrefixed(partyInfo(header, 'apv')),
    keyBits,
  ];
  return createHash('sha256')
    .update(Buffer.concat([round, secret, ...info]))
    .digest()
    .subarray(0, keyBytes);
}

function agree(ecdh: ECDH, peer: PublicJwk): Uint8Array {
  const coordinates = [peer.x, peer.y].map((value) => Buffer.from(value, 'base64url'));
  return ecdh.computeSecret(Buffer.concat([Buffer.from([4]), ...coordinates]));
}

function decrypt(jwe: ParsedJwe, key: DecryptionKey): Uint8Array {
  const peer = parsePublicJwk(ownMember(jwe.header, 'epk'));
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(key.privateKey);
  const contentKey = deriveKey(agree(ecdh, peer), jwe.enc, jwe.header);
  const cipher = jwe.enc === 'A128GCM' ? 'aes-128-gcm' : 'aes-256-gcm';
  const decipher = createDecipheriv(cipher, contentKey, jwe.iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(jwe.aad);
  decipher.setAuthTag(jwe.tag);
  return Buffer.concat([decipher.update(jwe.ciphertext), decipher.final()]);
}

/**
 * Decrypts a compact JWE: ECDH-ES direct key agreement on P-256 with A128GCM or A256GCM, nothing else
 * (RFC 7516 §5.2, RFC 7518 §4.6, HAIP 1.0 §5). `apu` and `apv` may hold anything; compressed content is refused unless
 * `options` says how much may come of it.
 * Throws `jwe_malformed`, `jwe_algorithm_not_allowed`, `jwe_key_unknown` or `jwe_decryption_failed`.
 */
export function decryptJwe(
  text: string,
  keys: readonly DecryptionKey[],
  options: DecryptOptions = UNCOMPRESSED,
): DecryptedJwe {
  const jwe = parse(text, options);
  const key = keys.find((candidate) => candidate.kid === jwe.kid);
  if (!key) throw joseFailure('jwe_key_unknown');
  try {
    const content = decrypt(jwe, key);
    const plaintext = jwe.compressed ? inflateRawSync(content, { maxOutputLength: options.maxInflatedBytes }) : content;
    return { header: jwe.header, kid: jwe.kid, plaintext };
  } catch (error) {
    throw joseFailure('jwe_decryption_failed', undefined, error);
  }
}

export interface EncryptOptions {
  readonly recipient: PublicJwk;
  readonly kid: string | undefined;
  readonly enc: ContentEncryption;
  readonly random: RandomBytes;
  /** Compresses the content with DEFLATE first. */
  readonly zip?: 'DEF' | undefined;
}

/** Encrypts bytes to a P-256 key as a compact JWE with ECDH-ES; `header` members are added as they are. */
export function encryptJwe(plaintext: Uint8Array, options: EncryptOptions, header: JsonObject = {}): string {
  const { recipient, kid, enc, random, zip } = options;
  const ephemeral = createEphemeralKeyPair(random);
  const fullHeader: JsonObject = {
    ...header,
    alg: 'ECDH-ES',
    enc,
    ...(kid === undefined ? {} : { kid }),
    ...(zip === undefined ? {} : { zip }),
    epk: { ...ephemeral.publicJwk },
  };
  const encodedHeader = encodeBase64url(Buffer.from(JSON.stringify(fullHeader), 'utf8'));
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(ephemeral.privateKey);
  const contentKey = deriveKey(agree(ecdh, recipient), enc, fullHeader);
  const iv = random(IV_BYTES);
  const cipher = createCipheriv(enc === 'A128GCM' ? 'aes-128-gcm' : 'aes-256-gcm', contentKey, iv, {
    authTagLength: TAG_BYTES,
  });
  cipher.setAAD(Buffer.from(encodedHeader, 'ascii'));
  const content = zip === undefined ? plaintext : deflateRawSync(plaintext);
  const ciphertext = Buffer.concat([cipher.update(content), cipher.final()]);
  return [encodedHeader, '', ...[iv, ciphertext, cipher.getAuthTag()].map(encodeBase64url)].join('.');
}
