import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** SHA-256 of bytes, or of the UTF-8 of a text. */
export function sha256(input: Uint8Array | string): Buffer {
  return hash('sha256', input, 'buffer');
}

/** SHA-256, base64url without padding. */
export function sha256Base64url(input: Uint8Array | string): string {
  return hash('sha256', input, 'base64url');
}

/** HMAC-SHA-256 of bytes, or of the UTF-8 of a text. */
export function hmacSha256(key: Uint8Array, input: Uint8Array | string): Buffer {
  return createHmac('sha256', key).update(input).digest();
}

/** Compares in a time that depends on neither content nor length: both sides are hashed first. */
export function constantTimeEqual(left: Uint8Array | string, right: Uint8Array | string): boolean {
  return timingSafeEqual(sha256(left), sha256(right));
}

/** A key of 32 bytes for one purpose, derived from another key: it reveals nothing about that key. */
export function deriveKey(key: Uint8Array, purpose: string): Buffer {
  return hmacSha256(key, `vestibule derived key\0${purpose}`);
}
