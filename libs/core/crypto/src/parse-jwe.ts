import { decodeBase64url, isJsonObject, ownMember, parseJsonBytes, type JsonObject } from '@vestibule/foundation';
import { joseFailure } from './failures';
import { parsePublicJwk, type PublicJwk } from './jwk';

/** Content encryption algorithms on the allow-list (HAIP 1.0 §5) and their key sizes in bytes. */
export const CONTENT_ENCRYPTION = { A128GCM: 16, A256GCM: 32 } as const;
export type ContentEncryption = keyof typeof CONTENT_ENCRYPTION;
/** The only key management algorithm. */
export const KEY_AGREEMENT = 'ECDH-ES';

export interface DecryptedJwe {
  readonly header: JsonObject;
  readonly kid: string;
  readonly plaintext: Uint8Array;
}

export const IV_BYTES = 12;
export const TAG_BYTES = 16;
const MAX_LENGTH = 1_048_576;
const MAX_HEADER_LENGTH = 8_192;

/** A compact JWE whose form and algorithms are right; nothing in it is authenticated yet. */
export interface ParsedJwe {
  readonly header: JsonObject;
  readonly enc: ContentEncryption;
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

function requireCompression(header: JsonObject, compression: 'refused' | 'DEF'): void {
  const isTaken = !Object.hasOwn(header, 'zip') || (compression === 'DEF' && ownMember(header, 'zip') === 'DEF');
  if (!isTaken) throw joseFailure('jwe_algorithm_not_allowed', 'this compression is rejected');
}

function checkedAlgorithms(header: JsonObject): ContentEncryption {
  const enc = ownMember(header, 'enc');
  const offered = typeof enc === 'string' && Object.hasOwn(CONTENT_ENCRYPTION, enc);
  if (ownMember(header, 'alg') !== KEY_AGREEMENT || !offered) throw joseFailure('jwe_algorithm_not_allowed');
  if (Object.hasOwn(header, 'crit')) throw joseFailure('jwe_malformed', 'critical header extensions are rejected');
  return enc as ContentEncryption;
}

/**
 * Splits a compact JWE (RFC 7516 §7.1) with algorithms of the allow-list; `compression` says whether DEFLATE is taken.
 * Throws `jwe_malformed`, `jwe_algorithm_not_allowed` or `jwe_key_unknown`.
 */
export function parseJwe(text: string, compression: 'refused' | 'DEF'): ParsedJwe {
  const parts = text.length > MAX_LENGTH ? [] : text.split('.', 6);
  const [encodedHeader, encryptedKey, encodedIv, encodedCiphertext, encodedTag] = parts;
  if (parts.length !== 5 || encodedHeader === undefined) throw joseFailure('jwe_malformed');
  const header = decodeHeader(encodedHeader);
  const enc = checkedAlgorithms(header);
  requireCompression(header, compression);
  if (encryptedKey !== '') throw joseFailure('jwe_malformed', 'ECDH-ES has an empty encrypted key');
  const [iv, ciphertext, tag] = [encodedIv, encodedCiphertext, encodedTag].map((part) => decodeBase64url(part ?? ''));
  if (!iv || !ciphertext || !tag) throw joseFailure('jwe_malformed');
  if (iv.byteLength !== IV_BYTES || tag.byteLength !== TAG_BYTES) throw joseFailure('jwe_malformed');
  const kid = ownMember(header, 'kid');
  if (typeof kid !== 'string') throw joseFailure('jwe_key_unknown');
  return { header, enc, kid, aad: Buffer.from(encodedHeader, 'ascii'), iv, ciphertext, tag };
}

function partyInfo(header: JsonObject, name: 'apu' | 'apv'): Uint8Array {
  if (!Object.hasOwn(header, name)) return new Uint8Array();
  const value = header[name];
  const bytes = typeof value === 'string' ? decodeBase64url(value) : undefined;
  if (!bytes) throw joseFailure('jwe_malformed');
  return bytes;
}

/** What the sender put into the key agreement. */
export interface SenderAgreement {
  readonly peer: PublicJwk;
  readonly apu: Uint8Array;
  readonly apv: Uint8Array;
}

/** The sender's side of the key agreement; throws `jwk_not_allowed`, or `jwe_malformed` for party information that is not base64url. */
export function readAgreement(header: JsonObject): SenderAgreement {
  const peer = parsePublicJwk(ownMember(header, 'epk'));
  return { peer, apu: partyInfo(header, 'apu'), apv: partyInfo(header, 'apv') };
}
