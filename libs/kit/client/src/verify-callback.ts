import { CallbackError } from './callback-error';
import { readEvent, type TypedEvent } from './events';
import { decodeBase64, parseKey, type VerificationKey } from './webhook-keys';

/** The headers as Node.js or a `Request` has them; names in any case. */
export type CallbackHeaders =
  { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How far the time of the attempt may be from now, in the past or the future; default 300. */
  readonly toleranceSeconds?: number | undefined;
  /** Default: the current time. */
  readonly now?: Date | undefined;
}

/** A genuine callback. Deliveries repeat: process each `id` once. */
export type VerifiedCallback = TypedEvent & {
  /** `webhook-id`: the same in every attempt to deliver the event. */
  readonly id: string;
  /** When this attempt was made. */
  readonly sentAt: Date;
};

const TOLERANCE_SECONDS = 300;
/** No dot: it separates the signed parts, so an id with one could move text from the body into the id. */
const ID = /^[A-Za-z0-9_-]{1,128}$/;
const TIMESTAMP = /^[1-9]\d{0,11}$/;
const LONGEST_SIGNATURES = 4096;

function readHeader(headers: CallbackHeaders, name: string): string {
  const value =
    typeof headers['get'] === 'function'
      ? (headers as { get(name: string): string | null }).get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const single = Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value;
  if (single === undefined || single === null || single === '')
    throw new CallbackError('header_missing', `${name} is missing`);
  if (typeof single !== 'string') throw new CallbackError('header_malformed', `${name} is there more than once`);
  return single;
}

function formed(headers: CallbackHeaders, name: string, form: RegExp): string {
  const value = readHeader(headers, name);
  if (form.test(value)) return value;
  throw new CallbackError('header_malformed', `${name} does not have the required form`);
}

function parseKeys(secrets: string | readonly string[]): VerificationKey[] {
  const texts = typeof secrets === 'string' ? [secrets] : [...secrets];
  if (texts.length === 0) throw new CallbackError('secret_missing', 'at least one secret or public key is required');
  return texts.map(parseKey);
}

function checkTime(timestamp: string, { toleranceSeconds = TOLERANCE_SECONDS, now = new Date() }: VerifyOptions): Date {
  const sentAt = new Date(Number(timestamp) * 1000);
  const distance = Math.abs(now.getTime() - sentAt.getTime()) / 1000;
  // Negated, so that a time that is not a number is refused.
  if (!(distance <= toleranceSeconds))
    throw new CallbackError('timestamp_out_of_tolerance', 'webhook-timestamp is too far from the current time');
  return sentAt;
}

/** Every signature is compared with every key of its scheme; unknown schemes are skipped. */
function isSigned(header: string, signed: Uint8Array, keys: readonly VerificationKey[]): boolean {
  if (header.length > LONGEST_SIGNATURES) return false;
  return header.split(' ').some((part) => {
    const [scheme, text = '', ...rest] = part.split(',');
    const signature = rest.length === 0 ? decodeBase64(text) : undefined;
    return signature !== undefined && keys.some((key) => key.scheme === scheme && key.verifies(signed, signature));
  });
}

function bytesOf(rawBody: Uint8Array | string): Uint8Array {
  if (typeof rawBody === 'string') return Buffer.from(rawBody, 'utf8');
  if (rawBody instanceof Uint8Array) return rawBody;
  throw new CallbackError('body_not_raw', 'pass the bytes of the body as they arrived, not the parsed JSON');
}

function parseBody(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch {
    throw new CallbackError('body_malformed', 'the body is not JSON');
  }
}

/**
 * Verifies the signature of a callback (Standard Webhooks: `v1` HMAC-SHA256, `v1a` Ed25519) and returns its event.
 *
 * `rawBody` is the body as it arrived. `secrets` are `whsec_…` secrets and `whpk_…` public keys; one that fits is
 * enough, so that both the old and the new one can be given during a rotation. Comparisons take constant time.
 *
 * @throws CallbackError: do not act on the callback, and respond with 400 or 401
 */
export function verifyCallback(
  rawBody: Uint8Array | string,
  headers: CallbackHeaders,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): VerifiedCallback {
  const body = bytesOf(rawBody);
  const keys = parseKeys(secrets);
  const id = formed(headers, 'webhook-id', ID);
  const timestamp = formed(headers, 'webhook-timestamp', TIMESTAMP);
  const signatures = readHeader(headers, 'webhook-signature');
  const sentAt = checkTime(timestamp, options);
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`, 'utf8'), body]);
  if (!isSigned(signatures, signed, keys))
    throw new CallbackError('signature_mismatch', 'no signature fits one of the secrets');
  return { id, sentAt, ...readEvent(parseBody(body)) };
}
