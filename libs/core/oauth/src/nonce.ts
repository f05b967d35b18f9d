import { constantTimeEqual, hmacSha256, sha256 } from '@vestibule/crypto';
import { decodeBase64url, encodeBase64url, toNumericDate, type RandomBytes } from '@vestibule/foundation';

/** What a nonce is for; one made for one purpose is invalid for another. */
export type NoncePurpose = 'c_nonce' | 'dpop_nonce' | 'attestation_challenge';

export interface NonceSource {
  /** At least 32 secret bytes. */
  readonly key: Uint8Array;
  readonly purpose: NoncePurpose;
  readonly now: Date;
  readonly random: RandomBytes;
}

export interface NonceExpectation {
  /** Every key whose nonces are still good: the current one and, during a rotation, the one before. */
  readonly keys: readonly Uint8Array[];
  readonly purpose: NoncePurpose;
  readonly now: Date;
  readonly lifetimeSeconds: number;
}

/** A nonce of this server. If it is for single use, its digest must not be accepted again until `expiresAt`. */
export interface VerifiedNonce {
  readonly digest: Uint8Array;
  readonly expiresAt: Date;
}

const TIME_BYTES = 4;
const RANDOM_BYTES = 16;
const TAG_BYTES = 16;
const MIN_KEY_BYTES = 32;
/** Replicas' clocks may differ by this much. */
const MAX_AHEAD_SECONDS = 60;

function tag(key: Uint8Array, purpose: NoncePurpose, content: Uint8Array): Buffer {
  if (key.byteLength < MIN_KEY_BYTES) throw new RangeError('a nonce key has at least 32 bytes');
  const input = Buffer.concat([Buffer.from(`vestibule nonce\0${purpose}\0`, 'ascii'), content]);
  return hmacSha256(key, input).subarray(0, TAG_BYTES);
}

/**
 * Makes a nonce that needs no storage: time, 128 random bits and a MAC over both and the purpose, 48 characters of
 * base64url (OpenID4VCI 1.0 §7.2, RFC 9449 §8.1).
 */
export function createNonce({ key, purpose, now, random }: NonceSource): string {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeUInt32BE(toNumericDate(now));
  const content = Buffer.concat([time, random(RANDOM_BYTES)]);
  return encodeBase64url(Buffer.concat([content, tag(key, purpose, content)]));
}

/** Recognises a nonce made by {@link createNonce} for the same purpose that has not expired; undefined for all else. */
export function verifyNonce(nonce: string, expected: NonceExpectation): VerifiedNonce | undefined {
  const bytes = nonce.length > 64 ? undefined : decodeBase64url(nonce);
  if (bytes?.byteLength !== TIME_BYTES + RANDOM_BYTES + TAG_BYTES) return undefined;
  const content = bytes.subarray(0, TIME_BYTES + RANDOM_BYTES);
  const received = bytes.subarray(TIME_BYTES + RANDOM_BYTES);
  const genuine = expected.keys.some((key) => constantTimeEqual(tag(key, expected.purpose, content), received));
  const issuedAtSeconds = Buffer.from(content).readUInt32BE(0);
  const age = toNumericDate(expected.now) - issuedAtSeconds;
  if (!genuine || age < -MAX_AHEAD_SECONDS || age > expected.lifetimeSeconds) return undefined;
  // A replica whose clock is ahead must not forget a used nonce while another one still accepts it.
  const rememberedSeconds = expected.lifetimeSeconds + MAX_AHEAD_SECONDS + 1;
  return { digest: sha256(bytes), expiresAt: new Date((issuedAtSeconds + rememberedSeconds) * 1000) };
}
