import { createTestDatabase, type TestDatabase } from '@vestibule/dev-stack';
import type { Logger } from '@vestibule/process';
import { Client } from 'pg';
import { createDatabase, type Database, type DatabaseOptions } from '.';
import { type BlackHole, startBlackHole } from './testing/black-hole.fixture-spec';

jest.setTimeout(30_000);

const nothing = () => undefined;
const logger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const code = (name: string) => expect.objectContaining({ code: name, kind: 'unavailable' }) as unknown;

let made: TestDatabase;
let hole: BlackHole;
let database: Database;

const options = (): DatabaseOptions => ({
  url: hole.url,
  schema: 'verifier',
  applicationName: 'outcome test',
  migrations: [],
  poolSize: 3,
  statementTimeoutMilliseconds: 500,
  logger,
});

/** As the superuser, on a connection that no fault touches. */
async function asAdmin(...statements: readonly string[]): Promise<readonly { id: number }[]> {
  const client = new Client({ connectionString: made.adminUrl });
  await client.connect();
  try {
    let rows: readonly { id: number }[] = [];
    for (const statement of statements) ({ rows } = await client.query<{ id: number }>(statement));
    return rows;
  } finally {
    await client.end();
  }
}
const stored = async () => (await asAdmin('SELECT id FROM verifier.thing ORDER BY id')).map(({ id }) => id);

beforeAll(async () => {
  made = await createTestDatabase();
  hole = await startBlackHole(made.urls.verifier);
  database = await createDatabase(options());
  await database.query('CREATE TABLE verifier.thing (id integer PRIMARY KEY)');
});
afterAll(async () => {
  await database.close();
  await hole.close();
  await made.drop();
});
beforeEach(() => asAdmin('TRUNCATE verifier.thing'));

describe('a transaction', () => {
  it('in which a failed statement was caught is not reported as committed', async () => {
    const work = database.transaction(async ({ query }) => {
      await query('INSERT INTO verifier.thing VALUES (1)');
      await query('INSERT INTO verifier.thing VALUES (1)').catch(() => undefined);
    });
    await expect(work).rejects.toMatchObject({ code: 'database_error', sqlState: '25P02' });
    expect(await stored()).toEqual([]);
  });

  it('is not reported as committed either when the caught failure was that of a repository', async () => {
    const work = database.transaction(async ({ query, manager }) => {
      await query('INSERT INTO verifier.thing VALUES (1)');
      await manager.query('SELECT nothing').catch(() => undefined);
    });
    await expect(work).rejects.toMatchObject({ sqlState: '25P02' });
  });

  it('is committed where a savepoint took the failure', async () => {
    await database.transaction(async ({ query }) => {
      await query('INSERT INTO verifier.thing VALUES (1)');
      await query('SAVEPOINT before');
      await query('INSERT INTO verifier.thing VALUES (1)').catch(() => query('ROLLBACK TO SAVEPOINT before'));
    });
    expect(await stored()).toEqual([1]);
  });

  it('whose COMMIT gets no answer is database_outcome_unknown, and may be committed', async () => {
    const work = database.transaction(async ({ query }) => {
      await query('INSERT INTO verifier.thing VALUES (1)');
      hole.swallowAnswers();
    });
    await expect(work).rejects.toEqual(code('database_outcome_unknown'));
    expect(await stored()).toEqual([1]);
  });

  it('whose connection breaks at its COMMIT is database_outcome_unknown', async () => {
    const work = database.transaction(async ({ query }) => {
      await query('INSERT INTO verifier.thing VALUES (1)');
      hole.breakAtNextAnswer();
    });
    await expect(work).rejects.toEqual(code('database_outcome_unknown'));
  });

  it('that loses a statement before its COMMIT is database_unavailable: nothing is committed', async () => {
    const work = database.transaction(async ({ query }) => {
      await query('INSERT INTO verifier.thing VALUES (1)');
      hole.swallowAnswers();
      await query('INSERT INTO verifier.thing VALUES (2)');
    });
    await expect(work).rejects.toEqual(code('database_unavailable'));
    expect(await stored()).toEqual([]);
  });
});

describe('a single statement that gets no answer', () => {
  it.each([
    ['INSERT INTO verifier.thing VALUES (7)', 'database_outcome_unknown'],
    ['WITH new AS (INSERT INTO verifier.thing VALUES (7) RETURNING id) SELECT id FROM new', 'database_outcome_unknown'],
    ['WITH one AS (SELECT 1 AS id) SELECT id FROM one', 'database_unavailable'],
    ['SELECT id FROM verifier.thing', 'database_unavailable'],
  ])('%s is %s', async (sql, expected) => {
    await database.query('SELECT 1');
    hole.swallowAnswers();
    await expect(database.query(sql)).rejects.toEqual(code(expected));
    expect(await stored()).toEqual(expected === 'database_outcome_unknown' ? [7] : []);
  });

  it.each([
    ['INSERT INTO verifier.thing VALUES (7)', 'database_outcome_unknown'],
    ['SELECT id FROM verifier.thing', 'database_unavailable'],
  ])('because its connection breaks: %s is %s', async (sql, expected) => {
    await database.query('SELECT 1');
    hole.breakAtNextAnswer();
    await expect(database.query(sql)).rejects.toEqual(code(expected));
    await expect(database.query('SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
  });
});

describe('a Postgres that takes no writes', () => {
  const role = () => `"${made.name}_verifier"`;
  const endSessions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'outcome test' AND datname = current_database()`;
  const insert = () => database.query('INSERT INTO verifier.thing VALUES (1)');
  /** Time passes for this process: what waits for a moment in the past need not wait. */
  const later = (milliseconds: number) => {
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + milliseconds);
  };
  afterEach(async () => {
    jest.restoreAllMocks();
    await asAdmin(
      `ALTER ROLE ${role()} RESET default_transaction_read_only`,
      `ALTER ROLE ${role()} CONNECTION LIMIT -1`,
      endSessions,
    );
    await database.query('SELECT 1').catch(() => undefined);
  });

  it('because it is read-only is database_not_writable and not ready; after the failover the next statement finds the primary', async () => {
    await asAdmin(`ALTER ROLE ${role()} SET default_transaction_read_only = on`, endSessions);
    await database.query('SELECT 1').catch(() => undefined);
    await expect(insert()).rejects.toEqual(code('database_not_writable'));
    await expect(database.transaction(({ query }) => query('INSERT INTO verifier.thing VALUES (2)'))).rejects.toEqual(
      code('database_not_writable'),
    );
    await expect(database.isReady()).resolves.toBe(false);
    // The sessions that are read-only would stay so: only new ones can write.
    await asAdmin(`ALTER ROLE ${role()} RESET default_transaction_read_only`);
    await insert();
    expect(await stored()).toEqual([1]);
    later(10_000);
    await expect(database.isReady()).resolves.toBe(true);
  });

  it('is found by readiness alone, without any write', async () => {
    await asAdmin(`ALTER ROLE ${role()} SET default_transaction_read_only = on`, endSessions);
    await database.query('SELECT 1').catch(() => undefined);
    later(10_000);
    await expect(database.isReady()).resolves.toBe(false);
    await asAdmin(`ALTER ROLE ${role()} RESET default_transaction_read_only`);
    await expect(database.isReady()).resolves.toBe(true);
  });

  it('because its disk is full is database_not_writable, and not ready for ten seconds', async () => {
    await asAdmin(
      `CREATE FUNCTION verifier.disk_full() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$`,
      'CREATE TRIGGER disk_full BEFORE INSERT ON verifier.thing EXECUTE FUNCTION verifier.disk_full()',
    );
    await expect(insert()).rejects.toEqual(code('database_not_writable'));
    await expect(database.isReady()).resolves.toBe(false);
    await asAdmin('DROP TRIGGER disk_full ON verifier.thing', 'DROP FUNCTION verifier.disk_full');
    await insert();
    later(20_000);
    await expect(database.isReady()).resolves.toBe(true);
  });

  it('because all connections are taken is database_unavailable until one is free', async () => {
    await asAdmin(`ALTER ROLE ${role()} CONNECTION LIMIT 0`, endSessions);
    await database.query('SELECT 1').catch(() => undefined);
    await expect(insert()).rejects.toEqual(code('database_unavailable'));
    await expect(database.isReady()).resolves.toBe(false);
    await asAdmin(`ALTER ROLE ${role()} CONNECTION LIMIT -1`);
    await insert();
  });

  it('lives as long as a restart would not help', async () => {
    await asAdmin(`ALTER ROLE ${role()} CONNECTION LIMIT 0`, endSessions);
    await database.query('SELECT 1').catch(() => undefined);
    await expect(database.isAlive()).resolves.toBe(true);
    later(120_000);
    await expect(database.isAlive()).resolves.toBe(true);
  });
});

describe('a pool that has no answer', () => {
  it('is not alive after a minute in which a new connection has one', async () => {
    const single = await createDatabase({ ...options(), poolSize: 1, connectTimeoutMilliseconds: 300 });
    let release = nothing as () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    let holding: Promise<void> | undefined;
    await new Promise<void>((taken) => {
      holding = single.transaction(async () => (taken(), held), 'slow');
    });
    await expect(single.isAlive()).resolves.toBe(true);
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 61_000);
    // On a busy machine an answer may take longer than one check waits for it.
    const finds = async (isAlive: boolean) => {
      for (let checks = 1; (await single.isAlive()) !== isAlive; checks += 1) expect(checks).toBeLessThan(20);
    };
    await finds(false);
    release();
    await holding?.catch(() => undefined);
    await finds(true);
    jest.restoreAllMocks();
    await single.close();
  });
});
