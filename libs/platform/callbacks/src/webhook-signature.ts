import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { type CallbackKey } from '@vestibule/contracts';
import { hmacSha256 } from '@vestibule/crypto';
import { decodeBase64, encodeBase64 } from '@vestibule/foundation';

const SECRET_PREFIX = 'whsec_';
const SHORTEST_SECRET = 24;
const LONGEST_SECRET = 64;

const PRIVATE_PREFIX = 'whsk_';
const PUBLIC_PREFIX = 'whpk_';
const SEED_BYTES = 32;
/** The bytes before the 32 bytes of an Ed25519 seed in PKCS#8 (RFC 8410 §7). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * A key that signs callbacks: a secret shared with the receiver (`v1`), or a private key that the receiver need not
 * know (`v1a`).
 */
export type WebhookKey =
  | { readonly scheme: 'v1'; readonly secret: Uint8Array }
  | {
      readonly scheme: 'v1a';
      readonly privateKey: KeyObject;
      /** `whpk_<base64>`: the key with which receivers verify. */
      readonly publicKey: string;
    };

function sharedKey(secret: Uint8Array | undefined): WebhookKey | undefined {
  const fits = secret && secret.byteLength >= SHORTEST_SECRET && secret.byteLength <= LONGEST_SECRET;
  return fits ? { scheme: 'v1', secret } : undefined;
}

/** `bytes` are the seed, or the seed followed by its public key. */
function privateKeyOf(bytes: Uint8Array | undefined): WebhookKey | undefined {
  if (bytes?.byteLength !== SEED_BYTES && bytes?.byteLength !== 2 * SEED_BYTES) return undefined;
  const der = Buffer.concat([PKCS8_HEAD, bytes.subarray(0, SEED_BYTES)]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  const publicBytes = spki.subarray(-SEED_BYTES);
  const claimed = bytes.subarray(SEED_BYTES);
  if (claimed.byteLength > 0 && !publicBytes.equals(claimed)) return undefined;
  return { scheme: 'v1a', privateKey, publicKey: `${PUBLIC_PREFIX}${encodeBase64(publicBytes)}` };
}

/**
 * Parses a key, or returns undefined for any other string (Standard Webhooks, "Signature scheme"): `whsec_<base64>`
 * with 24 to 64 bytes, or `whsk_<base64>` with an Ed25519 seed of 32 bytes, alone or followed by its public key.
 */
export function parseWebhookKey(text: string): WebhookKey | undefined {
  if (text.startsWith(SECRET_PREFIX)) return sharedKey(decodeBase64(text.slice(SECRET_PREFIX.length)));
  if (text.startsWith(PRIVATE_PREFIX)) return privateKeyOf(decodeBase64(text.slice(PRIVATE_PREFIX.length)));
  return undefined;
}

/** What a receiver may know of a key: its scheme, and of an Ed25519 key the public part. Never a secret. */
export function describeWebhookKey(key: WebhookKey): CallbackKey {
  return key.scheme === 'v1' ? { scheme: 'v1' } : { scheme: 'v1a', public_key: key.publicKey };
}

export interface WebhookMessage {
  /** `webhook-id`: the same for each attempt. */
  readonly id: string;
  readonly sentAt: Date;
  readonly body: Uint8Array;
}

function signature(key: WebhookKey, signed: Uint8Array): string {
  const bytes = key.scheme === 'v1' ? hmacSha256(key.secret, signed) : sign(null, signed, key.privateKey);
  return `${key.scheme},${encodeBase64(bytes)}`;
}

/**
 * The headers of Standard Webhooks with one signature per key, so that a receiver may have the old or the new one
 * during a rotation. No headers without a key.
 */
export function webhookHeaders(message: WebhookMessage, keys: readonly WebhookKey[]): Record<string, string> {
  if (keys.length === 0) return {};
  const timestamp = String(Math.floor(message.sentAt.getTime() / 1000));
  const signed = Buffer.concat([Buffer.from(`${message.id}.${timestamp}.`, 'utf8'), message.body]);
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys.map((key) => signature(key, signed)).join(' '),
  };
}
