import { DomainError, type Clock, type JsonObject } from '@vestibule/foundation';
import { buildCredentialOffer } from '@vestibule/oid4vci';
import { shortenedValidity } from '@vestibule/sd-jwt-vc';
import type { IssuableType } from '../domain/credential-offer';
import type { CredentialOffers, OfferList, SigningKeys } from '../domain/ports';
import type { OfferView, StoredOffer } from '../domain/stored-offer';
import { offerNotFound } from './offer-refusals';

interface ViewDeps {
  readonly clock: Clock;
  readonly types: ReadonlyMap<string, IssuableType>;
  readonly chainEndsAt: SigningKeys['chainEndsAt'];
}

export interface GetCredentialOfferDeps extends ViewDeps {
  readonly findView: CredentialOffers['findView'];
}

/** For an open offer: the end of a credential issued now. */
function shortenedTo(deps: ViewDeps, { configurationId, view, shortenedTo: stored }: StoredOffer): Date | undefined {
  const validitySeconds = deps.types.get(configurationId)?.validitySeconds;
  if (view.status !== 'OFFER_CREATED' || validitySeconds === undefined) return stored;
  return shortenedValidity({ now: deps.clock(), validitySeconds, chainEndsAt: deps.chainEndsAt() });
}

function viewOf(deps: ViewDeps, offer: StoredOffer): OfferView {
  const end = shortenedTo(deps, offer);
  return { ...offer.view, ...(end ? { validity_shortened_to: end.toISOString() } : {}) };
}

/** Returns an offer to a backend: status and times, never claims. Throws `credential_offer_not_found`. */
export function getCredentialOffer(deps: GetCredentialOfferDeps) {
  return async function getCredentialOffer({ offerId }: { readonly offerId: string }): Promise<OfferView> {
    const offer = await deps.findView(offerId);
    if (!offer) throw offerNotFound();
    return viewOf(deps, offer);
  };
}

export interface ListCredentialOffersDeps extends ViewDeps {
  readonly findPage: OfferList;
}

/** Lists offers to a backend, newest first: status and times, never claims. Throws `invalid_request`. */
export function listCredentialOffers(deps: ListCredentialOffersDeps) {
  return async function listCredentialOffers(question: Parameters<OfferList>[0]): Promise<ListedOffers> {
    const { offers, ...page } = await deps.findPage(question);
    return { items: offers.map((offer) => viewOf(deps, offer)), ...page };
  };
}

interface ListedOffers {
  readonly items: OfferView[];
  readonly nextCursor?: string;
}

export type GetCredentialOffer = ReturnType<typeof getCredentialOffer>;

export interface GetOfferObjectDeps {
  readonly clock: Clock;
  readonly issuerUrl: string;
  readonly findOpen: CredentialOffers['findOpen'];
}

/**
 * A wallet, or a link previewer, fetches the offer object (OpenID4VCI 1.0 §4.1.3): this changes nothing, may be
 * repeated and reveals no claims. Throws `offer_not_found` for an unknown, ended or expired offer.
 */
export function getOfferObject(deps: GetOfferObjectDeps) {
  return async function getOfferObject(input: { readonly offerId: string }): Promise<{ offer: JsonObject }> {
    const offer = await deps.findOpen(input.offerId, deps.clock());
    if (!offer)
      throw new DomainError({ kind: 'not_found', code: 'offer_not_found', detail: 'unknown, ended or expired offer' });
    const { configurationId, preAuthorizedCode, txCode } = offer;
    const object = buildCredentialOffer({ issuerUrl: deps.issuerUrl, configurationId, preAuthorizedCode, txCode });
    return { offer: { ...object } as unknown as JsonObject };
  };
}
