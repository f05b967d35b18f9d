import { createAudit } from '@vestibule/persistence';
import { issuanceEvent } from '../../domain/issuance-event';
import { NOW } from '../../testing/issuer.fixture-spec';
import { idOf, newId, YEAR, statusListsOf } from '../../testing/status-lists.fixture-spec';
import { at, completionOf, openStoreStage, RETENTION_SECONDS, type StoreStage } from '../../testing/store.fixture-spec';
import { SCHEMA } from './migrations';

jest.setTimeout(180_000);

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

const { replica, issuedOffer, rows } = statusListsOf(() => stage);

describe('a change of status', () => {
  const change = (offerId: string, status: 'valid' | 'suspended' | 'revoked', now = NOW) =>
    stage.statusLists.changeStatus(offerId, status, now);
  const content = async (listId: string) =>
    (await stage.statusLists.readContent(listId)) ?? { version: -1, entries: [] };

  it('is made for all credentials of an offer and no other, and counted in the list', async () => {
    const { offerId, references, listId } = await issuedOffer(3);
    await issuedOffer(2);
    expect(await change(offerId, 'suspended')).toEqual({ outcome: 'changed', credentials: 3 });
    const { entries, version } = await content(listId);
    const indexes = references.map(({ idx }) => idx).sort((a, b) => a - b);
    expect(entries).toEqual(indexes.map((idx) => ({ idx, status: 2 })));
    expect(version).toBe(1);
  });

  it('can be repeated and taken back, but never a revocation', async () => {
    const { offerId, listId } = await issuedOffer();
    const changed = { outcome: 'changed', credentials: 1 };
    for (const status of ['suspended', 'suspended', 'valid', 'valid', 'revoked', 'revoked'] as const) {
      expect(await change(offerId, status)).toEqual(changed);
    }
    expect((await content(listId)).version).toBe(3);
    for (const status of ['valid', 'suspended'] as const) {
      expect(await change(offerId, status)).toEqual({ outcome: 'already_revoked' });
    }
    expect((await content(listId)).entries).toMatchObject([{ status: 1 }]);
  });

  it.each(['suspended', 'revoked'] as const)(
    'to %s ends the claims that are kept: no further credential of the offer could be valid',
    async (status) => {
      const keeping = stage.storeWith(stage.keys, true);
      const reserve = replica();
      const offer = await stage.insert();
      const complete = async () => {
        const entries = await reserve(offer.offerId);
        return keeping.complete(completionOf(offer, { entries }));
      };
      expect([await complete(), await complete()]).toEqual(['issued', 'issued']);
      expect(await change(offer.offerId, status)).toEqual({ outcome: 'changed', credentials: 2 });
      expect(await complete()).toBe('ended');
      expect((await stage.row(offer))['session']).toBeNull();
    },
  );

  it.each(['suspended', 'revoked'] as const)(
    'to %s that comes while the offer is issued waits for it, and ends the claims that it keeps',
    async (status) => {
      const keeping = stage.storeWith(stage.keys, true);
      const reserve = replica();
      const offer = await stage.insert();
      const [entries, late] = [await reserve(offer.offerId), await reserve(offer.offerId)];
      const issue = (own: typeof entries) => keeping.complete(completionOf(offer, { entries: own }));
      const hold = `SELECT 1 AS one FROM issuer.credential_offer FOR UPDATE`;
      expect(await stage.whileHeld<unknown>(hold, [() => issue(entries), () => change(offer.offerId, status)])).toEqual(
        ['issued', { outcome: 'changed', credentials: 1 }],
      );
      expect((await stage.row(offer))['session']).toBeNull();
      expect(await issue(late)).toBe('ended');
    },
  );

  it('to revoked that has to wait for its turn ends the claims of an offer that is issued meanwhile', async () => {
    const keeping = stage.storeWith(stage.keys, true);
    const reserve = replica();
    const offer = await stage.insert();
    const [entries, late] = [await reserve(offer.offerId), await reserve(offer.offerId)];
    const audit = createAudit({ database: stage.database, schema: SCHEMA });
    let goOn: () => void = () => undefined;
    const blocked = new Promise<void>((resolve) => (goOn = resolve));
    const others = [1, 2].map(() => audit.inTurn(() => blocked));
    const changing = change(offer.offerId, 'revoked');
    expect(await keeping.complete(completionOf(offer, { entries }))).toBe('issued');
    goOn();
    await Promise.all(others);
    expect(await changing).toEqual({ outcome: 'changed', credentials: 1 });
    expect(await keeping.complete(completionOf(offer, { entries: late }))).toBe('ended');
  });

  it('counts the credentials that exist, and changes what was reserved and never handed out all the same', async () => {
    const reserve = replica();
    const { offerId } = await stage.insert();
    // Requests that lost the race, whose nonce was used, or whose process died.
    await reserve(offerId, 4);
    const [entry] = await reserve(offerId);
    await reserve(offerId, 2);
    const completion = completionOf({ offerId }, { entries: entry ? [entry] : [] });
    expect(await stage.store.complete(completion)).toBe('issued');
    await reserve(offerId, 3);
    expect(await change(offerId, 'revoked')).toEqual({ outcome: 'changed', credentials: 1 });
    expect(await rows('SELECT DISTINCT status FROM issuer.status_entry')).toEqual([{ status: 1 }]);
    expect((await content(idOf(entry?.uri))).entries).toHaveLength(10);
  });

  it('counts nothing of a request that came too late, and all of a batch', async () => {
    const reserve = replica();
    const { offerId } = await stage.insert();
    const [won, lost] = [await reserve(offerId, 3), await reserve(offerId, 3)];
    expect(await stage.store.complete(completionOf({ offerId }, { entries: won }))).toBe('issued');
    expect(await stage.store.complete(completionOf({ offerId }, { entries: lost }))).toBe('ended');
    expect(await change(offerId, 'suspended')).toEqual({ outcome: 'changed', credentials: 3 });
    expect(await change(offerId, 'valid')).toEqual({ outcome: 'changed', credentials: 3 });
  });

  it('counts each credential of claims that are kept, and none whose nonce was used', async () => {
    const keeping = stage.storeWith(stage.keys, true);
    const reserve = replica();
    const offer = await stage.insert();
    const used = { digest: Buffer.alloc(32, 1), expiresAt: at(300) };
    const outcomes: string[] = [];
    for (const nonces of [[used], [], [used]]) {
      const entries = await reserve(offer.offerId, 2);
      outcomes.push(await keeping.complete(completionOf(offer, { entries, nonces })));
    }
    expect(outcomes).toEqual(['issued', 'issued', 'nonce_used']);
    expect(await change(offer.offerId, 'revoked')).toEqual({ outcome: 'changed', credentials: 4 });
  });

  it('counts what is in the end handed out when it comes while claims are kept and more are issued', async () => {
    const keeping = stage.storeWith(stage.keys, true);
    const reserve = replica();
    for (let round = 0; round < 5; round += 1) {
      const offer = await stage.insert();
      const entries = await Promise.all(Array.from({ length: 8 }, () => reserve(offer.offerId, 2)));
      expect(await keeping.complete(completionOf(offer, { entries: entries[0] ?? [] }))).toBe('issued');
      const [outcomes, revoked] = await Promise.all([
        Promise.all(entries.slice(1).map((own) => keeping.complete(completionOf(offer, { entries: own })))),
        change(offer.offerId, 'revoked'),
      ]);
      const issued = 1 + outcomes.filter((outcome) => outcome === 'issued').length;
      expect(revoked).toEqual({ outcome: 'changed', credentials: 2 * issued });
    }
  });

  it('never waits in a circle with the end of an offer, however the entries of a batch are ordered', async () => {
    const reserve = replica();
    for (let round = 0; round < 10; round += 1) {
      const { offerId } = await stage.insert();
      const entries = await reserve(offerId, 20);
      const [outcome] = await Promise.all([
        stage.store.complete(completionOf({ offerId }, { entries })),
        ...Array.from({ length: 4 }, () => change(offerId, 'suspended')),
      ]);
      expect(outcome).toBe('issued');
      expect(await change(offerId, 'suspended')).toEqual({ outcome: 'changed', credentials: 20 });
    }
  });

  it('counts the entries of a former version as credentials: nothing else is known of them', async () => {
    const { offerId, references } = await issuedOffer();
    await stage.database.query(`INSERT INTO issuer.status_entry (list_number, idx, offer_id, expires_at)
      SELECT list_number, idx + 1, offer_id, expires_at FROM issuer.status_entry`);
    expect(references).toHaveLength(1);
    expect(await change(offerId, 'revoked')).toEqual({ outcome: 'changed', credentials: 2 });
  });

  it('of 20 parallel ones is whole: after a revocation nothing else counts', async () => {
    const offers = await Promise.all(Array.from({ length: 5 }, () => issuedOffer(4, replica(64))));
    const wishes = (['valid', 'suspended', 'revoked', 'suspended'] as const).flatMap((status) =>
      offers.map(({ offerId }) => ({ offerId, status })),
    );
    const outcomes = await Promise.all(wishes.map(({ offerId, status }) => change(offerId, status)));
    for (const { outcome } of outcomes) expect(['changed', 'already_revoked']).toContain(outcome);
    expect(await rows('SELECT DISTINCT status FROM issuer.status_entry')).toEqual([{ status: 1 }]);
  });

  it('is refused for an offer that is open, has ended without a credential, has none with a status, or is not there', async () => {
    const open = await stage.insert();
    await replica()(open.offerId);
    expect(await change(open.offerId, 'revoked')).toEqual({ outcome: 'not_issued' });
    await stage.store.fail(open.offerId, issuanceEvent(open.offerId, 'EXPIRED'), NOW);
    expect(await change(open.offerId, 'revoked')).toEqual({ outcome: 'not_issued' });
    const without = await stage.insert();
    await stage.store.complete(completionOf(without));
    expect(await change(without.offerId, 'revoked')).toEqual({ outcome: 'without_status' });
    for (const unknown of [newId(), 'x', '']) {
      expect(await change(unknown, 'revoked')).toEqual({ outcome: 'offer_unknown' });
    }
    expect(await rows('SELECT DISTINCT status FROM issuer.status_entry')).toEqual([{ status: 0 }]);
  });

  it('is possible when nothing but the entries is left of an offer, until the credential expires', async () => {
    const { offerId } = await issuedOffer();
    await stage.store.purge(at(RETENTION_SECONDS + 1), 100);
    expect(await stage.store.findView(offerId)).toBeUndefined();
    expect(await change(offerId, 'revoked', at(YEAR - 1))).toEqual({ outcome: 'changed', credentials: 1 });
    expect(await change(offerId, 'revoked', at(YEAR))).toEqual({ outcome: 'offer_unknown' });
  });
});
