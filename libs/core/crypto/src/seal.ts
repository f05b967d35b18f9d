import { createCipheriv, createDecipheriv } from 'node:crypto';
import { ProcessingFailure, type RandomBytes } from '@vestibule/foundation';
import { sha256 } from './hash';

/*
 * A sealed record: version (1) | key id (8) | iv (12) | wrapped data key (32) | tag (16) | iv (12) | ciphertext | tag
 * (16). Each record has its own data key, wrapped by the key-encryption key that the key id names, so rotation rewraps
 * 32 bytes and never touches the content. AES-256-GCM throughout; `context` is authenticated with both layers.
 */
const VERSION = 1;
const KEY_BYTES = 32;
const KEY_ID_BYTES = 8;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const WRAPPED_BYTES = IV_BYTES + KEY_BYTES + TAG_BYTES;
const MARK_BYTES = 1 + KEY_ID_BYTES;
const CONTENT_START = MARK_BYTES + WRAPPED_BYTES;

/** How much of a sealed record depends on the key-encryption key: what rotation replaces. */
export const SEALED_HEAD_BYTES = CONTENT_START;

/** Seals records under the first key and opens records of all keys. */
export interface Sealer {
  /** `context` says what the record is (table, column, id): opened elsewhere, it fails. */
  seal(plaintext: Uint8Array, context: string): Buffer;
  /** Throws `seal_broken` when the record was changed, belongs to another context or its key is not configured. */
  open(sealed: Uint8Array, context: string): Buffer;
  /** What every record begins with that is sealed under the first key. */
  readonly currentMark: Buffer;
  /**
   * The head (the first {@link SEALED_HEAD_BYTES} bytes) of a record, with its data key wrapped by the first key; the
   * rest of the record stays unchanged. Throws `seal_broken` as `open` does.
   */
  rewrap(head: Uint8Array, context: string): Buffer;
}

/** True for a record that is sealed under the key of this mark. */
export function hasMark(sealed: Uint8Array, mark: Uint8Array): boolean {
  return Buffer.from(sealed.subarray(0, MARK_BYTES)).equals(mark);
}

interface SealingKey {
  readonly id: Buffer;
  readonly key: Uint8Array;
}

function encrypt(key: Uint8Array, iv: Uint8Array, plaintext: Uint8Array, context: string): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(context, 'utf8'));
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Uint8Array, box: Uint8Array, context: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context, 'utf8'));
  decipher.setAuthTag(box.subarray(box.byteLength - TAG_BYTES));
  return Buffer.concat([decipher.update(box.subarray(IV_BYTES, box.byteLength - TAG_BYTES)), decipher.final()]);
}

const broken = (error: unknown) => new ProcessingFailure('seal_broken', 'a sealed record does not open', error);

/**
 * Seals bytes (AES-256-GCM: iv | ciphertext | tag) under a key of 32 bytes that is derived from another party's secret
 * and is not stored. `context` is authenticated: opening with another one fails.
 */
export function sealUnder(key: Uint8Array, plaintext: Uint8Array, context: string, random: RandomBytes): Buffer {
  return encrypt(key, random(IV_BYTES), plaintext, context);
}

/** Opens what {@link sealUnder} sealed. Throws `seal_broken` under another key, in another context, or when it was changed. */
export function openUnder(key: Uint8Array, sealed: Uint8Array, context: string): Buffer {
  if (sealed.byteLength < IV_BYTES + TAG_BYTES) throw broken(undefined);
  try {
    return decrypt(key, sealed, context);
  } catch (error) {
    throw broken(error);
  }
}

function sealingKey(key: Uint8Array): SealingKey {
  if (key.byteLength !== KEY_BYTES) throw new RangeError('a sealing key has 32 bytes');
  return { id: sha256(Buffer.concat([Buffer.from('vestibule sealing key\0'), key])).subarray(0, KEY_ID_BYTES), key };
}

/**
 * Tells keys apart without being secret: 16 hexadecimal digits that follow from the key, and that every record has which
 * is sealed under it. Throws a RangeError for a key that has not 32 bytes.
 */
export const sealingKeyMark = (key: Uint8Array): string => sealingKey(key).id.toString('hex');

function unwrap(keys: readonly SealingKey[], head: Uint8Array, context: string): Buffer {
  const keyId = Buffer.from(head.subarray(1, MARK_BYTES));
  const known = head.byteLength === CONTENT_START && head[0] === VERSION;
  const key = known ? keys.find((candidate) => candidate.id.equals(keyId)) : undefined;
  if (!key) throw new ProcessingFailure('seal_broken', 'no configured sealing key opens this record');
  try {
    return decrypt(key.key, head.subarray(MARK_BYTES), context);
  } catch (error) {
    throw broken(error);
  }
}

function openWith(keys: readonly SealingKey[], sealed: Uint8Array, context: string): Buffer {
  const dataKey = unwrap(keys, sealed.subarray(0, CONTENT_START), context);
  try {
    return decrypt(dataKey, sealed.subarray(CONTENT_START), context);
  } catch (error) {
    throw broken(error);
  }
}

/** Makes a sealer from 32-byte key-encryption keys: the first one seals, every one opens. */
export function createSealer(keys: readonly Uint8Array[], random: RandomBytes): Sealer {
  const all = keys.map(sealingKey);
  const [current] = all;
  if (!current) throw new RangeError('sealing needs at least one key');
  const currentMark = Buffer.concat([Buffer.of(VERSION), current.id]);
  const wrap = (dataKey: Uint8Array, context: string): Buffer =>
    Buffer.concat([currentMark, encrypt(current.key, random(IV_BYTES), dataKey, context)]);
  return {
    currentMark,
    seal(plaintext, context) {
      const dataKey = random(KEY_BYTES);
      const content = encrypt(dataKey, random(IV_BYTES), plaintext, context);
      return Buffer.concat([wrap(dataKey, context), content]);
    },
    open: (sealed, context) => openWith(all, sealed, context),
    rewrap: (head, context) => wrap(unwrap(all, head, context), context),
  };
}
