import { createPublicKey, type KeyObject } from 'node:crypto';
import { rawSignature } from '@vestibule/crypto';
import { decodeBase64, decodeBase64url, ownMember, type JsonObject } from '@vestibule/foundation';
import { UnusableAnswer } from '../device';

/** A text member of a device's answer. */
export function textOf(answer: JsonObject, name: string): string {
  const value = ownMember(answer, name);
  if (typeof value === 'string' && value !== '') return value;
  throw new UnusableAnswer(`the answer of the device has no text ${name}`);
}

/** Bytes in base64, or base64url. */
export function bytesOf(text: string): Uint8Array {
  const bytes = decodeBase64(text) ?? decodeBase64url(text);
  if (bytes) return bytes;
  throw new UnusableAnswer('the answer of the device is not base64');
}

/** R and S of a DER signature. */
export function rawOf(der: Uint8Array): Uint8Array {
  const raw = rawSignature(der);
  if (raw) return raw;
  throw new UnusableAnswer('the answer of the device is not a DER signature on P-256');
}

/** A public key in PEM, in DER (SPKI) or as a JWK. */
export function publicKeyOf(read: () => KeyObject): KeyObject {
  try {
    return read();
  } catch (error) {
    throw new UnusableAnswer('the answer of the device is not a public key', { cause: error });
  }
}

export const spkiKey = (der: Uint8Array): KeyObject =>
  publicKeyOf(() => createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' }));

export const pemKey = (pem: string): KeyObject => publicKeyOf(() => createPublicKey(pem));
