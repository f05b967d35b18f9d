import type { IssuanceEvent } from '@vestibule/contracts';
import type { Clock } from '@vestibule/foundation';
import { failedEvent, issuanceEvent } from '../domain/issuance-event';
import type { CredentialOffers, Overdue } from '../domain/ports';

export interface ExpireCredentialOffersDeps {
  readonly clock: Clock;
  /** The time that has come by the clocks of this process and of the database: what ends here cannot be brought back. */
  readonly agreedTime: () => Promise<Date>;
  readonly findOverdue: CredentialOffers['findOverdue'];
  readonly expire: CredentialOffers['expire'];
  /** Leaves the process and the database to wallets for a moment, between two batches. */
  readonly rest: () => Promise<void>;
}

/** Small, and followed by a rest, because events are sealed in this process, which must go on answering wallets. */
const EXPIRY_BATCH = 100;

/** The event of an offer whose time is over. */
function endOf({ offerId, wasUnserved, wasUnsigned }: Overdue): IssuanceEvent {
  if (wasUnsigned) return failedEvent(offerId, 'signer_unavailable', 'the device with the signing key was away');
  if (wasUnserved) return failedEvent(offerId, 'wallet_not_served', 'a wallet came and could not be served');
  return issuanceEvent(offerId, 'EXPIRED');
}

/** The agreed time is never later than that of this process: what is not over by this one need not be asked about. */
const mayBeOverdue = async (deps: ExpireCredentialOffersDeps): Promise<boolean> =>
  (await deps.findOverdue(deps.clock(), 1)).length > 0;

/** Handles one batch; false if there is no more to do, or another replica is doing it. */
async function expireBatch(deps: ExpireCredentialOffersDeps, now: Date, count: (ended: number) => void) {
  const overdue = await deps.findOverdue(now, EXPIRY_BATCH);
  if (overdue.length === 0) return false;
  const ended = await deps.expire(
    overdue.map((offer) => ({ offerId: offer.offerId, event: endOf(offer) })),
    now,
  );
  count(ended);
  const isMore = ended > 0 && overdue.length === EXPIRY_BATCH;
  if (isMore) await deps.rest();
  return isMore;
}

/**
 * Ends the offers that were not redeemed in time, each with exactly one event: EXPIRED, or FAILED if a wallet came and could
 * not be served, or its credential not be signed. Goes on as long as there is time;
 * returns how many it has ended.
 */
export function expireCredentialOffers(deps: ExpireCredentialOffersDeps) {
  return async function expireCredentialOffers(goesOn = () => true): Promise<number> {
    if (!(await mayBeOverdue(deps))) return 0;
    const now = await deps.agreedTime();
    let expired = 0;
    let more = true;
    while (more && goesOn()) more = await expireBatch(deps, now, (ended) => (expired += ended));
    return expired;
  };
}
