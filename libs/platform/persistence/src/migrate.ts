import { type DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import {
  connectWithin,
  type DatabaseOptions,
  migrationConnection,
  migrationMilliseconds,
  startMilliseconds,
} from './data-source';
import { DatabaseFault, isPassing, toDatabaseError } from './database-errors';
import { quoteIdentifier } from './identifier';
import { compareSchema, guardRecords, markMigrations, mayMigrate, schemaIsOlder } from './schema-version';
import type { LimitedClient } from './limited-client';
import { startFailure } from './start-failure';
import { LOCK_MILLISECONDS } from './time-limits';

const RETRY_MILLISECONDS = 500;
const INSUFFICIENT_PRIVILEGE = '42501';
/**
 * A migration takes as long as its tables are large, whatever limit its role has for transactions. Postgres has that limit since
 * 17: before, a session that named it would not start.
 */
const UNLIMITED_TRANSACTIONS = `SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout'`;

/** `CREATE SCHEMA IF NOT EXISTS` would require the right to create schemas even if the schema exists. */
async function ensureSchema(runner: QueryRunner, schema: string): Promise<void> {
  const identifier = quoteIdentifier(schema);
  const rows = (await runner.query('SELECT to_regnamespace($1) IS NULL AS missing', [identifier])) as {
    missing: boolean;
  }[];
  if (rows[0]?.missing) await runner.query(`CREATE SCHEMA ${identifier}`);
}

/** The lock belongs to the session and ends with it, so a crashed process does not block the next one. */
async function migrateUnderLock(source: DataSource, options: DatabaseOptions): Promise<readonly string[]> {
  const { schema } = options;
  const runner = source.createQueryRunner();
  try {
    const client = (await runner.connect()) as LimitedClient;
    await runner.query(`SET lock_timeout = ${LOCK_MILLISECONDS}`);
    await runner.query(UNLIMITED_TRANSACTIONS);
    await runner.query(`SELECT pg_advisory_lock(hashtextextended($1, 0))`, [`vestibule migrations of ${schema}`]);
    const { isPending } = await compareSchema(runner, options);
    if (!(await mayMigrate(runner, schema))) {
      if (isPending) throw schemaIsOlder(schema);
      return [];
    }
    await ensureSchema(runner, schema);
    await markMigrations(runner, options);
    client.limitTo(migrationMilliseconds(options));
    const executor = new MigrationExecutor(source, runner);
    executor.transaction = 'each';
    const done = await executor.executePendingMigrations();
    await guardRecords(runner, schema);
    return done.map(({ name }) => name);
  } finally {
    await runner.release();
  }
}

const variableOf = ({ migrationUrl }: DatabaseOptions) =>
  migrationUrl === undefined ? 'DATABASE_URL' : 'MIGRATION_DATABASE_URL';

/** Adds the name of the role if it lacks a privilege that a migration needs. */
function explained(error: unknown, options: DatabaseOptions): unknown {
  const failure = toDatabaseError(error);
  const isDenied = failure instanceof DatabaseFault && failure.sqlState === INSUFFICIENT_PRIVILEGE;
  return isDenied ? startFailure(failure.hiddenCause(), { variable: variableOf(options), url: options.url }) : failure;
}

async function migrateOnce(options: DatabaseOptions): Promise<readonly string[]> {
  const { dataSource } = await connectWithin(options, variableOf(options), () => migrationConnection(options));
  try {
    return await migrateUnderLock(dataSource, options);
  } catch (error) {
    throw explained(error, options);
  } finally {
    await dataSource.destroy();
  }
}

/**
 * Brings the schema up to date and returns the names of the migrations that ran. Processes that start together wait for
 * each other (session advisory lock); each migration runs in a transaction. If Postgres becomes unavailable meanwhile,
 * it is retried until `startSeconds` have passed. Throws `database_unavailable`, `database_refused`, `database_error`,
 * `database_schema_newer` for a schema of a newer program that is not marked compatible, and `database_schema_older` if
 * migrations are pending and the role may not run them.
 */
export async function runMigrations(given: DatabaseOptions): Promise<readonly string[]> {
  const options = { ...given, url: given.migrationUrl ?? given.url };
  const end = performance.now() + startMilliseconds(options);
  for (;;) {
    try {
      const names = await migrateOnce(options);
      options.logger.info('migrations are up to date', { schema: options.schema, ran: names.length });
      return names;
    } catch (error) {
      if (!isPassing(error) || performance.now() > end) throw error;
      options.logger.warn('Postgres became unavailable during the migrations, retrying', { error });
      await new Promise((resolve) => setTimeout(resolve, RETRY_MILLISECONDS));
    }
  }
}
