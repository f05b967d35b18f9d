import { DomainError, type Clock, type JsonObject } from '@vestibule/foundation';
import { buildCredentialOffer, type NotificationEvent } from '@vestibule/oid4vci';
import { shortenedValidity } from '@vestibule/sd-jwt-vc';
import type { Deferral, IssuableType, OpenOffer } from '../domain/credential-offer';
import { offerNotFound } from './offer-refusals';

/** What a backend may see of an offer. */
export interface OfferView {
  readonly offer_id: string;
  readonly status: 'OFFER_CREATED' | 'ISSUED' | 'FAILED' | 'EXPIRED';
  readonly created_at: string;
  readonly expires_at: string;
  readonly finished_at?: string;
  readonly deferral?: Deferral;
  /** What the wallet last said about its credentials. */
  readonly notification?: { readonly event: NotificationEvent; readonly received_at: string };
  /** When the credentials end, where the issuer's certificates end before the validity of their type. */
  readonly validity_shortened_to?: string;
}

/** An offer as it is stored, of which a backend may see `view`. */
export interface StoredOffer {
  readonly configurationId: string;
  readonly view: OfferView;
  /** Of an issued offer whose credentials end with the issuer's chain: when. */
  readonly shortenedTo: Date | undefined;
}

export interface ViewOfferDeps {
  readonly clock: Clock;
  readonly types: ReadonlyMap<string, IssuableType>;
  /** The first end in the chain that signs credentials now. */
  readonly chainEndsAt: () => Date;
  readonly findView: (offerId: string) => Promise<StoredOffer | undefined>;
}

/** For an open offer: what a wallet would get that came now. */
function shortenedTo(
  deps: ViewOfferDeps,
  { configurationId, view, shortenedTo: stored }: StoredOffer,
): Date | undefined {
  const validitySeconds = deps.types.get(configurationId)?.validitySeconds;
  if (view.status !== 'OFFER_CREATED' || validitySeconds === undefined) return stored;
  return shortenedValidity({ now: deps.clock(), validitySeconds, chainEndsAt: deps.chainEndsAt() });
}

/** What a backend may see of an offer: status and times, never claims. Throws `credential_offer_not_found`. */
export async function viewOffer(deps: ViewOfferDeps, offerId: string): Promise<OfferView> {
  const offer = await deps.findView(offerId);
  if (!offer) throw offerNotFound();
  const end = shortenedTo(deps, offer);
  return { ...offer.view, ...(end ? { validity_shortened_to: end.toISOString() } : {}) };
}

/** A backend looks at an offer. Throws `credential_offer_not_found`. */
export const getCredentialOffer =
  (deps: ViewOfferDeps) =>
  async (input: { readonly offerId: string }): Promise<OfferView> =>
    viewOffer(deps, input.offerId);

export interface GetOfferObjectDeps {
  readonly clock: Clock;
  readonly issuerUrl: string;
  readonly findOpen: (offerId: string, now: Date) => Promise<OpenOffer | undefined>;
}

/**
 * A wallet, or a link previewer, fetches the offer object (OpenID4VCI 1.0 §4.1.3): changes nothing, may be repeated and
 * says nothing about claims. Throws `offer_not_found` for an unknown, ended or expired offer.
 */
export const getOfferObject =
  (deps: GetOfferObjectDeps) =>
  async (input: { readonly offerId: string }): Promise<{ offer: JsonObject }> => {
    const offer = await deps.findOpen(input.offerId, deps.clock());
    if (!offer)
      throw new DomainError({ kind: 'not_found', code: 'offer_not_found', detail: 'unknown, ended or expired offer' });
    const { configurationId, preAuthorizedCode, txCode } = offer;
    const object = buildCredentialOffer({ issuerUrl: deps.issuerUrl, configurationId, preAuthorizedCode, txCode });
    return { offer: { ...object } as unknown as JsonObject };
  };
