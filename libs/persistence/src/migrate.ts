import { type DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import { connectWithin, type DatabaseOptions, migrationDataSource } from './data-source';
import { toDatabaseError } from './database-errors';
import { quoteIdentifier } from './identifier';

const LOCK_TIMEOUT = '120s';

/** `CREATE SCHEMA IF NOT EXISTS` would demand the right to create schemas even where the schema exists. */
async function ensureSchema(runner: QueryRunner, schema: string): Promise<void> {
  const identifier = quoteIdentifier(schema);
  const rows = (await runner.query('SELECT to_regnamespace($1) IS NULL AS missing', [identifier])) as {
    missing: boolean;
  }[];
  if (rows[0]?.missing) await runner.query(`CREATE SCHEMA ${identifier}`);
}

/** The lock belongs to the session and ends with it, so a process that dies lets the next one go on. */
async function migrateUnderLock(source: DataSource, schema: string): Promise<readonly string[]> {
  const runner = source.createQueryRunner();
  try {
    await runner.query(`SET lock_timeout = '${LOCK_TIMEOUT}'`);
    await runner.query(`SELECT pg_advisory_lock(hashtextextended($1, 0))`, [`vestibule migrations of ${schema}`]);
    await ensureSchema(runner, schema);
    const executor = new MigrationExecutor(source, runner);
    executor.transaction = 'each';
    const done = await executor.executePendingMigrations();
    return done.map(({ name }) => name);
  } finally {
    await runner.release();
  }
}

/**
 * Brings the schema up to date and returns the names of the migrations that ran. Processes that start together wait for
 * each other (session advisory lock); each migration runs in a transaction. Throws `database_unavailable` and
 * `database_error`.
 */
export async function runMigrations(options: DatabaseOptions): Promise<readonly string[]> {
  const source = await connectWithin(options, () => migrationDataSource(options));
  try {
    const names = await migrateUnderLock(source, options.schema);
    options.logger.info('migrations are up to date', { schema: options.schema, ran: names.length });
    return names;
  } catch (error) {
    throw toDatabaseError(error);
  } finally {
    await source.destroy();
  }
}
