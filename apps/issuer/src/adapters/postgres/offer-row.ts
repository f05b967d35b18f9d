import { callbackParameters, type CommitEvents } from '@vestibule/callbacks';
import type { IssuanceEvent } from '@vestibule/contracts';
import { parseTimedId, type Sealer } from '@vestibule/crypto';
import type { RandomBytes } from '@vestibule/foundation';
import type { Database } from '@vestibule/persistence';
import type { OlderReplicas } from '../../domain/older-replicas';
import { SCHEMA } from './migrations';

/** The options that the stores of offers share. */
export interface OfferStoreOptions {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly random: RandomBytes;
  /** Learns of each offer that one of them has made. */
  readonly olderReplicas: OlderReplicas;
  /** How long delivery of an event is attempted. */
  readonly callbackLifetimeSeconds: number;
  /** Commits events, and delivers them. */
  readonly commit: CommitEvents;
}

/** What the sealed keys of a deferred credential are bound to. */
export const transactionContext = (offerId: string) => `issuer.credential_offer.transaction_keys/${offerId}`;

/** What the sealed status of the wallet of an offer is bound to. */
export const walletContext = (offerId: string) => `issuer.credential_offer.wallet_status/${offerId}`;

/** The key of an offer's row; undefined for a string that is not an id. */
export function keyOf(offerId: string): Buffer | undefined {
  const bytes = parseTimedId(offerId);
  return bytes && Buffer.from(bytes);
}

/** The event of an offer for the outbox. */
export const eventOf = (offerId: string, event: IssuanceEvent) => ({
  subject: offerId,
  body: JSON.stringify(event),
  status: event.status,
  errorDetails: 'errorDetails' in event ? event.errorDetails : undefined,
});

/** How the events of a change at `now` are queued. */
export function enqueueingAt(now: Date, { sealer, random, callbackLifetimeSeconds }: OfferStoreOptions) {
  return { schema: SCHEMA, sealer, random, now, expiresInSeconds: callbackLifetimeSeconds };
}

/** The parameters of a statement that queues the event of an offer. */
export function eventParameters(offerId: string, event: IssuanceEvent, now: Date, options: OfferStoreOptions) {
  return callbackParameters(eventOf(offerId, event), enqueueingAt(now, options));
}
