import { at, OFFER_SECONDS, openStoreStage, type StoreStage } from '../../testing/store.fixture-spec';
import { expireCredentialOffers } from '../../use-cases/expire-credential-offers';

jest.setTimeout(180_000);

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

describe('replicas whose clocks differ', () => {
  it('end each offer once, none before its time, and all within five seconds of it', async () => {
    const ends = [0, 1, 1, 3];
    const offers = await Promise.all(ends.map((late) => stage.insert({ expiresAt: at(OFFER_SECONDS + late) })));
    // The last one is an hour ahead for a moment.
    const errors = [0, 2, -2, -1].map((seconds) => () => seconds);
    let second = OFFER_SECONDS - 4;
    errors.push(() => (second === OFFER_SECONDS - 1 ? 3_600 : 1));
    const replicas = errors.map((error) => {
      const clock = () => at(second + error());
      const { findOverdue, expire } = stage.store;
      // The clock of Postgres is right.
      const agreedTime = async () => at(second + Math.min(0, error()));
      return expireCredentialOffers({ clock, agreedTime, findOverdue, expire, rest: async () => undefined });
    });
    const endedAt = new Map<number, number>();
    for (; second <= OFFER_SECONDS + 8; second += 1) {
      await Promise.all(replicas.map((sweep) => sweep()));
      for (const [index, offer] of offers.entries())
        if ((await stage.row(offer))['status'] === 'EXPIRED' && !endedAt.has(index)) endedAt.set(index, second);
    }
    for (const [index, late] of ends.entries()) {
      const delay = (endedAt.get(index) as number) - OFFER_SECONDS - late;
      expect(delay).toBeGreaterThanOrEqual(0);
      expect(delay).toBeLessThanOrEqual(5);
      const offer = offers[index];
      if (offer) expect(await stage.statuses(offer)).toEqual(['OFFER_CREATED', 'EXPIRED']);
    }
  });
});
