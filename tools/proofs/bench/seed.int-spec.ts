import { createTestDatabase, type TestDatabase } from '@vestibule/dev-stack';
import { until } from '@vestibule/testkit';
import { Client } from 'pg';
import { countRows, keptExactly, keptPerFlow, measureCopies, measureKept, sizesOf, totalOf } from './kept-bytes';
import { seedRequests, seedStatusEntries } from './seed';

const request = (table: string) =>
  `CREATE TABLE ${table} (
     id bytea PRIMARY KEY CHECK (octet_length(id) = 24), number int GENERATED ALWAYS AS IDENTITY, status text NOT NULL,
     "odd name" text, created_at timestamptz NOT NULL DEFAULT now(), finished_at timestamptz)`;

const TABLES = [
  'CREATE SCHEMA IF NOT EXISTS verifier',
  'CREATE SCHEMA IF NOT EXISTS issuer',
  request('verifier.presentation_request'),
  request('issuer.credential_offer'),
  `CREATE TABLE issuer.status_list (
     list_number int PRIMARY KEY, size int NOT NULL, version bigint NOT NULL DEFAULT 0, closed_at timestamptz)`,
  `CREATE TABLE issuer.status_entry (
     list_number int, idx int, status smallint NOT NULL, offer_id bytea CHECK (octet_length(offer_id) = 24),
     expires_at timestamptz NOT NULL, PRIMARY KEY (list_number, idx))`,
  'INSERT INTO issuer.status_list VALUES (1, 1024, 0, now()), (2, 1024, 0, NULL)',
  `INSERT INTO issuer.status_entry VALUES (2, 7, 0, NULL, now())`,
];

let database: TestDatabase;
let client: Client;
const progress: string[] = [];
const report = (text: string) => void progress.push(text);

async function valueOf(sql: string): Promise<unknown> {
  const { rows } = await client.query<{ value: unknown }>(`SELECT ${sql} AS value`);
  return rows[0]?.value;
}

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.adminUrl });
  await client.connect();
  for (const statement of TABLES) await client.query(statement);
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

describe('old requests', () => {
  it('cannot be made where no request has finished yet', async () => {
    await expect(seedRequests(client, 10, report)).rejects.toMatchObject({ code: 'not_seeded' });
  });

  it('are copies of a finished one under keys of their own, within their retention', async () => {
    for (const table of ['verifier.presentation_request', 'issuer.credential_offer']) {
      await client.query(
        `INSERT INTO ${table} (id, status, "odd name", finished_at) VALUES
           (decode(repeat('aa', 24), 'hex'), 'DONE', 'text', now()), (decode(repeat('bb', 24), 'hex'), 'OPEN', NULL, NULL)`,
      );
    }
    await seedRequests(client, 2_500, report);
    for (const table of ['verifier.presentation_request', 'issuer.credential_offer']) {
      const where = `FROM ${table} WHERE status = 'DONE' AND "odd name" = 'text'`;
      expect(await valueOf(`(SELECT count(*)::int ${where})`)).toBe(2_501);
      expect(await valueOf(`(SELECT bool_and(finished_at > now() - interval '13 hours') ${where})`)).toBe(true);
      expect(await valueOf(`(SELECT count(DISTINCT substr(id, 1, 4))::int ${where})`)).toBe(1);
    }
    expect(progress).toContain('seeding issuer.credential_offer: 0 of 2500');
  });
});

describe('status entries', () => {
  it('are taken in the open list only, some of them revoked, and the list counts as changed', async () => {
    await seedStatusEntries(client, 1_000, report);
    expect(await valueOf('(SELECT count(*)::int FROM issuer.status_entry WHERE list_number = 2)')).toBe(1_001);
    expect(await valueOf('(SELECT count(*)::int FROM issuer.status_entry WHERE list_number = 1)')).toBe(0);
    expect(await valueOf('(SELECT version::int FROM issuer.status_list WHERE list_number = 2)')).toBe(1);
  });

  it('are refused where the list has no room for them', async () => {
    const detail = 'the status list has room for 23 entries, not for 100';
    await expect(seedStatusEntries(client, 100, report)).rejects.toMatchObject({ code: 'not_seeded', detail });
  });
});

describe('the bytes that are kept', () => {
  it('are the same each time, and what was deleted does not count', async () => {
    const before = await measureKept(database.adminUrl);
    await client.query(`INSERT INTO issuer.credential_offer (id, status)
      SELECT decode(lpad(to_hex(n), 48, '0'), 'hex'), repeat('x', 400) FROM generate_series(1, 2000) AS n`);
    await client.query(
      `DELETE FROM issuer.credential_offer WHERE right(encode(id, 'hex'), 1) < '8' AND length(status) = 400`,
    );
    const after = await measureKept(database.adminUrl);
    const kept = keptPerFlow(before, after, 1_000);
    expect(Object.keys(kept)).toEqual(['issuer.credential_offer']);
    expect(totalOf(kept)).toBeGreaterThan(450);
    expect(totalOf(kept)).toBeLessThan(600);
    expect(await measureKept(database.adminUrl)).toEqual(after);
  });

  it('do not count the maps of free space and visibility that an autovacuum adds', async () => {
    const kept = await measureKept(database.adminUrl);
    const sizeOf = async () => {
      const { rows } = await client.query<{ size: string }>(`SELECT pg_table_size('issuer.credential_offer') AS size`);
      return Number(rows[0]?.size);
    };
    const rewritten = await sizeOf();
    await client.query('VACUUM issuer.credential_offer');
    expect(await sizeOf()).toBeGreaterThan(rewritten);
    const { 'issuer.credential_offer': bytes } = await sizesOf(client);
    expect(bytes).toBe(kept['issuer.credential_offer']);
  });

  it('of a row are those among many rows, to which a page more or less is nothing', async () => {
    const tables = ['issuer.credential_offer', 'issuer.status_list'];
    const before = await measureKept(database.adminUrl);
    const [first, ...others] = [
      await measureCopies(database.adminUrl, tables, before),
      await measureCopies(database.adminUrl, tables, await measureKept(database.adminUrl)),
    ];
    const bytes = first?.['issuer.credential_offer'] ?? 0;
    // Header, key, status, odd name and two times, and the key once more in its index.
    expect(bytes).toBeGreaterThan(130);
    expect(bytes).toBeLessThan(170);
    expect(Object.keys(first ?? {})).toEqual(['issuer.credential_offer']);
    expect(Math.abs((others[0]?.['issuer.credential_offer'] ?? 0) - bytes)).toBeLessThan(2);
  });

  it('of a flow are those of its rows, and pages where no row can be copied', async () => {
    const rows = await countRows(database.adminUrl);
    expect(rows['issuer.status_list']).toBe(2);
    const growth = { 'issuer.credential_offer': 170.3, 'issuer.status_entry': 20, 'issuer.other': 7 };
    const rowsPerFlow = { 'issuer.credential_offer': 1, 'issuer.status_entry': 2, 'issuer.other': 1 };
    expect(keptExactly(growth, rowsPerFlow, { 'issuer.credential_offer': 150, 'issuer.status_entry': 11 })).toEqual({
      'issuer.credential_offer': 150,
      'issuer.status_entry': 22,
      'issuer.other': 7,
    });
  });

  it('do not count what was deleted, though a transaction could still see it', async () => {
    await client.query(`INSERT INTO verifier.presentation_request (id, status)
      SELECT decode(lpad(to_hex(n), 48, '0'), 'hex'), repeat('y', 400) FROM generate_series(1, 2000) AS n`);
    const before = await measureKept(database.adminUrl);
    const reader = new Client({ connectionString: database.adminUrl });
    await reader.connect();
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await reader.query('SELECT 1');
    await client.query('DELETE FROM verifier.presentation_request WHERE length(status) = 400');
    const measured = measureKept(database.adminUrl);
    let isDone = false;
    void measured.then(() => (isDone = true));
    const looking = `SELECT FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE '%age(backend_xmin)%'`;
    await until(async () => (await client.query(looking)).rows.length > 0);
    await reader.query('COMMIT');
    await reader.end();
    expect(isDone).toBe(false);
    expect(totalOf(before) - totalOf(await measured)).toBeGreaterThan(2_000 * 400);
  });

  it('do not count what was deleted, though a snapshot to come reaches back to a writer of another database', async () => {
    const elsewhere = await createTestDatabase();
    const writer = new Client({ connectionString: elsewhere.adminUrl });
    await writer.connect();
    await writer.query('BEGIN');
    await writer.query('SELECT pg_current_xact_id()');
    await client.query(`INSERT INTO verifier.presentation_request (id, status)
      SELECT decode(lpad(to_hex(n), 48, '0'), 'hex'), repeat('y', 400) FROM generate_series(1, 2000) AS n`);
    await client.query('DELETE FROM verifier.presentation_request WHERE length(status) = 400');
    const measured = measureKept(database.adminUrl);
    let isDone = false;
    void measured.then(() => (isDone = true));
    const looking = `SELECT FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE '%age(backend_xid)%'`;
    await until(async () => (await client.query(looking)).rows.length > 0);
    expect(isDone).toBe(false);
    await writer.query('COMMIT');
    await writer.end();
    await elsewhere.drop();
    const after = await measureKept(database.adminUrl);
    expect(await measured).toEqual(after);
  });

  it('do not have what the services purge, which is waited for', async () => {
    await client.query('CREATE TABLE issuer.spent (digest bytea, expires_at timestamptz NOT NULL)');
    await client.query(
      `INSERT INTO issuer.spent SELECT '\\x00', now() + interval '1 hour' FROM generate_series(1, 5000)`,
    );
    const sweep = setInterval(() => void client.query('DELETE FROM issuer.spent WHERE expires_at <= now()'), 50);
    const sizes = await measureKept(database.adminUrl).finally(() => clearInterval(sweep));
    // One page of an index that every table with long values has.
    expect(sizes['issuer.spent']).toBeLessThanOrEqual(8_192);
  });
});

describe('another layout', () => {
  it('is named by the table that is missing', async () => {
    await client.query('ALTER TABLE issuer.status_entry RENAME TO entry');
    const detail = expect.stringContaining('issuer.status_entry') as unknown;
    await expect(seedStatusEntries(client, 1, report)).rejects.toMatchObject({ code: 'not_seeded', detail });
  });
});
