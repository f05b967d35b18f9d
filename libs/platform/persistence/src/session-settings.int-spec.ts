import { createTestDatabase, type TestDatabase } from '@vestibule/dev-stack';
import type { Logger } from '@vestibule/process';
import { Client } from 'pg';
import type { QueryRunner } from 'typeorm';
import { auditTableSql, createAudit, createDatabase, type Database, type MigrationClass } from '.';

jest.setTimeout(60_000);

const nothing = () => undefined;
const logger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const AT = new Date('2026-11-05T09:30:00.123Z');
const ALONGSIDE = 8;

/** Notes how long its statements and transactions may take, and wait for a lock. */
class CreateAuditTrail1700000000000 {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of auditTableSql('verifier')) await runner.query(statement);
    await runner.query(`CREATE TABLE verifier.thing (at timestamptz)`);
    await runner.query(
      `CREATE TABLE verifier.migrated AS SELECT current_setting('statement_timeout') AS statement,
         current_setting('transaction_timeout', true) AS transaction, current_setting('lock_timeout') AS lock`,
    );
  }
  async down(): Promise<void> {}
}

let made: TestDatabase;
let database: Database;
let version: number;
const open = () =>
  createDatabase({
    url: made.urls.verifier,
    schema: 'verifier',
    applicationName: 'settings test',
    migrations: [CreateAuditTrail1700000000000 as MigrationClass],
    poolSize: ALONGSIDE,
    logger,
  });
/** Records an action; `of` stands for one process. */
const note = (of: Database) =>
  createAudit({ database: of, schema: 'verifier' }).run(async () => ({
    result: undefined,
    entry: { action: 'offer.cancel' },
  }));

/** What administrators set for a role or a whole database. */
const UNUSUAL = [
  `DateStyle = 'SQL, DMY'`,
  `IntervalStyle = 'sql_standard'`,
  `TimeZone = 'America/St_Johns'`,
  `bytea_output = 'escape'`,
  `default_transaction_isolation = 'repeatable read'`,
  `statement_timeout = '500ms'`,
  `lock_timeout = '30s'`,
];
/** The first version with a limit for transactions. */
const TRANSACTION_TIMEOUT = 170_000;

beforeAll(async () => {
  made = await createTestDatabase();
  const admin = new Client({ connectionString: made.adminUrl });
  await admin.connect();
  for (const one of UNUSUAL) await admin.query(`ALTER ROLE "${made.name}_verifier" SET ${one}`);
  // Postgres 19 has only one value of this.
  const { rows } = await admin.query<{ version: number }>(
    `SELECT current_setting('server_version_num')::int AS version`,
  );
  version = rows[0]?.version ?? 0;
  if (version >= TRANSACTION_TIMEOUT)
    await admin.query(`ALTER ROLE "${made.name}_verifier" SET transaction_timeout = '30s'`);
  if (version < 190_000) await admin.query(`ALTER ROLE "${made.name}_verifier" SET standard_conforming_strings = off`);
  await admin.end();
  database = await open();
});
afterAll(async () => {
  await database?.close();
  await made?.drop();
});

describe('whatever is set for the role of a service', () => {
  it('its times are read as they were written, prepared or not, within a transaction and by TypeORM', async () => {
    await database.query('INSERT INTO verifier.thing VALUES ($1)', [AT]);
    const read = 'SELECT at FROM verifier.thing';
    const inside = await database.transaction(async ({ query, manager }) => [
      await query(read),
      await manager.query<object[]>(read),
    ]);
    expect([await database.query(read), await database.queryAnew(read), ...inside]).toEqual(
      Array.from({ length: 4 }, () => [{ at: AT }]),
    );
  });

  it('migrations take as long as they need', async () => {
    const transaction = version >= TRANSACTION_TIMEOUT ? '0' : null;
    expect(await database.query('SELECT * FROM verifier.migrated')).toEqual([
      { statement: '0', transaction, lock: '2min' },
    ]);
  });

  it('what waited for a lock sees what was stored meanwhile: actions that are recorded at the same time all are', async () => {
    const other = await open();
    await Promise.all(Array.from({ length: ALONGSIDE }, (_, index) => note(index % 2 === 0 ? database : other)));
    await other.close();
    expect(await database.query('SELECT count(*)::int AS n FROM verifier.audit_record')).toEqual([{ n: ALONGSIDE }]);
  });
});
