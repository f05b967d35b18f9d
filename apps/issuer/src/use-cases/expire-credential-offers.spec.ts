import type { IssuanceEvent } from '@vestibule/contracts';
import { NOW } from '../testing/issuer.fixture-spec';
import { expireCredentialOffers } from './expire-credential-offers';

/** A store with so many overdue offers, of which `taken` have ended otherwise before they can be expired, and of the first `unserved` a wallet was not served. */
function sweepOf(overdue: number, taken = 0, unserved = 0, clock = NOW) {
  let left = Array.from({ length: overdue }, (_, index) => ({
    offerId: `offer-${index}`,
    wasUnserved: index < unserved,
  }));
  const ended: { offerId: string; event: IssuanceEvent }[] = [];
  const calls: string[] = [];
  const sweep = expireCredentialOffers({
    rest: async () => void calls.push('rest'),
    clock: () => clock,
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
  });
  return { sweep, ended, calls };
}

const at = NOW.toISOString();

describe('expireCredentialOffers', () => {
  it('ends every overdue offer with one EXPIRED event without errorDetails, in batches, at one time', async () => {
    const { sweep, ended, calls } = sweepOf(240);
    expect(await sweep()).toBe(240);
    expect(new Set(ended.map(({ offerId }) => offerId)).size).toBe(240);
    for (const { offerId, event } of ended) expect(event).toEqual({ eventId: offerId, status: 'EXPIRED', offerId });
    const batch = [`find ${at}`, `expire ${at}`];
    expect(calls).toEqual([`find ${at}`, ...batch, 'rest', ...batch, 'rest', ...batch]);
  });

  it('ends those as FAILED whose wallet came and could not be served', async () => {
    const { sweep, ended } = sweepOf(2, 0, 1);
    expect(await sweep()).toBe(2);
    const errorDetails = 'wallet_not_served: a wallet came and could not be served';
    expect(ended.map(({ event }) => event)).toEqual([
      { eventId: 'offer-0', status: 'FAILED', offerId: 'offer-0', errorDetails },
      { eventId: 'offer-1', status: 'EXPIRED', offerId: 'offer-1' },
    ]);
  });

  it('ends those as FAILED with the code of the device that could not be signed because it was away', async () => {
    const ended: IssuanceEvent[] = [];
    const sweep = expireCredentialOffers({
      clock: () => NOW,
      agreedTime: () => Promise.resolve(NOW),
      findOverdue: async () => (ended.length === 0 ? [{ offerId: 'o', wasUnserved: true, wasUnsigned: true }] : []),
      expire: async (endings) => ended.push(...endings.map(({ event }) => event)),
      rest: async () => undefined,
    });
    await sweep();
    const errorDetails = 'signer_unavailable: the device with the signing key was away';
    expect(ended).toEqual([{ eventId: 'o', status: 'FAILED', offerId: 'o', errorDetails }]);
  });

  it('counts only the offers that it ended itself', async () => {
    expect(await sweepOf(10, 3).sweep()).toBe(7);
  });

  it('leaves a batch that another replica is ending to that one', async () => {
    const { sweep, calls } = sweepOf(400, 100);
    expect(await sweep()).toBe(0);
    expect(calls).toHaveLength(3);
  });

  it('looks once, and asks for nothing else, where nothing is overdue', async () => {
    const { sweep, calls } = sweepOf(0);
    expect(await sweep()).toBe(0);
    expect(calls).toEqual([`find ${at}`]);
  });

  it('stops when exactly a full batch was overdue', async () => {
    const { sweep, calls } = sweepOf(100);
    expect(await sweep()).toBe(100);
    expect(calls).toEqual([`find ${at}`, `find ${at}`, `expire ${at}`, 'rest', `find ${at}`]);
  });

  it('has the agreed time for what it ends, whatever its own clock found', async () => {
    const ahead = new Date(NOW.getTime() + 60_000);
    const { sweep, calls } = sweepOf(1, 0, 0, ahead);
    expect(await sweep()).toBe(1);
    expect(calls).toEqual([`find ${ahead.toISOString()}`, `find ${at}`, `expire ${at}`]);
  });

  it('ends after the batch at hand when there is no more time', async () => {
    const { sweep, ended } = sweepOf(240);
    expect(await sweep(() => ended.length < 200)).toBe(200);
  });
});
