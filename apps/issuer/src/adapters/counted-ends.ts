import type { Outcomes } from '@vestibule/process';
import type { CredentialOffers, Issuances, OfferChanges, Redemptions } from '../domain/ports';

/** What ends offers, counted where it was this process that ended one. */

export function countedOffers(stored: CredentialOffers, outcomes: Outcomes): CredentialOffers {
  return {
    ...stored,
    async expire(expiries, now) {
      const count = await stored.expire(expiries, now);
      outcomes.addSome(
        expiries.map(({ event }) => event),
        count,
      );
      return count;
    },
  };
}

export function countedChanges(stored: OfferChanges, outcomes: Outcomes): OfferChanges {
  const counted =
    (end: OfferChanges['fail']): OfferChanges['fail'] =>
    async (offerId, event, now) => {
      const isFirst = await end(offerId, event, now);
      if (isFirst) outcomes.add(event);
      return isFirst;
    };
  return {
    ...stored,
    fail: counted(stored.fail),
    deny: counted(stored.deny),
    async cancel(offerId, event, now) {
      const outcome = await stored.cancel(offerId, event, now);
      if (outcome === 'cancelled') outcomes.add(event);
      return outcome;
    },
  };
}

export function countedRedemptions(stored: Redemptions, outcomes: Outcomes): Redemptions {
  return {
    ...stored,
    async redeem(redemption) {
      const outcome = await stored.redeem(redemption);
      if (outcome === 'ended') outcomes.add(redemption.failedEvent);
      return outcome;
    },
  };
}

export function countedIssuances(stored: Issuances, outcomes: Outcomes): Issuances {
  return {
    ...stored,
    async complete(completion) {
      const outcome = await stored.complete(completion);
      if (outcome === 'issued') outcomes.add(completion.event);
      return outcome;
    },
  };
}
