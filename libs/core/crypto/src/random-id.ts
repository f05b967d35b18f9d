import { decodeBase64url, encodeBase64url, type RandomBytes } from '@vestibule/foundation';

const TIME_BYTES = 4;
const RANDOM_BYTES = 20;
const TIMED_ID_BYTES = TIME_BYTES + RANDOM_BYTES;

/**
 * An unguessable identifier for a row: 4 bytes of time in seconds, then 160 random bits, 32 characters of base64url.
 * The time in front keeps new rows together in an index; it tells no more than when the row was made.
 */
export function createTimedId(now: Date, random: RandomBytes): string {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeUInt32BE(Math.floor(now.getTime() / 1000));
  return encodeBase64url(Buffer.concat([time, random(RANDOM_BYTES)]));
}

/** The 24 bytes of an identifier made by {@link createTimedId}, or undefined when the text cannot be one. */
export function parseTimedId(text: string): Uint8Array | undefined {
  const bytes = decodeBase64url(text);
  return bytes?.byteLength === TIMED_ID_BYTES ? bytes : undefined;
}

/** A secret of 256 random bits as 43 characters of base64url: nonces, codes and tokens. */
export function createSecret(random: RandomBytes): string {
  return encodeBase64url(random(32));
}
