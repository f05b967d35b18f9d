import type { EndedFlow, Outcomes } from '@vestibule/process';
import { failedEvent, issuanceEvent } from '../domain/issuance-event';
import type { CredentialOffers, Issuances, OfferChanges, Redemptions } from '../domain/ports';
import { NOW } from '../testing/issuer.fixture-spec';
import { countedChanges, countedIssuances, countedOffers, countedRedemptions } from './counted-ends';

const failed = failedEvent('offer', 'offer_cancelled', 'cancelled');
const issued = issuanceEvent('offer', 'ISSUED');

function counter() {
  const counted: EndedFlow[] = [];
  const outcomes: Outcomes = {
    add: (ended) => void counted.push(ended),
    addSome: (ended, count) => void counted.push(...ended.slice(0, count)),
  };
  return { counted, outcomes };
}
/** A store of which only these members are asked. */
const only = <Store>(members: Partial<Store>) => members as Store;

describe('an offer that ended is counted once, where it ended', () => {
  it.each([
    ['cancelled', 1],
    ['ended', 0],
    ['unknown', 0],
  ] as const)('by a backend that cancels it: %s', async (outcome, times) => {
    const { counted, outcomes } = counter();
    const store = countedChanges(only<OfferChanges>({ cancel: () => Promise.resolve(outcome) }), outcomes);
    expect(await store.cancel('offer', failed, NOW)).toBe(outcome);
    expect(counted).toEqual(Array.from({ length: times }, () => failed));
  });

  it.each([true, false])('by a failure: %s', async (isFirst) => {
    const { counted, outcomes } = counter();
    const store = countedChanges(only<OfferChanges>({ fail: () => Promise.resolve(isFirst) }), outcomes);
    expect(await store.fail('offer', failed, NOW)).toBe(isFirst);
    expect(counted).toEqual(isFirst ? [failed] : []);
  });

  it.each(['redeemed', 'wrong_tx_code', 'ended', 'gone'] as const)('by a wrong code too many: %s', async (outcome) => {
    const { counted, outcomes } = counter();
    const store = countedRedemptions(only<Redemptions>({ redeem: () => Promise.resolve(outcome) }), outcomes);
    const redemption = { failedEvent: failed } as Parameters<Redemptions['redeem']>[0];
    expect(await store.redeem(redemption)).toBe(outcome);
    expect(counted).toEqual(outcome === 'ended' ? [failed] : []);
  });

  it.each(['issued', 'nonce_used', 'claims_changed', 'ended'] as const)('by its issuance: %s', async (outcome) => {
    const { counted, outcomes } = counter();
    const store = countedIssuances(only<Issuances>({ complete: () => Promise.resolve(outcome) }), outcomes);
    const completion = { event: issued } as Parameters<Issuances['complete']>[0];
    expect(await store.complete(completion)).toBe(outcome);
    expect(counted).toEqual(outcome === 'issued' ? [issued] : []);
  });

  it('by its time, as far as this process was first', async () => {
    const { counted, outcomes } = counter();
    const store = countedOffers(only<CredentialOffers>({ expire: () => Promise.resolve(1) }), outcomes);
    const event = issuanceEvent('offer', 'EXPIRED');
    expect(
      await store.expire(
        [
          { offerId: 'a', event },
          { offerId: 'b', event },
        ],
        NOW,
      ),
    ).toBe(1);
    expect(counted).toEqual([event]);
  });
});
