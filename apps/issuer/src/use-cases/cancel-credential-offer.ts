import type { IssuanceEvent } from '@vestibule/contracts';
import type { Clock } from '@vestibule/foundation';
import { failedEvent } from '../domain/issuance-event';
import { offerEnded, offerNotFound } from './offer-refusals';

export interface CancelCredentialOfferDeps {
  readonly clock: Clock;
  /** One statement: ends the offer as FAILED with its event, if it is still open. */
  readonly cancel: (offerId: string, event: IssuanceEvent, now: Date) => Promise<'cancelled' | 'ended' | 'unknown'>;
}

/**
 * A backend withdraws an offer: it ends as FAILED, and what a wallet has of it is worth nothing any more.
 * Throws `credential_offer_not_found` and, after any end, `credential_offer_ended`.
 */
export const cancelCredentialOffer =
  (deps: CancelCredentialOfferDeps) =>
  async ({ offerId }: { readonly offerId: string }): Promise<Record<string, never>> => {
    const event = failedEvent(offerId, 'offer_cancelled: the backend cancelled the offer');
    const outcome = await deps.cancel(offerId, event, deps.clock());
    if (outcome === 'unknown') throw offerNotFound();
    if (outcome === 'ended') throw offerEnded();
    return {};
  };
