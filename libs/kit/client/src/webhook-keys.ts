import { createHmac, createPublicKey, timingSafeEqual, verify, type KeyObject } from 'node:crypto';
import { CallbackError } from './callback-error';

const SECRET_PREFIX = 'whsec_';
const PUBLIC_PREFIX = 'whpk_';
const SHORTEST_SECRET = 24;
const LONGEST_SECRET = 64;
const PUBLIC_BYTES = 32;
/** The bytes before the 32 bytes of an Ed25519 public key in SubjectPublicKeyInfo (RFC 8410 §4). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

/** A key that verifies signatures of one scheme. */
export interface VerificationKey {
  readonly scheme: 'v1' | 'v1a';
  verifies(signed: Uint8Array, signature: Uint8Array): boolean;
}

/** The bytes of padded or unpadded base64; undefined for any other text. */
export function decodeBase64(text: string): Buffer | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '') ? bytes : undefined;
}

const sharedKey = (secret: Uint8Array): VerificationKey => ({
  scheme: 'v1',
  verifies(signed, signature) {
    const expected = createHmac('sha256', secret).update(signed).digest();
    return signature.byteLength === expected.byteLength && timingSafeEqual(signature, expected);
  },
});

const publicKey = (key: KeyObject): VerificationKey => ({
  scheme: 'v1a',
  verifies: (signed, signature) => verify(null, signed, key, signature),
});

/**
 * Parses `whsec_<base64>`, a secret of 24 to 64 bytes for `v1`, or `whpk_<base64>`, an Ed25519 public key for `v1a`.
 *
 * @throws CallbackError `secret_invalid` for anything else; the message does not contain it
 */
export function parseKey(text: string): VerificationKey {
  if (text.startsWith(SECRET_PREFIX)) {
    const secret = decodeBase64(text.slice(SECRET_PREFIX.length));
    if (secret && secret.byteLength >= SHORTEST_SECRET && secret.byteLength <= LONGEST_SECRET) return sharedKey(secret);
  }
  if (text.startsWith(PUBLIC_PREFIX)) {
    const bytes = decodeBase64(text.slice(PUBLIC_PREFIX.length));
    if (bytes?.byteLength === PUBLIC_BYTES)
      return publicKey(createPublicKey({ key: Buffer.concat([SPKI_HEAD, bytes]), format: 'der', type: 'spki' }));
  }
  const reason = 'a secret must be whsec_<base64> with 24 to 64 bytes, or whpk_<base64> with 32 bytes';
  throw new CallbackError('secret_invalid', reason);
}
