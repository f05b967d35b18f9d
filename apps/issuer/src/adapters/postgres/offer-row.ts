import { callbackParameters, type CommitEvents } from '@vestibule/callbacks';
import type { IssuanceEvent } from '@vestibule/contracts';
import { parseTimedId, type Sealer } from '@vestibule/crypto';
import type { JsonObject, RandomBytes } from '@vestibule/foundation';
import type { TxCodeRequest } from '@vestibule/oid4vci';
import type { Database } from '@vestibule/persistence';
import { SCHEMA } from './migrations';

/** The options that the stores of offers share. */
export interface OfferStoreOptions {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly random: RandomBytes;
  /** How long delivery of an event is attempted. */
  readonly callbackLifetimeSeconds: number;
  /** Commits events, and delivers them. */
  readonly commit: CommitEvents;
}

/** What is sealed with an open offer, and deleted when it ends. */
export interface Session {
  readonly claims: JsonObject;
  readonly preAuthorizedCode: string;
  readonly txCode?: TxCodeRequest;
  /** Only for an offer with a transaction code: the key of its digest, which does not depend on the sealing keys. */
  readonly txCodeKey?: string;
}

/** What the sealed session of an offer is bound to. */
export const sessionContext = (offerId: string) => `issuer.credential_offer.session/${offerId}`;

/** What the sealed keys of a deferred credential are bound to. */
export const transactionContext = (offerId: string) => `issuer.credential_offer.transaction_keys/${offerId}`;

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

export function openSession(sealer: Sealer, offerId: string, sealed: Buffer): Session {
  return JSON.parse(sealer.open(sealed, sessionContext(offerId)).toString('utf8')) as Session;
}

export function sealSession(sealer: Sealer, offerId: string, session: Session): Buffer {
  return sealer.seal(Buffer.from(JSON.stringify(session), 'utf8'), sessionContext(offerId));
}
