import { createTestDatabase, type TestDatabase } from '@vestibule/dev-stack';
import type { Logger } from '@vestibule/process';
import { until } from '@vestibule/testkit';
import { Client } from 'pg';
import { createDatabase, type Database } from '.';
import { type BlackHole, startBlackHole } from './testing/black-hole.fixture-spec';

jest.setTimeout(30_000);

const nothing = () => undefined;
const logger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const code = (name: string) => expect.objectContaining({ code: name, kind: 'unavailable' }) as unknown;

let made: TestDatabase;
let hole: BlackHole;
let database: Database;
/** Another session, as the superuser, on a connection that no fault touches. */
let other: Client;

const open = (query = '') =>
  createDatabase({
    url: `${hole.url}${query}`,
    schema: 'verifier',
    applicationName: 'conflict test',
    migrations: [],
    poolSize: 2,
    logger,
  });
const stored = async () =>
  (await other.query<{ id: number; value: number }>('SELECT id, value FROM verifier.thing ORDER BY id')).rows.map(
    ({ id, value }) => [id, value],
  );
/** Until a statement of the service waits for a lock of the other session. */
const untilItWaits = () =>
  until(async () => {
    // Not in the open transaction of the other session, which would see what it saw first.
    const looking = new Client({ connectionString: made.adminUrl });
    await looking.connect();
    const { rows } = await looking.query(
      `SELECT FROM pg_stat_activity WHERE application_name = 'conflict test' AND wait_event_type = 'Lock'`,
    );
    await looking.end();
    return rows.length > 0;
  });

beforeAll(async () => {
  made = await createTestDatabase();
  hole = await startBlackHole(made.urls.verifier);
  other = new Client({ connectionString: made.adminUrl });
  await other.connect();
  database = await open();
  await database.query('CREATE TABLE verifier.thing (id integer PRIMARY KEY, value integer NOT NULL DEFAULT 0)');
});
afterAll(async () => {
  await database?.close();
  await other?.end();
  await hole?.close();
  await made?.drop();
});
beforeEach(() => other.query('TRUNCATE verifier.thing; INSERT INTO verifier.thing VALUES (1), (2)'));

const ADD = 'UPDATE verifier.thing SET value = value + 10 WHERE id = $1';

describe('a statement that gets in the way of another session', () => {
  it('is sent once more when it was the victim of a deadlock', async () => {
    await other.query("SET deadlock_timeout = '1h'");
    await other.query('BEGIN');
    await other.query('UPDATE verifier.thing SET value = value + 1 WHERE id = 1');
    const both = `WITH second AS (UPDATE verifier.thing SET value = value + 10 WHERE id = 2 RETURNING id)
      UPDATE verifier.thing SET value = value + 10 FROM second WHERE thing.id = 1`;
    const changing = database.query(both);
    await untilItWaits();
    // Postgres breaks the circle by an error for the service, and then goes on here.
    await other.query('UPDATE verifier.thing SET value = value + 1 WHERE id = 2');
    await other.query('COMMIT');
    await changing;
    expect(await stored()).toEqual([
      [1, 11],
      [2, 11],
    ]);
  });

  describe('under a stricter isolation, which an operator has asked for', () => {
    let strict: Database;
    beforeAll(async () => {
      strict = await open('?options=-c%20default_transaction_isolation%3Drepeatable%5C%20read');
    });
    afterAll(() => strict?.close());
    /** Runs `work` against a row that the other session changes meanwhile. */
    async function whileChanged<Result>(work: () => Promise<Result>): Promise<Result> {
      await other.query('BEGIN');
      await other.query('UPDATE verifier.thing SET value = value + 1 WHERE id = 1');
      const working = work();
      working.catch(nothing);
      await untilItWaits();
      await other.query('COMMIT');
      return working;
    }

    it('is sent once more when the row has changed meanwhile', async () => {
      await whileChanged(() => strict.query(ADD, [1]));
      expect(await stored()).toContainEqual([1, 11]);
    });

    it('is database_unavailable within a transaction, which the caller may repeat', async () => {
      const work = () => strict.transaction(({ query }) => query(ADD, [1]));
      await expect(whileChanged(work)).rejects.toEqual(code('database_unavailable'));
      await work();
      expect(await stored()).toContainEqual([1, 11]);
    });
  });
});

describe.each([
  ['pgBouncer', 'FATAL', '08P01'],
  ['an older pgBouncer', 'ERROR', '08P01'],
  ['pgpool', 'FATAL', 'XX000'],
  ['Odyssey', 'ERROR', '08006'],
])('a pooler that has lost its server, as %s says it (%s %s)', (_pooler, severity, state) => {
  const fields = Buffer.from(`S${severity}\0V${severity}\0C${state}\0Mthe server is lost\0\0`, 'latin1');
  const head = Buffer.from([0x45, 0, 0, 0, fields.byteLength + 4]);
  const crash = () => hole.replaceNextAnswer(Buffer.concat([head, fields]));
  beforeEach(() => database.query('SELECT 1'));

  it('leaves it open whether a write took effect: database_outcome_unknown', async () => {
    crash();
    await expect(database.query(ADD, [1])).rejects.toEqual(code('database_outcome_unknown'));
    expect(await stored()).toContainEqual([1, 10]);
  });

  it('leaves it open whether a transaction is committed: database_outcome_unknown', async () => {
    const work = database.transaction(async ({ query }) => {
      await query(ADD, [1]);
      crash();
    });
    await expect(work).rejects.toEqual(code('database_outcome_unknown'));
    expect(await stored()).toContainEqual([1, 10]);
  });

  it('is database_unavailable for what reads, and for a transaction before its COMMIT', async () => {
    crash();
    await expect(database.query('SELECT id FROM verifier.thing')).rejects.toEqual(code('database_unavailable'));
    const work = database.transaction(async ({ query }) => {
      crash();
      await query(ADD, [1]);
    });
    await expect(work).rejects.toEqual(code('database_unavailable'));
    expect(await stored()).toContainEqual([1, 0]);
  });

  it('is replaced by a new connection for the next statement', async () => {
    crash();
    await expect(database.query('SELECT 1')).rejects.toEqual(code('database_unavailable'));
    await expect(database.query('SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
  });
});
