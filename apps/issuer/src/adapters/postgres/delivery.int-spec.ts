import { createTimedId } from '@vestibule/crypto';
import { randomBytes } from 'node:crypto';
import { READS_ALL } from '@vestibule/testkit';
import type { OpenOffer } from '../../domain/credential-offer';
import type { HandOver } from '../../domain/hand-over';
import { NOW } from '../../testing/issuer.fixture-spec';
import { at, completionOf, openStoreStage, type StoreStage } from '../../testing/store.fixture-spec';
import { HAND_OVER } from './delivery-statements';

jest.setTimeout(180_000);

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

const HOLD_SECONDS = 120;
const first = ({ offerId }: Pick<OpenOffer, 'offerId'>): HandOver => ({ offerId, isRepeated: false });
const again = ({ offerId }: Pick<OpenOffer, 'offerId'>): HandOver => ({ offerId, isRepeated: true });

/** An offer whose ISSUED waits to be told. */
async function issue(holdSeconds = HOLD_SECONDS, store = stage.store): Promise<OpenOffer> {
  const offer = await stage.insert();
  expect(await store.complete(completionOf(offer, { holdSeconds }))).toBe('issued');
  return offer;
}
/** The events of an offer that are held, and those that are due. */
async function eventsOf({ offerId }: OpenOffer) {
  const rows = await stage.database.query<{ status: string; held: boolean }>(
    `SELECT status, next_attempt_at > now() AS held FROM issuer.callback WHERE subject = $1 ORDER BY sequence`,
    [offerId],
  );
  const of = (held: boolean) => rows.filter((row) => row.held === held).map(({ status }) => status);
  return { held: of(true), due: of(false) };
}
const ADD_EVENTS = (from: number, to: number) =>
  `INSERT INTO issuer.callback (id, subject, payload, expires_at)
   SELECT decode(lpad(to_hex(n), 8, '0'), 'hex'), n::text, '', now() FROM generate_series(${from}, ${to}) AS n`;
const HELD = { held: ['ISSUED'], due: ['OFFER_CREATED'] };
const DUE = { held: [], due: ['OFFER_CREATED', 'ISSUED'] };
const deliveryOf = async ({ offerId }: OpenOffer) => (await stage.store.findView(offerId))?.view.delivery;
const report = (...handOvers: HandOver[]) => stage.store.recordHandOvers(handOvers, at(5));
const [AT, LATER] = [at(5).toISOString(), at(9).toISOString()];

describe('ISSUED', () => {
  it('VCI:P9 waits for its time at most, and not at all where nobody reports; no other event does', async () => {
    const [held, free, failed] = [await issue(), await issue(0), await stage.insert()];
    const event = { eventId: failed.offerId, offerId: failed.offerId, status: 'FAILED', errorDetails: 'x' } as const;
    await stage.store.fail(failed.offerId, event, NOW);
    expect([await eventsOf(held), await eventsOf(free)]).toEqual([HELD, DUE]);
    expect(await eventsOf(failed)).toEqual({ held: [], due: ['OFFER_CREATED', 'FAILED'] });
    const times = await stage.database.query<object>(
      `SELECT extract(epoch FROM held_until - created_at)::int AS held, held_until = next_attempt_at AS same
       FROM issuer.callback WHERE held_until IS NOT NULL`,
    );
    expect(times).toEqual([{ held: HOLD_SECONDS, same: true }]);
  });

  it('VCI:P9 is due with the first report of its offer, whichever answer it is about', async () => {
    const [one, two] = [await issue(), await issue()];
    expect(await report(first(one))).toBe(true);
    expect([await eventsOf(one), await eventsOf(two)]).toEqual([DUE, HELD]);
    expect(await report(again(two))).toBe(true);
    expect(await eventsOf(two)).toEqual(DUE);
  });

  it.each(['credential_accepted', 'credential_failure', 'credential_deleted'] as const)(
    'VCI:P9 VCI:F7 is due with %s, which proves that the wallet has its answer',
    async (event) => {
      const [offer, other] = [await issue(), await issue()];
      expect(await stage.store.recordNotification(offer.offerId, event, at(5))).toBe(true);
      expect([await eventsOf(offer), await eventsOf(other)]).toEqual([DUE, HELD]);
      expect(await stage.store.recordNotification(offer.offerId, event, at(9))).toBe(false);
      const accepted = event === 'credential_accepted' ? { state: 'accepted', accepted_at: AT } : {};
      expect(await deliveryOf(offer)).toEqual({ state: 'handed_over', handed_over_at: AT, ...accepted });
    },
  );

  it('VCI:F7 is accepted, too, where a program that does not record it took the notification', async () => {
    const [offer, deleted, failed] = [await issue(), await issue(), await issue()];
    const older = ({ offerId }: OpenOffer, event: string) =>
      stage.database.query(
        'UPDATE issuer.credential_offer SET notification_event = $2, notified_at = $3 WHERE offer_id = $1',
        [Buffer.from(offerId, 'base64url'), event, at(5)],
      );
    await older(offer, 'credential_accepted');
    await older(deleted, 'credential_accepted');
    await older(failed, 'credential_failure');
    const accepted = { state: 'accepted', accepted_at: AT };
    expect(await deliveryOf(offer)).toEqual(accepted);
    expect(await deliveryOf(failed)).toEqual({ state: 'unconfirmed' });
    await stage.store.recordNotification(deleted.offerId, 'credential_deleted', at(9));
    expect(await deliveryOf(deleted)).toMatchObject(accepted);
    await stage.store.recordNotification(failed.offerId, 'credential_deleted', at(9));
    expect(await deliveryOf(failed)).toEqual({ state: 'handed_over', handed_over_at: LATER });
  });

  it('VCI:P8 is one event where claims are kept, and waits for the first of all answers', async () => {
    const store = stage.storeWith(stage.keys, true);
    const offer = await issue(HOLD_SECONDS, store);
    expect(await store.complete(completionOf(offer, { holdSeconds: HOLD_SECONDS }))).toBe('issued');
    expect(await eventsOf(offer)).toEqual(HELD);
    await report(first(offer), first(offer));
    expect(await eventsOf(offer)).toEqual(DUE);
    expect(await report(first(offer))).toBe(false);
  });
});

describe('a report', () => {
  it('VCI:P9 that comes again changes nothing, not even the time', async () => {
    const offer = await issue();
    expect(await deliveryOf(offer)).toEqual({ state: 'unconfirmed' });
    await report(first(offer));
    expect(await deliveryOf(offer)).toEqual({ state: 'handed_over', handed_over_at: AT });
    const before = await stage.dump();
    expect(await stage.store.recordHandOvers([first(offer)], at(9))).toBe(false);
    expect(await stage.dump()).toBe(before);
    await stage.store.recordHandOvers([again(offer)], at(9));
    const repeated = { state: 'repeated', handed_over_at: AT, repeated_at: LATER };
    expect(await deliveryOf(offer)).toEqual(repeated);
    await stage.store.recordHandOvers([again(offer), first(offer)], at(20));
    expect(await deliveryOf(offer)).toEqual(repeated);
  });

  it('VCI:P9 names both answers of an offer at once, as two gateways may have given them', async () => {
    const offer = await issue();
    await report(again(offer), first(offer));
    expect(await deliveryOf(offer)).toEqual({ state: 'repeated', handed_over_at: AT, repeated_at: AT });
  });

  it('VCI:P9 about an open, failed, expired, purged or unknown offer changes nothing', async () => {
    const [open, failed, expired, gone] = [
      await stage.insert(),
      await stage.insert(),
      await stage.insert(),
      await issue(),
    ];
    const ending = { eventId: failed.offerId, offerId: failed.offerId, status: 'FAILED', errorDetails: 'x' } as const;
    await stage.store.fail(failed.offerId, ending, NOW);
    const end = { offerId: expired.offerId, status: 'EXPIRED', eventId: expired.offerId } as const;
    await stage.database.query(`UPDATE issuer.credential_offer SET expires_at = $1 WHERE offer_id = $2`, [
      NOW,
      Buffer.from(expired.offerId, 'base64url'),
    ]);
    expect(await stage.store.expire([{ offerId: expired.offerId, event: end }], NOW)).toBe(1);
    await stage.database.query(`DELETE FROM issuer.credential_offer WHERE offer_id = $1`, [
      Buffer.from(gone.offerId, 'base64url'),
    ]);
    const unknown = { offerId: createTimedId(NOW, randomBytes) };
    const before = await stage.dump();
    const all = [open, failed, expired, gone, unknown, { offerId: 'no id' }];
    expect(await report(...all.map(first), ...all.map(again))).toBe(false);
    expect(await stage.dump()).toBe(before);
    for (const offer of [open, failed, expired]) expect(await deliveryOf(offer)).toBeUndefined();
  });

  it('VCI:P9 of hundreds, from many gateways at once, in any order, never waits in a circle', async () => {
    const offers = await Promise.all(Array.from({ length: 40 }, () => issue()));
    const batches = Array.from({ length: 8 }, (_, index) => {
      const turned = [...offers.slice(index * 5), ...offers.slice(0, index * 5)];
      return (index % 2 === 0 ? turned : turned.reverse()).map(index % 3 === 0 ? again : first);
    });
    await Promise.all(batches.map((batch) => report(...batch)));
    for (const offer of offers) {
      expect(await eventsOf(offer)).toEqual(DUE);
      expect(await deliveryOf(offer)).toMatchObject({ state: 'repeated', handed_over_at: AT, repeated_at: AT });
    }
  });

  it('VCI:P9 and the notification of its wallet at the same time are told once', async () => {
    const offer = await issue();
    const both = await stage.whileHeld(
      `SELECT 1 AS one FROM issuer.credential_offer WHERE offer_id = '\\x${Buffer.from(offer.offerId, 'base64url').toString('hex')}' FOR UPDATE`,
      [() => report(first(offer)), () => stage.store.recordNotification(offer.offerId, 'credential_accepted', at(6))],
    );
    expect(both.filter((released) => released)).toHaveLength(1);
    expect(await eventsOf(offer)).toEqual(DUE);
    expect(await deliveryOf(offer)).toMatchObject({ state: 'accepted' });
  });

  // Postgres looks at tables when it likes to, and at one before the other.
  it.each([
    ['neither offers nor events', []],
    ['offers alone', ['ANALYZE issuer.credential_offer']],
    ['events alone', ['ANALYZE issuer.callback']],
    ['the size of events', ['VACUUM issuer.callback']],
    ['few events, before the burst', ['ANALYZE issuer.callback', ADD_EVENTS(20_001, 40_000)]],
    ['offers and events', ['ANALYZE issuer.credential_offer, issuer.callback']],
  ])('reads only the offers and events that it names where Postgres knows %s', async (_known, preparations) => {
    const { database } = stage;
    for (const table of ['credential_offer', 'callback'])
      await database.query(`ALTER TABLE issuer.${table} SET (autovacuum_enabled = off)`);
    await database.query(
      `INSERT INTO issuer.credential_offer (offer_id, configuration_id, status, created_at, expires_at, finished_at)
       SELECT decode(lpad(to_hex(n), 8, '0') || repeat('00', 20), 'hex'), 'type', 'ISSUED', now(), now(), now()
       FROM generate_series(1, 20000) AS n`,
    );
    for (const sql of [ADD_EVENTS(1, 20_000), ...preparations]) await database.query(sql);
    const ids = Array.from({ length: 20 }, () => randomBytes(24));
    const flags = ids.map(() => true);
    const parameters = [ids, ids.map((id) => id.toString('base64url')), flags, flags, NOW, 15_000, 16, ids];
    const rows = await database.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${HAND_OVER}`, parameters);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('credential_offer_pkey');
    expect(plan).toContain('callback_order');
    expect(plan).not.toMatch(READS_ALL);
    expect(plan).not.toContain('callback_due');
  });
});
