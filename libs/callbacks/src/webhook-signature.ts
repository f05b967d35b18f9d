import { hmacSha256 } from '@vestibule/crypto';
import { decodeBase64, encodeBase64 } from '@vestibule/foundation';

const PREFIX = 'whsec_';
const SHORTEST_SECRET = 24;
const LONGEST_SECRET = 64;

/** The key of `whsec_<base64>`, 24 to 64 bytes, or undefined when the text is no secret (Standard Webhooks, "Signature scheme"). */
export function parseWebhookSecret(text: string): Uint8Array | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  const key = decodeBase64(text.slice(PREFIX.length));
  return key && key.byteLength >= SHORTEST_SECRET && key.byteLength <= LONGEST_SECRET ? key : undefined;
}

export interface WebhookMessage {
  /** `webhook-id`: the same for each attempt. */
  readonly id: string;
  readonly sentAt: Date;
  readonly body: Uint8Array;
}

/**
 * The headers of Standard Webhooks with one `v1` signature for each secret, so that a receiver may hold the old or the
 * new one during a rotation. No headers without a secret.
 */
export function webhookHeaders(message: WebhookMessage, secrets: readonly Uint8Array[]): Record<string, string> {
  if (secrets.length === 0) return {};
  const timestamp = String(Math.floor(message.sentAt.getTime() / 1000));
  const signed = Buffer.concat([Buffer.from(`${message.id}.${timestamp}.`, 'utf8'), message.body]);
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${encodeBase64(hmacSha256(secret, signed))}`).join(' '),
  };
}
