import type { IssuanceEvent } from '@vestibule/contracts';
import type { Clock } from '@vestibule/foundation';
import { issuanceEvent } from '../domain/issuance-event';

export interface ExpireCredentialOffersDeps {
  readonly clock: Clock;
  readonly findOverdue: (now: Date, limit: number) => Promise<readonly string[]>;
  /** Ends those that are still open, with their events, in one statement; returns how many there were. */
  readonly expire: (endings: readonly { offerId: string; event: IssuanceEvent }[], now: Date) => Promise<number>;
  /** Deletes old remains: ended offers, access tokens, spent nonces and proofs; returns how many there were. */
  readonly purge: (now: Date, limit: number) => Promise<number>;
}

const BATCH = 1_000;

/** Ends the offers that nobody redeemed in time, each with one EXPIRED event, and deletes what is over for good. */
export const expireCredentialOffers =
  (deps: ExpireCredentialOffersDeps) => async (): Promise<{ readonly expired: number; readonly purged: number }> => {
    const now = deps.clock();
    let expired = 0;
    for (;;) {
      const overdue = await deps.findOverdue(now, BATCH);
      const endings = overdue.map((offerId) => ({ offerId, event: issuanceEvent(offerId, 'EXPIRED') }));
      if (endings.length > 0) expired += await deps.expire(endings, now);
      if (overdue.length < BATCH) break;
    }
    return { expired, purged: await deps.purge(now, BATCH) };
  };
