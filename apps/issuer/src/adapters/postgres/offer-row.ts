import type { IssuanceEvent } from '@vestibule/contracts';
import { parseTimedId } from '@vestibule/crypto';
import type { JsonObject } from '@vestibule/foundation';
import type { TxCodeRequest } from '@vestibule/oid4vci';

/** What is sealed with an open offer, and gone with its end. */
export interface Session {
  readonly claims: JsonObject;
  readonly preAuthorizedCode: string;
  readonly txCode?: TxCodeRequest;
  /** Of an offer with a transaction code: its digest is made under this key, which no rotation of sealing keys touches. */
  readonly txCodeKey?: string;
}

/** What the sealed session of an offer is bound to. */
export const sessionContext = (offerId: string) => `issuer.credential_offer.session/${offerId}`;

/** What the sealed keys of a promised credential are bound to. */
export const transactionContext = (offerId: string) => `issuer.credential_offer.transaction_keys/${offerId}`;

/** The key of an offer's row; undefined for a text that is no id. */
export function keyOf(offerId: string): Buffer | undefined {
  const bytes = parseTimedId(offerId);
  return bytes && Buffer.from(bytes);
}

/** The event of an offer for the outbox. */
export const eventOf = (offerId: string, event: IssuanceEvent) => ({
  subject: offerId,
  body: JSON.stringify(event),
  status: event.status,
});
