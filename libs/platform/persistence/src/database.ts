import { type DataSource, type EntityManager, QueryFailedError, type QueryRunner } from 'typeorm';
import { type Connection, connectWithin, type DatabaseOptions, workingConnection } from './data-source';
import { toDatabaseError, toDriverError } from './database-errors';
import type { LimitedClient } from './limited-client';
import { runMigrations } from './migrate';
import { createQuery, type Query } from './prepared-query';

/** One transaction: both ways to query use its connection. */
export interface Transaction {
  readonly query: Query;
  /** TypeORM's repositories and query builder, for everything that is not hot. */
  readonly manager: EntityManager;
}

/** A service's database. Errors: `database_unavailable`, `database_timeout`, `database_error` (a {@link DatabaseFault}). */
export interface Database {
  /** One prepared statement, the way for everything hot. */
  readonly query: Query;
  /**
   * Commits when `work` resolves, rolls back when it rejects. Its statements have the time limit of every statement, or
   * none with `slow`, which is for commands of operators alone.
   */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>, pace?: 'slow'): Promise<Result>;
  /** Does the database answer within two seconds? */
  isReady(): Promise<boolean>;
  /** Waits for running statements, then disconnects. */
  close(): Promise<void>;
}

type Pace = 'slow' | undefined;

const READY_MILLISECONDS = 2_000;

async function answersInTime(query: Query): Promise<boolean> {
  let timeout: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timeout = setTimeout(() => resolve(false), READY_MILLISECONDS);
  });
  const answer = query('SELECT 1').then(
    () => true,
    () => false,
  );
  const ready = await Promise.race([answer, late]);
  clearTimeout(timeout);
  return ready;
}

async function connectRunner(runner: QueryRunner, pace: Pace): Promise<LimitedClient> {
  try {
    const client = (await runner.connect()) as LimitedClient;
    if (pace === 'slow') client.lift();
    await runner.startTransaction();
    if (pace === 'slow') await runner.query('SET LOCAL statement_timeout = 0');
    return client;
  } catch (error) {
    throw toDriverError(error instanceof QueryFailedError ? error.driverError : error);
  }
}

async function inTransaction<Result>(
  source: DataSource,
  work: (transaction: Transaction) => Promise<Result>,
  pace: Pace,
): Promise<Result> {
  const runner = source.createQueryRunner();
  let client: LimitedClient | undefined;
  try {
    client = await connectRunner(runner, pace);
    const query = createQuery(client, { retryOutdated: false });
    const result = await work({ query, manager: runner.manager });
    await runner.commitTransaction();
    return result;
  } catch (error) {
    // Where the connection is lost the rollback fails too, and the first error says more.
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
    throw toDatabaseError(error);
  } finally {
    client?.limitAgain();
    await runner.release();
  }
}

/** What was connected as a {@link Database}. */
function databaseOf({ dataSource, pool }: Connection): Database {
  const query = createQuery(pool, { retryOutdated: true });
  return {
    query,
    transaction: (work, pace) => inTransaction(dataSource, work, pace),
    isReady: () => answersInTime(query),
    close: () => dataSource.destroy(),
  };
}

/**
 * Waits for Postgres, runs the migrations under an advisory lock and opens the pool. The pool survives restarts of
 * Postgres: what runs meanwhile fails with `database_unavailable`, what comes after gets a new connection.
 */
export async function createDatabase(options: DatabaseOptions): Promise<Database> {
  await runMigrations(options);
  return databaseOf(await connectWithin(options, () => workingConnection(options)));
}
