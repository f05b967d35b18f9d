import type { IssuanceEvent } from '@vestibule/contracts';

/** The callback body of an offer: `eventId` is the offer's id, and with `status` it identifies the event. */
export function issuanceEvent(offerId: string, status: 'OFFER_CREATED' | 'ISSUED' | 'EXPIRED'): IssuanceEvent {
  return { eventId: offerId, status, offerId };
}

/** The callback body of an offer that cannot be issued any more, with the reason. */
export function failedEvent(offerId: string, errorDetails: string): IssuanceEvent {
  return { eventId: offerId, status: 'FAILED', offerId, errorDetails };
}
