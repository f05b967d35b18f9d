import { randomBytes } from 'node:crypto';
import type { Database } from '@vestibule/persistence';
import { issuanceEvent } from '../../domain/issuance-event';
import { ISSUER, NOW } from '../../testing/issuer.fixture-spec';
import { idOf, newId, X5C, YEAR, statusListsOf, type Reserve } from '../../testing/status-lists.fixture-spec';
import { at, openStoreStage, RETENTION_SECONDS, type StoreStage } from '../../testing/store.fixture-spec';
import { createStatusListStore } from './status-list.store';

jest.setTimeout(180_000);

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

const { replica, issuedOffer, rows } = statusListsOf(() => stage);

/** More than the ten connections of a replica, so that Postgres always has as many statements at a time as they can send. */
const CALLERS_PER_REPLICA = 25;

/**
 * What so many issuances by two replicas with connections of their own reserve. The callers of a replica issue one after the
 * other: where a thousand waited for ten connections, the last would hear `database_unavailable` on a slow machine, as it should.
 */
async function reserveByTwo(total: number, size: number) {
  const databases: Database[] = await Promise.all([stage.open(), stage.open()]);
  let left = total;
  const issue = async (reserve: Reserve) => {
    const reserved: Awaited<ReturnType<Reserve>> = [];
    while ((left -= 1) >= 0) reserved.push(...(await reserve(newId())));
    return reserved;
  };
  try {
    const replicas = databases.map((database) => replica(size, X5C, createStatusListStore(database)));
    const callers = replicas.flatMap((reserve) => Array.from({ length: CALLERS_PER_REPLICA }, () => issue(reserve)));
    return (await Promise.all(callers)).flat();
  } finally {
    await Promise.all(databases.map((database) => database.close()));
  }
}

const key = ({ uri, idx }: { uri: string; idx: number }) => `${uri}#${idx}`;

describe('indexes in status lists', () => {
  it('VCI:Z9 VCI:L6 of 1,000 issuances by the callers of two replicas differ, all in one list', async () => {
    const references = await reserveByTwo(1_000, 1_048_576);
    expect(new Set(references.map(key)).size).toBe(1_000);
    expect(new Set(references.map(({ uri }) => uri)).size).toBe(1);
    expect(references[0]?.uri).toMatch(/^https:\/\/c\.example\.com\/issuer\/oidc4vci\/status-lists\/[\w-]{22}$/);
  });

  it('VCI:Z9 differ also when lists are so small that they fill up and parallel callers meet at every entry', async () => {
    const references = await reserveByTwo(1_000, 128);
    expect(new Set(references.map(key)).size).toBe(1_000);
    const lists = await rows(`SELECT count(*)::int AS entries, closed_at IS NULL AS open
      FROM issuer.status_list JOIN issuer.status_entry USING (list_number) GROUP BY list_number, closed_at`);
    expect(lists.length).toBeGreaterThanOrEqual(Math.ceil(1_000 / 128));
    expect(lists.filter(({ open }) => open)).toHaveLength(1);
    for (const { entries } of lists) expect(entries).toBeLessThanOrEqual(128);
  });

  it('VCI:Z9 come from the open list when another caller has replaced the full one long ago: no list is opened twice', async () => {
    const drawn = { offerId: newId(), expiresAt: at(YEAR), candidates: [1], count: 1, x5c: X5C, issuer: '' };
    await replica(128)(newId());
    const first = (await stage.statusLists.drawIndexes(drawn))?.listNumber;
    const listIds = [1, 2, 3].map(() => randomBytes(16).toString('base64url'));
    // All three saw the first list full; by the time of the second and third it is replaced, and the next one has room.
    for (const listId of listIds) await stage.statusLists.openList({ listId, size: 128, x5c: X5C, issuer: '' }, first);
    const open = await rows('SELECT list_id FROM issuer.status_list WHERE closed_at IS NULL');
    expect(open).toEqual([{ list_id: Buffer.from(listIds[0] as string, 'base64url') }]);
    expect(await rows('SELECT count(*)::int AS lists FROM issuer.status_list')).toEqual([{ lists: 2 }]);
  });

  it('EU:M2 of two issuer identifiers are in lists of their own, which each knows as its own', async () => {
    const below = { ...ISSUER, name: 'eu', url: `${ISSUER.url}/eu` };
    const reserves = [replica(), replica(1_024, X5C, stage.statusLists, below)];
    const [own = [], other = []] = await Promise.all(reserves.map((reserve) => reserve(newId(), 2)));
    const uris = [...own, ...other].map(({ uri }) => uri.replace(/[^/]+$/, ''));
    const folders = [ISSUER, below].flatMap(({ url }) => [url, url].map((one) => `${one}/oidc4vci/status-lists/`));
    expect(uris).toEqual(folders);
    const issuers = [own, other].map(
      async ([one]) => (await stage.statusLists.findList(idOf(one?.uri), undefined))?.issuer,
    );
    expect(await Promise.all(issuers)).toEqual(['', 'eu']);
    expect(await rows('SELECT count(*)::int AS open FROM issuer.status_list WHERE closed_at IS NULL')).toEqual([
      { open: 2 },
    ]);
  });

  it('VCI:Z9 are kept by a constraint of the database', async () => {
    await replica()(newId());
    const again = `INSERT INTO issuer.status_entry (list_number, idx, expires_at)
      SELECT list_number, idx, expires_at FROM issuer.status_entry`;
    await expect(stage.database.query(again)).rejects.toMatchObject({ code: 'database_error', sqlState: '23505' });
  });

  it('VCI:Z9 stay taken when nothing was issued with them, and after their offer was purged', async () => {
    const { offerId } = await stage.insert();
    const [reference] = await replica()(offerId);
    await stage.store.fail(offerId, issuanceEvent(offerId, 'EXPIRED'), NOW);
    await stage.store.purge(at(RETENTION_SECONDS + 1), 100);
    expect(await rows('SELECT idx, offer_id FROM issuer.status_entry')).toEqual([
      { idx: reference?.idx, offer_id: null },
    ]);
    const candidates = [reference?.idx as number];
    const drawn = await stage.statusLists.drawIndexes({
      offerId: newId(),
      expiresAt: at(1),
      candidates,
      count: 1,
      x5c: X5C,
      issuer: '',
    });
    expect(drawn?.indexes).toEqual([]);
  });

  it('VCI:L5 VCI:Z9 show neither the order of issuance nor that of a batch', async () => {
    const reserve = replica(1_048_576);
    const single: number[] = [];
    for (let at = 0; at < 40; at += 1) single.push((await reserve(newId()))[0]?.idx as number);
    const batch = (await reserve(newId(), 40)).map(({ idx }) => idx);
    for (const indexes of [single, batch]) {
      const rising = indexes.slice(1).filter((idx, at) => idx > (indexes[at] as number)).length;
      // 39 pairs: all rising or all falling would be an order; chance stays within these bounds but once in 10^9.
      expect(rising).toBeGreaterThan(5);
      expect(rising).toBeLessThan(34);
      const steps = indexes.slice(1).map((idx, at) => idx - (indexes[at] as number));
      expect(steps.some((step, at) => step === steps[at + 1])).toBe(false);
    }
  });

  it('VCI:Z10 come from lists of one size, however few there are', async () => {
    await replica(1_048_576)(newId());
    expect(await rows('SELECT size FROM issuer.status_list')).toEqual([{ size: 1_048_576 }]);
  });

  it('are given without a lock on the list: an issuance does not wait for a publication', async () => {
    const reserve = replica();
    const [reference] = await reserve(newId());
    await stage.database.transaction(async ({ query }) => {
      await query('SELECT FROM issuer.status_list FOR UPDATE');
      // One that waited would end with the time limit of a statement.
      expect(await reserve(newId())).toMatchObject([{ uri: reference?.uri }]);
    });
  });
});

describe('what is left of a status list', () => {
  const age = (listId: string) =>
    stage.database.query(`UPDATE issuer.status_list SET closed_at = $2 WHERE list_id = $1`, [
      Buffer.from(listId, 'base64url'),
      NOW,
    ]);
  const isServed = async (listId: string) => (await stage.statusLists.findList(listId, undefined)) !== undefined;

  it('says nothing about offers once their credentials have expired', async () => {
    const { references } = await issuedOffer(2);
    expect(await stage.statusLists.purge(at(YEAR - 1), 100, X5C)).toBe(0);
    expect(await stage.statusLists.purge(at(YEAR), 100, X5C)).toBe(2);
    const entries = await rows('SELECT idx, offer_id FROM issuer.status_entry ORDER BY idx');
    expect(entries).toEqual(
      references
        .map(({ idx }) => idx)
        .sort((a, b) => a - b)
        .map((idx) => ({ idx, offer_id: null })),
    );
  });

  it('VCI:Z13 is served until the last credential in it has expired, and then it is gone', async () => {
    const reserve = replica();
    const { offerId } = await stage.insert();
    const [reference] = await reserve(offerId, 1, at(YEAR));
    await reserve(newId(), 3, at(7_200));
    const listId = idOf(reference?.uri);
    await age(listId);
    for (let round = 0; round < 3; round += 1) await stage.statusLists.purge(at(YEAR - 1), 100, X5C);
    expect(await isServed(listId)).toBe(true);
    expect(await rows('SELECT count(*)::int AS entries FROM issuer.status_entry')).toEqual([{ entries: 4 }]);
    for (let round = 0; round < 3; round += 1) await stage.statusLists.purge(at(YEAR), 100, X5C);
    expect(await isServed(listId)).toBe(false);
    expect(await rows('SELECT FROM issuer.status_entry')).toEqual([]);
  });

  it('VCI:Z13 stays while it is open or has just been closed', async () => {
    const { listId } = await issuedOffer();
    await stage.statusLists.purge(at(2 * YEAR), 100, X5C);
    expect(await isServed(listId)).toBe(true);
    await stage.database.query('UPDATE issuer.status_list SET closed_at = $1', [at(2 * YEAR - 60)]);
    await stage.statusLists.purge(at(2 * YEAR), 100, X5C);
    expect(await isServed(listId)).toBe(true);
  });
});
