import type { Clock } from '@vestibule/foundation';
import { failedEvent } from '../domain/issuance-event';
import type { OfferChanges } from '../domain/ports';
import { offerEnded, offerNotFound } from './offer-refusals';

export interface CancelCredentialOfferDeps {
  readonly clock: Clock;
  readonly cancel: OfferChanges['cancel'];
}

/**
 * A backend withdraws an offer: it ends as FAILED, and a wallet's code or token for it becomes useless. Throws
 * `credential_offer_not_found` and, after any end, `credential_offer_ended`.
 */
export function cancelCredentialOffer(deps: CancelCredentialOfferDeps) {
  return async function cancelCredentialOffer(input: { readonly offerId: string }): Promise<Record<string, never>> {
    const { offerId } = input;
    const event = failedEvent(offerId, 'offer_cancelled', 'the backend cancelled the offer');
    const outcome = await deps.cancel(offerId, event, deps.clock());
    if (outcome === 'unknown') throw offerNotFound();
    if (outcome === 'ended') throw offerEnded();
    return {};
  };
}
