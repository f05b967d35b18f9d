import type { Clock } from '@vestibule/foundation';
import { issuanceEvent } from '../domain/issuance-event';
import type { CredentialOffers } from '../domain/ports';

export interface ExpireCredentialOffersDeps {
  readonly clock: Clock;
  readonly findOverdue: CredentialOffers['findOverdue'];
  readonly expire: CredentialOffers['expire'];
  /** Lets wallets have the process and the database for a moment, between two batches. */
  readonly rest: () => Promise<void>;
  readonly purge: CredentialOffers['purge'];
}

/** Small enough that the requests of wallets come in between, with a rest after each: events are sealed in this process. */
const EXPIRY_BATCH = 100;
const PURGE_BATCH = 1_000;
/** In one sweep: however much is old, offers that end now do not wait for it. An issuance leaves several rows behind. */
const PURGE_ROUNDS = 10;

/** One batch; false when there is no more to do, or another replica is just doing it. */
async function expireBatch(deps: ExpireCredentialOffersDeps, now: Date, count: (ended: number) => void) {
  const overdue = await deps.findOverdue(now, EXPIRY_BATCH);
  if (overdue.length === 0) return false;
  const ended = await deps.expire(
    overdue.map((offerId) => ({ offerId, event: issuanceEvent(offerId, 'EXPIRED') })),
    now,
  );
  count(ended);
  const isMore = ended > 0 && overdue.length === EXPIRY_BATCH;
  if (isMore) await deps.rest();
  return isMore;
}

/** One batch of each kind in a round; as long as a round finds as much as one batch holds, there may be more. */
async function purgeRounds(deps: ExpireCredentialOffersDeps, now: Date): Promise<number> {
  let purged = 0;
  for (let round = 1; round <= PURGE_ROUNDS; round += 1) {
    const count = await deps.purge(now, PURGE_BATCH);
    purged += count;
    if (count < PURGE_BATCH) break;
  }
  return purged;
}

/** Ends the offers that nobody redeemed in time, each with one EXPIRED event, and deletes what is over for good. */
export function expireCredentialOffers(deps: ExpireCredentialOffersDeps) {
  return async function expireCredentialOffers(): Promise<{ readonly expired: number; readonly purged: number }> {
    const now = deps.clock();
    let expired = 0;
    let more = true;
    while (more) more = await expireBatch(deps, now, (ended) => (expired += ended));
    return { expired, purged: await purgeRounds(deps, now) };
  };
}
