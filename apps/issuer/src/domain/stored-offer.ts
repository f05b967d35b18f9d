import type { NotificationEvent } from '@vestibule/oid4vci';
import type { Deferral } from './credential-offer';
import type { DeliveryView } from './hand-over';

/** What a backend may see of an offer. */
export interface OfferView {
  readonly offer_id: string;
  readonly status: 'OFFER_CREATED' | 'ISSUED' | 'FAILED' | 'EXPIRED';
  readonly created_at: string;
  readonly expires_at: string;
  readonly finished_at?: string;
  readonly deferral?: Deferral;
  /** Only for an issued offer. */
  readonly delivery?: DeliveryView;
  /** What the wallet last reported about its credentials. */
  readonly notification?: { readonly event: NotificationEvent; readonly received_at: string };
  /** When the credentials expire, if the issuer's certificates end before the validity of their type. */
  readonly validity_shortened_to?: string;
}

/** A stored offer, of which a backend may see `view`. */
export interface StoredOffer {
  readonly configurationId: string;
  readonly view: OfferView;
  /** When the credentials of an issued offer expire, if the issuer's chain shortened their validity. */
  readonly shortenedTo: Date | undefined;
}

/** What must be known about an offer before it is changed. */
export interface ChangeableOffer {
  readonly configurationId: string;
  readonly isOpen: boolean;
  readonly isDeferred: boolean;
}
