import { constantTimeEqual, hmacSha256 } from '@vestibule/crypto';
import { encodeBase64url } from '@vestibule/foundation';

/** An answer with credentials that a wallet may have received. */
export interface HandOver {
  readonly offerId: string;
  /** It was kept, and repeated for a wallet that asked again. */
  readonly isRepeated: boolean;
}

/** When the answers of an issued offer were first handed over, and when the wallet first said that it has them. */
export interface DeliveryTimes {
  readonly handedOverAt: Date | undefined;
  readonly repeatedAt: Date | undefined;
  readonly acceptedAt: Date | undefined;
}

/** What a backend sees of these times. */
export interface DeliveryView {
  readonly state: 'unconfirmed' | 'handed_over' | 'repeated' | 'accepted';
  readonly handed_over_at?: string;
  readonly repeated_at?: string;
  readonly accepted_at?: string;
}

const TAG_BYTES = 16;
const NAME = /^([A-Za-z0-9_-]{1,64})\.(first|again)\.([A-Za-z0-9_-]{22})$/;

function tag(key: Uint8Array, offerId: string, which: string): string {
  return encodeBase64url(hmacSha256(key, `vestibule hand-over\0${offerId}\0${which}`).subarray(0, TAG_BYTES));
}

/** Names an answer for the gateway. The name cannot be forged, not even with the name of another answer. */
export function nameHandOver(key: Uint8Array, { offerId, isRepeated }: HandOver): string {
  const which = isRepeated ? 'again' : 'first';
  return `${offerId}.${which}.${tag(key, offerId, which)}`;
}

/** The answer that was named with one of the keys; undefined for any other string. */
export function readHandOver(name: string, keys: readonly Uint8Array[]): HandOver | undefined {
  const [, offerId, which, received] = NAME.exec(name) ?? [];
  if (offerId === undefined || which === undefined || received === undefined) return undefined;
  const isOurs = keys.some((key) => constantTimeEqual(tag(key, offerId, which), received));
  return isOurs ? { offerId, isRepeated: which === 'again' } : undefined;
}

function stateOf({ handedOverAt, repeatedAt, acceptedAt }: DeliveryTimes): DeliveryView['state'] {
  if (acceptedAt) return 'accepted';
  if (repeatedAt) return 'repeated';
  return handedOverAt ? 'handed_over' : 'unconfirmed';
}

/** These times for a backend, with the state that the most certain of them proves. */
export function viewDelivery(times: DeliveryTimes): DeliveryView {
  const { handedOverAt, repeatedAt, acceptedAt } = times;
  return {
    state: stateOf(times),
    ...(handedOverAt ? { handed_over_at: handedOverAt.toISOString() } : {}),
    ...(repeatedAt ? { repeated_at: repeatedAt.toISOString() } : {}),
    ...(acceptedAt ? { accepted_at: acceptedAt.toISOString() } : {}),
  };
}
