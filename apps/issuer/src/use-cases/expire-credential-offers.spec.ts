import type { IssuanceEvent } from '@vestibule/contracts';
import { NOW } from '../testing/issuer.fixture-spec';
import { expireCredentialOffers } from './expire-credential-offers';

/** A store with so many overdue offers, of which `taken` have ended otherwise before they can be expired, and of the first `unserved` a wallet was not served. */
function sweepOf(overdue: number, taken = 0, remains = 7, unserved = 0) {
  let old = remains;
  let left = Array.from({ length: overdue }, (_, index) => ({
    offerId: `offer-${index}`,
    wasUnserved: index < unserved,
  }));
  const ended: { offerId: string; event: IssuanceEvent }[] = [];
  const calls: string[] = [];
  const sweep = expireCredentialOffers({
    rest: async () => void calls.push('rest'),
    agreedTime: () => Promise.resolve(NOW),
    findOverdue: async (now, limit) => {
      calls.push(`find ${now.toISOString()}`);
      return left.slice(0, limit);
    },
    expire: async (endings, now) => {
      calls.push(`expire ${now.toISOString()}`);
      const ids = new Set(endings.map(({ offerId }) => offerId));
      left = left.filter(({ offerId }) => !ids.has(offerId));
      ended.push(...endings.slice(taken));
      return endings.length - taken;
    },
    purge: async (now, limit) => {
      calls.push(`purge ${now.toISOString()}`);
      const count = Math.min(old, limit);
      old -= count;
      return count;
    },
  });
  return { sweep, ended, calls };
}

const at = NOW.toISOString();

describe('expireCredentialOffers', () => {
  it('ends every overdue offer with one EXPIRED event without errorDetails, in batches, at one time', async () => {
    const { sweep, ended, calls } = sweepOf(240);
    expect(await sweep()).toEqual({ expired: 240, purged: 7 });
    expect(new Set(ended.map(({ offerId }) => offerId)).size).toBe(240);
    for (const { offerId, event } of ended) expect(event).toEqual({ eventId: offerId, status: 'EXPIRED', offerId });
    const batch = [`find ${at}`, `expire ${at}`];
    expect(calls).toEqual([...batch, 'rest', ...batch, 'rest', ...batch, `purge ${at}`]);
  });

  it('ends those as FAILED whose wallet came and could not be served', async () => {
    const { sweep, ended } = sweepOf(2, 0, 0, 1);
    expect(await sweep()).toMatchObject({ expired: 2 });
    const errorDetails = 'wallet_not_served: a wallet came and could not be served';
    expect(ended.map(({ event }) => event)).toEqual([
      { eventId: 'offer-0', status: 'FAILED', offerId: 'offer-0', errorDetails },
      { eventId: 'offer-1', status: 'EXPIRED', offerId: 'offer-1' },
    ]);
  });

  it('ends those as FAILED with the code of the device that could not be signed because it was away', async () => {
    const ended: IssuanceEvent[] = [];
    const sweep = expireCredentialOffers({
      agreedTime: () => Promise.resolve(NOW),
      findOverdue: async () => (ended.length === 0 ? [{ offerId: 'o', wasUnserved: true, wasUnsigned: true }] : []),
      expire: async (endings) => ended.push(...endings.map(({ event }) => event)),
      rest: async () => undefined,
      purge: async () => 0,
    });
    await sweep();
    const errorDetails = 'signer_unavailable: the device with the signing key was away';
    expect(ended).toEqual([{ eventId: 'o', status: 'FAILED', offerId: 'o', errorDetails }]);
  });

  it('counts only the offers that it ended itself', async () => {
    expect(await sweepOf(10, 3).sweep()).toEqual({ expired: 7, purged: 7 });
  });

  it('leaves a batch that another replica is ending to that one', async () => {
    const { sweep, calls } = sweepOf(400, 100);
    expect(await sweep()).toEqual({ expired: 0, purged: 7 });
    expect(calls).toHaveLength(3);
  });

  it('purges although nothing is overdue', async () => {
    const { sweep, calls } = sweepOf(0);
    expect(await sweep()).toEqual({ expired: 0, purged: 7 });
    expect(calls).toEqual([`find ${at}`, `purge ${at}`]);
  });

  it('deletes ten batches of remains at most before it looks again for what is overdue', async () => {
    const { sweep } = sweepOf(0, 0, 15_001);
    expect(await sweep()).toEqual({ expired: 0, purged: 10_000 });
    expect(await sweep()).toEqual({ expired: 0, purged: 5_001 });
    expect(await sweep()).toEqual({ expired: 0, purged: 0 });
  });

  it('stops when exactly a full batch was overdue', async () => {
    const { sweep, calls } = sweepOf(100);
    expect(await sweep()).toEqual({ expired: 100, purged: 7 });
    expect(calls).toEqual([`find ${at}`, `expire ${at}`, 'rest', `find ${at}`, `purge ${at}`]);
  });
});
