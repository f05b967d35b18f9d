import { constantTimeEqual, hmacSha256 } from '@vestibule/crypto';
import {
  decodeBase64url,
  encodeBase64url,
  givenMember,
  isJsonObject,
  ownMember,
  type RandomBytes,
} from '@vestibule/foundation';
import { OAuthError, type RefusalReason } from '@vestibule/oauth';

/** What a wallet can tell about credentials that it got (OpenID4VCI 1.0 §11.1). */
const NOTIFICATION_EVENTS = ['credential_accepted', 'credential_failure', 'credential_deleted'] as const;
export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number];

/** A well-formed notification; its id is not verified. */
export interface Notification {
  readonly notificationId: string;
  readonly event: NotificationEvent;
}

const RANDOM_BYTES = 16;
const TAG_BYTES = 16;
const MAX_ID_LENGTH = 128;

const refuse = (reason: RefusalReason) => new OAuthError('invalid_notification_request', reason);

/** Parses the body of a notification; unknown members are ignored. Throws `invalid_notification_request`. */
export function parseNotification(body: unknown): Notification {
  if (!isJsonObject(body)) throw refuse('body_not_an_object');
  const notificationId = ownMember(body, 'notification_id');
  const named = ownMember(body, 'event');
  const description = givenMember(body, 'event_description');
  if (typeof notificationId !== 'string') throw refuse('notification_id_missing');
  const event = NOTIFICATION_EVENTS.find((known) => known === named);
  if (event === undefined) throw refuse('notification_event_unknown');
  // Its text is untrusted and is not stored.
  if (description !== undefined && typeof description !== 'string') throw refuse('notification_description_malformed');
  return { notificationId, event };
}

function tag(key: Uint8Array, offerId: string, nonce: Uint8Array): Buffer {
  const input = Buffer.concat([Buffer.from(`vestibule notification\0${offerId}\0`, 'ascii'), nonce]);
  return hmacSha256(key, input).subarray(0, TAG_BYTES);
}

/** A `notification_id` for one answer with credentials of an offer: unguessable, and nothing has to be stored for it. */
export function createNotificationId(key: Uint8Array, offerId: string, random: RandomBytes): string {
  const nonce = random(RANDOM_BYTES);
  return encodeBase64url(Buffer.concat([nonce, tag(key, offerId, nonce)]));
}

/** True for a `notification_id` that was made for this offer with one of the keys. */
export function isNotificationId(text: string, offerId: string, keys: readonly Uint8Array[]): boolean {
  const bytes = text.length > MAX_ID_LENGTH ? undefined : decodeBase64url(text);
  if (bytes?.byteLength !== RANDOM_BYTES + TAG_BYTES) return false;
  const [nonce, received] = [bytes.subarray(0, RANDOM_BYTES), bytes.subarray(RANDOM_BYTES)];
  return keys.some((key) => constantTimeEqual(tag(key, offerId, nonce), received));
}
