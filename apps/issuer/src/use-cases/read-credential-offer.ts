import { DomainError, type Clock, type JsonObject } from '@vestibule/foundation';
import { buildCredentialOffer, type NotificationEvent } from '@vestibule/oid4vci';
import type { Deferral, OpenOffer } from '../domain/credential-offer';
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
}

export interface GetCredentialOfferDeps {
  readonly findView: (offerId: string) => Promise<OfferView | undefined>;
}

/** A backend looks at an offer: status and times, never claims. Throws `credential_offer_not_found`. */
export const getCredentialOffer =
  (deps: GetCredentialOfferDeps) =>
  async (input: { readonly offerId: string }): Promise<OfferView> => {
    const view = await deps.findView(input.offerId);
    if (view) return view;
    throw offerNotFound();
  };

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
