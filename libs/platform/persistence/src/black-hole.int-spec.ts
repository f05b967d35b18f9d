import type { Logger } from '@vestibule/process';
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { createDatabase, type Database, type DatabaseOptions } from '.';
import { ANSWER_MILLISECONDS, CONNECTION_MILLISECONDS, STATEMENT_MILLISECONDS } from './time-limits';
import { type BlackHole, startBlackHole } from './testing/black-hole.fixture-spec';

jest.setTimeout(30_000);

// eslint-disable-next-line no-restricted-properties -- the global set-up says where the test database is
const postgres = process.env['TEST_DATABASE_URL'] ?? '';
const schema = `test_black_hole_${randomBytes(6).toString('hex')}`;
const nothing = () => undefined;
const logger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const POOL_SIZE = 4;

describe('the time limits', () => {
  it('let Postgres end a statement before the connection is given up', () => {
    expect(STATEMENT_MILLISECONDS).toBeLessThan(ANSWER_MILLISECONDS);
  });

  it('of a connection and a statement together stay below what any caller waits', () => {
    expect(CONNECTION_MILLISECONDS + ANSWER_MILLISECONDS).toBeLessThan(10_000);
  });
});

describe('a database whose connections fall silent', () => {
  let hole: BlackHole;
  let database: Database;

  beforeEach(async () => {
    hole = await startBlackHole(postgres);
    database = await createDatabase(options());
  });
  afterEach(async () => {
    await database.close();
    await hole.close();
    const client = new Client({ connectionString: postgres });
    await client.connect();
    await client.query(`DROP SCHEMA "${schema}" CASCADE`);
    await client.end();
  });

  const options = (): DatabaseOptions => ({
    url: hole.url,
    schema,
    applicationName: 'black hole test',
    migrations: [],
    poolSize: POOL_SIZE,
    statementTimeoutMilliseconds: 500,
    logger,
  });

  /** Every connection of the pool is open and idle. */
  const fill = () => Promise.all(Array.from({ length: POOL_SIZE }, () => database.query('SELECT pg_sleep(0.05)')));

  it('fails the statement that waits for an answer, and takes that connection never again', async () => {
    await database.query('SELECT 1');
    hole.swallow();
    await expect(database.query('SELECT 1')).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(database.query('SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
  });

  it('fails one statement though all of them are silent: no other one is tried', async () => {
    await fill();
    hole.swallow();
    await expect(database.query('SELECT 1')).rejects.toMatchObject({ kind: 'unavailable' });
    const answers = await Promise.all(Array.from({ length: 20 }, () => database.query('SELECT 1 AS one')));
    expect(answers).toEqual(Array.from({ length: 20 }, () => [{ one: 1 }]));
  });

  it('fails nothing when they were idle for some time: each is asked first', async () => {
    await fill();
    hole.swallow();
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 6_000);
    await expect(database.query('SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
    await expect(database.transaction(({ query }) => query('SELECT 1 AS one'))).resolves.toEqual([{ one: 1 }]);
    jest.restoreAllMocks();
  });

  it('fails a transaction that waits for an answer, without waiting for its ROLLBACK', async () => {
    const work = database.transaction(async ({ query }) => {
      await query('SELECT 1');
      hole.swallow();
      await query('SELECT 1');
    });
    await expect(work).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(database.transaction(({ query }) => query('SELECT 1 AS one'))).resolves.toEqual([{ one: 1 }]);
  });

  it('ends a transaction of many statements, each of them short, and suspects no other connection', async () => {
    const [before] = await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    let count = 0;
    const endless = database.transaction(async ({ query }) => {
      for (;;) {
        await query('SELECT pg_sleep(0.1)');
        count += 1;
      }
    });
    await expect(endless).rejects.toMatchObject({ kind: 'unavailable', code: 'database_timeout' });
    expect(count).toBeLessThanOrEqual(30);
    expect(before?.pid).toBeDefined();
    await expect(database.query('SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
  });

  it('ends a migration whose answers are lost, and says that Postgres went away', async () => {
    class Swallowed1700000000000 {
      async up(runner: { query: (sql: string) => Promise<unknown> }) {
        hole.swallowAnswers();
        await runner.query('SELECT 1');
      }
      async down() {
        // Nothing was made.
      }
    }
    const failing = {
      ...options(),
      migrations: [Swallowed1700000000000],
      migrationStatementSeconds: 1,
      startSeconds: 0,
    };
    await expect(createDatabase(failing)).rejects.toMatchObject({ code: 'database_unavailable' });
  });

  it.each(['SELECT version()', 'current_schema()'])(
    'is opened although Postgres cancels the first %s at the start, and loses no connection',
    async (statement) => {
      const before = hole.accepted;
      hole.cancelNext(statement);
      const opened = await createDatabase(options());
      await expect(opened.query('SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
      await opened.close();
      expect(hole.accepted).toBeLessThanOrEqual(before + 4);
    },
  );

  it('lets a slow transaction take longer than a statement may, and limits the next one again', async () => {
    const single = await createDatabase({ ...options(), poolSize: 1 });
    const slow = single.transaction(({ query }) => query('SELECT pg_sleep(1.2), 1 AS one'), 'slow');
    await expect(slow).resolves.toMatchObject([{ one: 1 }]);
    await expect(single.query('SELECT pg_sleep(60)')).rejects.toMatchObject({ code: 'database_timeout' });
    const again = single.transaction(({ query }) => (hole.swallow(), query('SELECT 1')));
    await expect(again).rejects.toMatchObject({ kind: 'unavailable' });
    await single.close();
  });

  it('closes though the connections that it has say nothing', async () => {
    await fill();
    const pending = expect(database.query('SELECT pg_sleep(60)')).rejects.toMatchObject({ kind: 'unavailable' });
    hole.swallow();
    await pending;
  });
});
