import { until } from '@vestibule/testkit';
import { randomBytes } from 'node:crypto';
import { type EventEmitter } from 'node:events';
import { type Logger } from '@vestibule/process';
import { type MigrationInterface, type QueryRunner } from 'typeorm';
import {
  createDatabase,
  type Database,
  DatabaseFault,
  type DatabaseOptions,
  isUniqueViolation,
  runMigrations,
} from '.';

jest.setTimeout(180_000);

// eslint-disable-next-line no-restricted-properties -- the global set-up says where the test database is
const url = process.env['TEST_DATABASE_URL'] ?? '';
const schema = `test_persistence_${randomBytes(6).toString('hex')}`;
const unluckySchema = `${schema}_unlucky`;
const lines: string[] = [];
const log = (message: string): void => void lines.push(message);
const logger: Logger = { debug: log, info: log, warn: log, error: log };

const OTHERS = 3;
/** Who waits for an advisory lock of this connection. */
const WAITING = `SELECT 1 FROM pg_locks AS own JOIN pg_locks AS other USING (locktype, database, classid, objid, objsubid)
  WHERE own.locktype = 'advisory' AND own.pid = pg_backend_pid() AND own.granted AND NOT other.granted`;

class CreateThing1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "${schema}".thing (id integer PRIMARY KEY, label text NOT NULL)`);
    // The other processes have arrived meanwhile, and wait for the lock that this one has.
    await until(async () => ((await runner.query(WAITING)) as unknown[]).length === OTHERS);
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "${schema}".thing`);
  }
}

class FailingMigration1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "${schema}".half_done (id integer)`);
    await runner.query('SELECT broken');
  }
  async down(): Promise<void> {}
}

const options: DatabaseOptions = {
  url,
  schema,
  applicationName: 'persistence test',
  migrations: [CreateThing1700000000000],
  poolSize: 4,
  statementTimeoutMilliseconds: 1_500,
  logger,
};

/** Loses its connection at the first try, as when Postgres restarts in the middle of a migration. */
class UnluckyMigration1700000000002 implements MigrationInterface {
  static tries = 0;
  async up(runner: QueryRunner): Promise<void> {
    UnluckyMigration1700000000002.tries += 1;
    if (UnluckyMigration1700000000002.tries === 1) await runner.query('SELECT pg_terminate_backend(pg_backend_pid())');
    await runner.query(`CREATE TABLE "${unluckySchema}".lucky (id integer)`);
  }
  async down(): Promise<void> {}
}

describe('a service’s database', () => {
  let database: Database;

  beforeAll(async () => {
    const ran = await Promise.all([1, 2, 3, 4].map(() => runMigrations(options)));
    expect(ran.flat()).toEqual(['CreateThing1700000000000']);
    database = await createDatabase(options);
  });
  it('is migrated in the end when Postgres goes away in the middle of it', async () => {
    const unlucky = { ...options, schema: unluckySchema, migrations: [UnluckyMigration1700000000002] };
    await expect(runMigrations(unlucky)).resolves.toEqual(['UnluckyMigration1700000000002']);
    expect(UnluckyMigration1700000000002.tries).toBe(2);
    await database.query(`DROP SCHEMA "${unluckySchema}" CASCADE`);
  });

  it('survives a connection that reports its loss again and again: the transaction is database_unavailable', async () => {
    const lost = database.transaction(async ({ query, manager }) => {
      await query('SELECT 1');
      const client = (await manager.queryRunner?.connect()) as EventEmitter;
      client.emit('error', new Error('write EPIPE'));
      client.emit('error', new Error('terminating connection due to administrator command'));
    });
    await expect(lost).rejects.toMatchObject({ kind: 'unavailable', code: 'database_unavailable' });
    await expect(database.query('SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
  });

  afterAll(async () => {
    await database.query(`DROP SCHEMA "${schema}" CASCADE`);
    await database.close();
  });

  it('keeps the table of its migrations in its own schema', async () => {
    const rows = await database.query<{ name: string }>(`SELECT name FROM "${schema}".migrations`);
    expect(rows).toEqual([{ name: 'CreateThing1700000000000' }]);
  });

  it('lets a failing migration leave nothing behind, and says database_error', async () => {
    const failing = { ...options, migrations: [CreateThing1700000000000, FailingMigration1700000000001] };
    await expect(runMigrations(failing)).rejects.toMatchObject({ code: 'database_error', sqlState: '42703' });
    const rows = await database.query(`SELECT to_regclass('"${schema}".half_done') AS found`);
    expect(rows).toEqual([{ found: null }]);
  });

  it('prepares a statement once per connection and reuses it', async () => {
    const rows = await database.transaction(async ({ query }) => {
      await query('SELECT $1::integer AS one', [1]);
      await query('SELECT $1::integer AS one', [2]);
      return query<{ calls: string }>(
        `SELECT generic_plans + custom_plans AS calls FROM pg_prepared_statements WHERE statement = $1`,
        ['SELECT $1::integer AS one'],
      );
    });
    expect(rows).toEqual([{ calls: '2' }]);
  });

  it('survives a table that another process changes under a prepared statement', async () => {
    const sql = `SELECT * FROM "${schema}".thing`;
    await Promise.all([1, 2, 3, 4].map(() => database.query(sql)));
    await database.query(`ALTER TABLE "${schema}".thing ADD COLUMN extra text`);
    await expect(Promise.all([1, 2, 3, 4].map(() => database.query(sql)))).resolves.toHaveLength(4);
  });

  it('commits when the work resolves and rolls back when it rejects', async () => {
    await database.transaction(({ query }) => query(`INSERT INTO "${schema}".thing VALUES (1, 'kept')`));
    const failed = database.transaction(async ({ query, manager }) => {
      await query(`INSERT INTO "${schema}".thing VALUES (2, 'lost')`);
      await manager.query(`INSERT INTO "${schema}".thing VALUES (3, 'lost')`);
      throw new RangeError('the work fails');
    });
    await expect(failed).rejects.toThrow(RangeError);
    await expect(database.query(`SELECT id FROM "${schema}".thing`)).resolves.toEqual([{ id: 1 }]);
  });

  it('reports a violated constraint without the values', async () => {
    const insert = `INSERT INTO "${schema}".thing VALUES ($1, $2)`;
    await database.query(insert, [10, 'canary-value']);
    const error: unknown = await database.query(insert, [10, 'canary-value']).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DatabaseFault);
    expect(isUniqueViolation(error, 'thing_pkey')).toBe(true);
    expect(isUniqueViolation(error, 'another_key')).toBe(false);
    expect(JSON.stringify(error) + String(error)).not.toMatch(/canary-value|10\)/);
  });

  it('reports the errors of TypeORM in the same way', async () => {
    const work = database.transaction(({ manager }) => manager.query('SELECT $1::integer', ['canary-value']));
    const error: unknown = await work.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'database_error', sqlState: '22P02' });
    expect(JSON.stringify(error) + String(error)).not.toContain('canary-value');
  });

  it('ends a statement that takes too long with database_timeout', async () => {
    await expect(database.query('SELECT pg_sleep(5)')).rejects.toMatchObject({ code: 'database_timeout' });
  });

  /** A database with one connection, which is taken until `release`. */
  async function takenDatabase(connectTimeoutMilliseconds: number) {
    const single = await createDatabase({ ...options, poolSize: 1, connectTimeoutMilliseconds });
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let isTaken = false;
    const holding = single.transaction(async () => {
      isTaken = true;
      await held;
    });
    await until(() => isTaken);
    return { single, release: () => (release(), holding) };
  }

  it('lets callers wait their turn where all connections are taken', async () => {
    const { single, release } = await takenDatabase(60_000);
    const waiting = [1, 2, 3].map((turn) => single.query('SELECT $1::int AS turn', [turn]));
    await release();
    await expect(Promise.all(waiting)).resolves.toEqual([[{ turn: 1 }], [{ turn: 2 }], [{ turn: 3 }]]);
    await single.close();
  });

  it('lets nobody wait for ever: without a connection in time it is database_unavailable, and later it works', async () => {
    const { single, release } = await takenDatabase(1_000);
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => single.query('SELECT 1')));
    const reason = expect.objectContaining({ code: 'database_unavailable', kind: 'unavailable' }) as unknown;
    expect(outcomes).toEqual(outcomes.map(() => ({ status: 'rejected', reason })));
    await release();
    await until(() => single.isReady());
    await single.close();
  });

  it('says database_unavailable when its connections are cut, and recovers by itself', async () => {
    const cut = database.query(`SELECT pg_terminate_backend(pg_backend_pid())`);
    await expect(cut).rejects.toMatchObject({ code: 'database_unavailable', kind: 'unavailable' });
    await database
      .query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'persistence test'`)
      .catch(() => undefined);
    await until(() => database.isReady());
    await expect(database.query('SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
  });

  it('says database_unavailable when the connection is cut within a transaction', async () => {
    const work = database.transaction(async ({ query }) => {
      await query(`SELECT pg_terminate_backend(pg_backend_pid())`);
    });
    await expect(work).rejects.toMatchObject({ code: 'database_unavailable' });
    await expect(database.isReady()).resolves.toBe(true);
  });
});

describe('a database that cannot be opened', () => {
  it('is tried again for the given time, with a line in the log, and is then database_unavailable', async () => {
    lines.length = 0;
    const opening = createDatabase({ ...options, url: 'postgres://nobody@127.0.0.1:9/none', startSeconds: 1 });
    await expect(opening).rejects.toMatchObject({ code: 'database_unavailable' });
    expect(lines).toContain('Postgres does not answer yet, retrying');
  });

  it('is given up at once when Postgres refuses the schema’s name', async () => {
    await expect(runMigrations({ ...options, schema: 'not a name' })).rejects.toThrow(RangeError);
  });
});
