import type { IssuanceEvent } from '@vestibule/contracts';
import type { ErrorCode } from '@vestibule/foundation';

/** The callback body of an offer: `eventId` is the offer's id, and with `status` it identifies the event. */
export function issuanceEvent(offerId: string, status: 'OFFER_CREATED' | 'ISSUED' | 'EXPIRED'): IssuanceEvent {
  return { eventId: offerId, status, offerId };
}

/** The callback body of an offer that can no longer be issued, with the reason. */
export function failedEvent(offerId: string, code: ErrorCode, detail: string): IssuanceEvent {
  return { eventId: offerId, status: 'FAILED', offerId, errorDetails: `${code}: ${detail}` };
}
