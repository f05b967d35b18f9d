import { createTimedId, parseTimedId, sha256 } from '@vestibule/crypto';
import { decodeBase64url, type RandomBytes } from '@vestibule/foundation';

/*
 * The id of an event: 4 bytes of time and 20 random ones and, if the event is for one receiver alone, 16 bytes of a hash of
 * its URL. The payload is sealed under the id, so that neither can be changed without the other; `url` of a row can.
 */
const RECEIVER_BYTES = 16;
const TIMED_BYTES = 24;

const hashOf = (url: string | null) => sha256(`vestibule receiver\0${url ?? ''}`).subarray(0, RECEIVER_BYTES);

/** A new id; `receiver` is the only URL that may get the event, null the configured one, undefined any that its row names. */
export function createEventId(now: Date, random: RandomBytes, receiver: string | null | undefined): Buffer {
  const timed = Buffer.from(parseTimedId(createTimedId(now, random)) as Uint8Array);
  return receiver === undefined ? timed : Buffer.concat([timed, hashOf(receiver)]);
}

/** The bytes of an id that an operator names; undefined for any other text. */
export function parseEventId(text: string): Buffer | undefined {
  const bytes = decodeBase64url(text);
  const isId = bytes?.byteLength === TIMED_BYTES || bytes?.byteLength === TIMED_BYTES + RECEIVER_BYTES;
  return isId ? Buffer.from(bytes) : undefined;
}

/** May the event with this id be posted to the URL in its row, null for the configured receiver? */
export function mayReceive(id: Uint8Array, url: string | null): boolean {
  return id.byteLength <= TIMED_BYTES || hashOf(url).equals(id.subarray(TIMED_BYTES));
}
