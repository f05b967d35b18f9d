import { randomBytes } from 'node:crypto';
import { createTimedId, parseTimedId } from '@vestibule/crypto';
import { type Logger } from '@vestibule/process';
import { READS_ALL } from '@vestibule/testkit';
import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { createDatabase, type Database } from '.';
import { createNewestFirst, newestFirstSql, type NewestFirstQuestion } from './newest-first';

jest.setTimeout(180_000);

// eslint-disable-next-line no-restricted-properties -- the global set-up says where the test database is
const url = process.env['TEST_DATABASE_URL'] ?? '';
const schema = `test_newest_${randomBytes(6).toString('hex')}`;
const silent = (): void => undefined;
const logger: Logger = { debug: silent, info: silent, warn: silent, error: silent };
const START = Date.parse('2026-03-01T12:00:00.000Z');
/** Ten a second; one in five thousand is rare. */
const ROWS = 25_000;
const RARE = 5_000;
const at = (n: number) => new Date(START + n * 100);

class CreateThing1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "${schema}".thing (id bytea PRIMARY KEY, status text NOT NULL, created_at timestamptz NOT NULL)`,
    );
  }
  async down(): Promise<void> {}
}

const options = { table: `"${schema}".thing`, key: 'id', columns: 'status, created_at' };
let database: Database;
let list: (question: Partial<NewestFirstQuestion>) => Promise<{ ids: string[]; pages: number }>;
/** From the oldest to the newest of each second, as their ids are ordered. */
let ids: readonly string[];
beforeAll(async () => {
  const migrations = [CreateThing1700000000000];
  database = await createDatabase({ url, schema, applicationName: 'test', migrations, poolSize: 2, logger });
  const made = Array.from({ length: ROWS }, (_, n) => ({ id: createTimedId(at(n), randomBytes), n }));
  await database.query(
    `INSERT INTO "${schema}".thing SELECT * FROM unnest($1::bytea[], $2::text[], $3::timestamptz[])`,
    [
      made.map(({ id }) => Buffer.from(parseTimedId(id) ?? [])),
      made.map(({ n }) => (n % RARE === 0 ? 'RARE' : 'USUAL')),
      made.map(({ n }) => at(n)),
    ],
  );
  await database.query(`ANALYZE "${schema}".thing`);
  const rows = await database.query<{ id: Buffer }>(`SELECT id FROM "${schema}".thing ORDER BY id DESC`);
  ids = rows.map(({ id }) => id.toString('base64url'));
  const newestFirst = createNewestFirst<{ key: Buffer }>({ database, ...options });
  list = async (question) => {
    const found: string[] = [];
    let cursor = question.cursor;
    for (let pages = 1; ; pages += 1) {
      const page = await newestFirst({ limit: 1000, ...question, cursor });
      found.push(...page.rows.map(({ key }) => key.toString('base64url')));
      if (page.nextCursor === undefined) return { ids: found, pages };
      cursor = page.nextCursor;
    }
  };
});
afterAll(async () => {
  await database.query(`DROP SCHEMA "${schema}" CASCADE`);
  await database.close();
});

describe('a list, newest first', () => {
  it.each([1000, 999, 500])('gives each row once, in order, with pages of %s', async (limit) => {
    const found = await list({ limit });
    expect(found.ids).toEqual(ids);
    expect(found.pages).toBe(Math.ceil(ROWS / limit));
  });

  it('finds the rare ones, and reads a bounded part of the table for each page', async () => {
    const found = await list({ status: 'RARE' });
    expect(found.ids).toHaveLength(ROWS / RARE);
    // Ten thousand rows are read for a page.
    expect(found.pages).toBe(3);
  });

  it('finds none of a status that there is not, and comes to an end', async () => {
    expect(await list({ status: 'NONE' })).toEqual({ ids: [], pages: 3 });
  });

  it.each([
    [0, 10],
    [1, 11],
    [9, 10],
    [105, 3_333],
    [-50, 5],
    [ROWS - 3, ROWS + 100],
    [100, 100],
    [200, 100],
  ])('created from the %sth on and before the %sth', async (from, before) => {
    const found = await list({ createdFrom: at(from).toISOString(), createdBefore: at(before).toISOString() });
    const rows = await database.query<{ id: Buffer }>(
      `SELECT id FROM "${schema}".thing WHERE created_at >= $1 AND created_at < $2 ORDER BY id DESC`,
      [at(from), at(before)],
    );
    expect(found.ids).toEqual(rows.map(({ id }) => id.toString('base64url')));
    expect(found.ids).toHaveLength(Math.max(0, Math.min(before, ROWS) - Math.max(from, 0)));
  });

  it.each(['1970-01-01T00:00:00Z', '9999-12-31T23:59:59Z'])('knows times without any row: %s', async (time) => {
    const later = await list({ createdFrom: time });
    const earlier = await list({ createdBefore: time });
    expect(later.ids.length + earlier.ids.length).toBe(ROWS);
  });

  it.each(['', 'AAAA', 'x'.repeat(32), '=', "'; --"])('refuses the cursor "%s"', async (cursor) => {
    const expected = cursor === 'x'.repeat(32) ? undefined : 'invalid_request';
    const code = await list({ cursor }).then(
      () => undefined,
      (error: { code?: string }) => error.code,
    );
    expect(code).toBe(expected);
  });

  it('goes along the primary key and sorts only what it has read', async () => {
    const parameters = [Buffer.alloc(0), Buffer.alloc(25, 0xff), 'RARE', null, null, 101, 10_000];
    const rows = await database.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${newestFirstSql(options)}`, parameters);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('Index Scan Backward using thing_pkey');
    expect(plan).not.toMatch(READS_ALL);
  });
});
