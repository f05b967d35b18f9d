import type { NotificationEvent } from '@vestibule/oid4vci';
import type { Deferral } from '../../domain/credential-offer';
import { viewDelivery } from '../../domain/hand-over';
import type { OfferView, StoredOffer } from '../../domain/stored-offer';

/** The columns of {@link ViewRow}: nothing that is sealed. */
export const VIEW_COLUMNS = `configuration_id, status, created_at, expires_at, finished_at, shortened_to, deferral, notification_event,
    notified_at, handed_over_at, repeated_at, accepted_at`;

/** What a backend may see of an offer, as its row has it. */
export interface ViewRow {
  readonly configuration_id: string;
  readonly shortened_to: Date | null;
  readonly status: OfferView['status'];
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly finished_at: Date | null;
  readonly deferral: Deferral | null;
  readonly notification_event: NotificationEvent | null;
  readonly notified_at: Date | null;
  readonly handed_over_at: Date | null;
  readonly repeated_at: Date | null;
  readonly accepted_at: Date | null;
}

/** An offer that has ended waits for no claims, and its status says how it ended. */
function deferralView({ deferral, status }: ViewRow): Pick<OfferView, 'deferral'> {
  const isOver = deferral === 'waiting' && status !== 'OFFER_CREATED';
  return deferral && !isOver ? { deferral } : {};
}

function notificationView({ notification_event: event, notified_at: at }: ViewRow): Pick<OfferView, 'notification'> {
  return event && at ? { notification: { event, received_at: at.toISOString() } } : {};
}

function deliveryView(row: ViewRow): Pick<OfferView, 'delivery'> {
  if (row.status !== 'ISSUED') return {};
  const { handed_over_at: handedOver, repeated_at: repeated, accepted_at: accepted } = row;
  // Older programs record the notification alone.
  const notified = row.notification_event === 'credential_accepted' ? row.notified_at : null;
  const times = {
    handedOverAt: handedOver ?? undefined,
    repeatedAt: repeated ?? undefined,
    acceptedAt: accepted ?? notified ?? undefined,
  };
  return { delivery: viewDelivery(times) };
}

/** The offer of a row. */
export function storedOffer(offerId: string, row: ViewRow): StoredOffer {
  const view = {
    offer_id: offerId,
    status: row.status,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    ...(row.finished_at ? { finished_at: row.finished_at.toISOString() } : {}),
    ...deferralView(row),
    ...deliveryView(row),
    ...notificationView(row),
  };
  return { configurationId: row.configuration_id, view, shortenedTo: row.shortened_to ?? undefined };
}
