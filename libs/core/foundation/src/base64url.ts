const BASE64URL = /^[A-Za-z0-9_-]*$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Base64url without padding (RFC 4648 §5, RFC 7515 §2). */
export function encodeBase64url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url');
}

/** True for text that is base64url without padding and of a length that some byte string encodes to. */
export function isBase64url(text: string): boolean {
  return text.length % 4 !== 1 && BASE64URL.test(text);
}

/**
 * The bytes of unpadded base64url, or undefined when the text has any other character, padding, an impossible length
 * or bits set beyond the last byte: every byte string has exactly one accepted spelling.
 */
export function decodeBase64url(text: string): Uint8Array | undefined {
  if (!isBase64url(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

/** Base64 with padding (RFC 4648 §4), as `x5c` and `credentialsRaw.claims` use it. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** The bytes of padded standard base64, or undefined for every other spelling (base64url, PEM, white space). */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (!BASE64.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
