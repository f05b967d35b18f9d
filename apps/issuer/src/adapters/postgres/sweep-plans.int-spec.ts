import { randomBytes } from 'node:crypto';
import { READS_ALL } from '@vestibule/testkit';
import { openStoreStage, type StoreStage } from '../../testing/store.fixture-spec';
import { MARK_UNSERVED, PURGE_KEPT, PURGE_UNKEPT } from './change-statements';
import { PURGE_OFFERS, PURGE_SPENT, PURGE_TOKENS, REMAINS } from './purge-statements';
import { EXPIRE, FIND_OVERDUE } from './statements';

jest.setTimeout(180_000);

/** As many as make reading the whole table the worst choice by far. */
const ROWS = 100_000;
const OVERDUE = 500;
const ID = `decode(lpad(to_hex(n), 8, '0') || repeat('00', 20), 'hex')`;
const DIGEST = `decode(repeat(md5(n::text), 2), 'hex')`;

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
  const { database } = stage;
  for (const table of ['credential_offer', 'access_token', 'spent', 'callback'])
    await database.query(`ALTER TABLE issuer.${table} SET (autovacuum_enabled = off)`);
  // Most offers have ended, all of them within the retention; some are open, a few overdue, a few keep their claims.
  await database.query(
    `INSERT INTO issuer.credential_offer
       (offer_id, configuration_id, status, session, code_digest, created_at, expires_at, finished_at)
     SELECT ${ID}, 'type',
       CASE WHEN n <= 100 THEN 'ISSUED' WHEN n <= $1::int THEN 'EXPIRED' ELSE 'OFFER_CREATED' END,
       CASE WHEN n <= 100 OR n > $1::int THEN decode(repeat(md5(n::text), 16), 'hex') END,
       CASE WHEN n > $1::int THEN ${DIGEST} END,
       now(), now() + (n - $1::int - $2::int) * interval '1 second',
       CASE WHEN n <= $1::int THEN now() - n * interval '1 second' END
     FROM generate_series(1, $1::int + 10 * $2::int) AS n`,
    [ROWS, OVERDUE],
  );
  await database.query(
    `INSERT INTO issuer.access_token (token_digest, offer_id, thumbprint, granted, expires_at)
     SELECT ${DIGEST}, ${ID}, 'thumbprint', '[]', now() + n * interval '1 second' FROM generate_series(1, $1::int) AS n`,
    [ROWS],
  );
  await database.query(
    `INSERT INTO issuer.spent (kind, digest, expires_at)
     SELECT 'c_nonce', ${DIGEST}, now() + n * interval '1 second' FROM generate_series(1, $1::int) AS n`,
    [ROWS],
  );
  await database.query('ANALYZE issuer.credential_offer, issuer.access_token, issuer.spent');
});
afterAll(() => stage.close());

async function planOf(sql: string, parameters: readonly unknown[]): Promise<string> {
  const rows = await stage.database.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, parameters);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

/** Entries of an offer are few, so that their index may be read first. */
const READS_MANY = /Bitmap Heap Scan on (?!status_entry )|status_entry_expiry/;

function expectFew(plan: string): void {
  expect(plan).not.toMatch(READS_ALL);
  expect(plan).not.toMatch(READS_MANY);
}

describe('with many ended offers, a sweep reads only what it ends or deletes', () => {
  it('finds overdue offers through the index of open ones', async () => {
    const plan = await planOf(FIND_OVERDUE, [new Date(), 250]);
    expect(plan).toContain('Index Scan using credential_offer_open');
    expectFew(plan);
    expect(plan).not.toContain('Sort');
  });

  it('ends a batch by its keys', async () => {
    const ids = Array.from({ length: 250 }, () => randomBytes(24));
    const texts = ids.map((id) => id.toString('base64url'));
    const events = [ids, texts, ids, 86_400, ids.map(() => 'EXPIRED'), ids.map(() => null)];
    const plan = await planOf(EXPIRE, [new Date(), ids, texts, ...events]);
    expect(plan).toContain('Index Scan using credential_offer_pkey');
    expectFew(plan);
  });

  it('marks a batch by keys, codes and tokens', async () => {
    const names = Array.from({ length: 200 }, () => randomBytes(32));
    const plan = await planOf(MARK_UNSERVED, [names.map(() => 'code_digest'), names, names.map(() => 1), new Date()]);
    for (const index of ['credential_offer_pkey', 'credential_offer_code', 'access_token_pkey'])
      expect(plan).toContain(`using ${index}`);
    expectFew(plan);
  });

  it('looks for what remains through the index of each purge', async () => {
    const now = new Date();
    const plan = await planOf(REMAINS, [now, new Date(now.getTime() - 86_400_000), null]);
    const indexes = ['credential_offer_ended', 'access_token_expiry', 'spent_expiry', 'credential_offer_kept'];
    for (const index of indexes) expect(plan).toMatch(new RegExp(`Index (Only )?Scan using ${index}`));
    expect(plan).not.toMatch(READS_ALL);
    expect(plan).not.toMatch(/Bitmap|Sort/);
  });

  it('reads all claims that are kept only where they are kept no longer', async () => {
    const now = new Date();
    const places = [await planOf(REMAINS, [now, now, now]), await planOf(PURGE_UNKEPT, [now, 1_000])];
    for (const plan of places) {
      expect(plan).toMatch(/Index Scan using credential_offer_kept.*\n *Filter/);
      expect(plan).not.toMatch(/Seq Scan|Bitmap|Sort/);
    }
  });

  it.each([
    ['ended offers', PURGE_OFFERS, 'credential_offer', 'credential_offer_ended'],
    ['kept claims', PURGE_KEPT, 'credential_offer', 'credential_offer_kept'],
    ['tokens', PURGE_TOKENS, 'access_token', 'access_token_expiry'],
    ['used nonces and proofs', PURGE_SPENT, 'spent', 'spent_expiry'],
  ])('wipes a batch of %s through their index, then by place', async (_what, sql, table, index) => {
    const more = sql === PURGE_OFFERS ? [new Date()] : [];
    const plan = await planOf(sql, [new Date(Date.now() - 3_600_000), 1_000, ...more]);
    expect(plan).toContain(`Index Scan using ${index}`);
    expect(plan).toContain(`Tid Scan on ${table}`);
    expectFew(plan);
  });
});
