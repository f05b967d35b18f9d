import { ProcessingFailure } from '@vestibule/foundation';
import { currentAnswerBy } from '@vestibule/process';
import type { Pool } from 'pg';
import { type DataSource, type EntityManager, QueryFailedError, type QueryRunner } from 'typeorm';
import { type Connection, connectWithin, type DatabaseOptions, workingConnection, workingPool } from './data-source';
import { DatabaseFault, isUnanswered, outcomeUnknown, toDatabaseError, toDriverError } from './database-errors';
import { databaseHealth } from './database-health';
import type { LimitedClient } from './limited-client';
import { runMigrations } from './migrate';
import { createQuery, isWrite, refuseLateWrite, type Query, type QueryTarget } from './prepared-query';
import { TRANSACTION_STATEMENTS } from './time-limits';
import type { ObserveStatement } from './watched-query';

/** One transaction: both ways to query use its connection. */
export interface Transaction {
  readonly query: Query;
  /** TypeORM's repositories and query builder, for statements that are not hot. */
  readonly manager: EntityManager;
}

/**
 * A service's database. Errors: `database_unavailable`, `database_not_writable`, `database_timeout`, `database_error`
 * (a {@link DatabaseFault}); `database_outcome_unknown` if the answer to a COMMIT, or to a single statement that
 * writes, is lost: it may have taken effect.
 */
export interface Database {
  /** Runs one prepared statement; use it for hot statements. */
  readonly query: Query;
  /**
   * Runs one statement that Postgres plans again each time, for the sizes that its tables have then. For statements whose
   * good plan depends on them: the plan of a prepared one, made while a table was small, stays until the next ANALYZE.
   */
  readonly queryAnew: Query;
  /**
   * Commits when `work` resolves, rolls back when it rejects. Its statements have the usual time limit, or none with
   * `slow`, which is only for operators' commands.
   */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>, pace?: 'slow'): Promise<Result>;
  /** Does the database answer within two seconds, and accept writes? */
  isReady(): Promise<boolean>;
  /** False if the pool has had no answer for a minute although a new connection gets one: a restart would help. */
  isAlive(): Promise<boolean>;
  /** How its connections are used now. */
  poolUse(): PoolUse;
  /** Waits for running statements, then disconnects. */
  close(): Promise<void>;
}

/** Connections of a pool, and who waits for one. */
export interface PoolUse {
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

type Pace = 'slow' | undefined;

async function connectRunner(runner: QueryRunner): Promise<LimitedClient> {
  try {
    const client = (await runner.connect()) as LimitedClient;
    await runner.startTransaction();
    return client;
  } catch (error) {
    throw toDriverError(error instanceof QueryFailedError ? error.driverError : error);
  }
}

async function takeTime(client: LimitedClient, query: Query): Promise<void> {
  client.lift();
  await query('SET LOCAL statement_timeout = 0');
}

/** Postgres answers the COMMIT of a transaction with a failed statement with ROLLBACK, not with an error. */
const ROLLED_BACK = 'ROLLBACK';
const IN_FAILED_TRANSACTION = '25P02';

/** Throws `database_outcome_unknown` if the answer is lost: the transaction may or may not be committed. */
async function commit(client: LimitedClient): Promise<void> {
  let answer: { readonly command: string };
  try {
    answer = await client.query('COMMIT');
  } catch (error) {
    throw isUnanswered(error) ? outcomeUnknown(error) : toDriverError(error);
  }
  if (answer.command === ROLLED_BACK) throw new DatabaseFault(IN_FAILED_TRANSACTION, undefined, undefined);
}

/** The reason that a connection is destroyed for; not an error of the network, so no other connection is suspected. */
class OverdueTransaction extends Error {
  override readonly name = 'OverdueTransaction';
}

/** What is known of a transaction while it is open. */
interface Course {
  readonly answerBy: Date | undefined;
  hasWritten: boolean;
  isOverdue: boolean;
}

/** Every statement of TypeORM passes here: those that write are noted, and not begun too late. */
function watchWrites(runner: QueryRunner, course: Course): void {
  const ask = runner.query.bind(runner) as (...parameters: unknown[]) => Promise<unknown>;
  runner.query = (async (sql: string, ...rest: unknown[]) => {
    if (isWrite(sql)) {
      refuseLateWrite(course.answerBy);
      course.hasWritten = true;
    }
    return ask(sql, ...rest);
  }) as QueryRunner['query'];
}

async function workIn<Result>({ runner, client, course, work, pace, observe }: Open<Result>): Promise<Result> {
  const onWrite = (): void => void (course.hasWritten = true);
  const query = createQuery(
    { query: (statement) => client.query(statement) },
    { isTransaction: true, onWrite, observe },
  );
  watchWrites(runner, course);
  if (pace === 'slow') {
    await takeTime(client, query);
    return work({ query, manager: runner.manager });
  }
  const timer = setTimeout(() => {
    course.isOverdue = true;
    client.destroy(new OverdueTransaction());
  }, client.answerMilliseconds * TRANSACTION_STATEMENTS);
  try {
    return await work({ query, manager: runner.manager });
  } finally {
    clearTimeout(timer);
  }
}

interface Open<Result> {
  readonly runner: QueryRunner;
  readonly client: LimitedClient;
  readonly course: Course;
  readonly work: (transaction: Transaction) => Promise<Result>;
  readonly pace: Pace;
  readonly observe: ObserveStatement | undefined;
}

async function inTransaction<Result>(
  source: DataSource,
  { work, pace, observe }: Pick<Open<Result>, 'work' | 'pace' | 'observe'>,
): Promise<Result> {
  const runner = source.createQueryRunner();
  const course: Course = { answerBy: currentAnswerBy(), hasWritten: false, isOverdue: false };
  let client: LimitedClient | undefined;
  let isOpen = true;
  try {
    client = await connectRunner(runner);
    const result = await workIn({ runner, client, course, work, pace, observe });
    if (course.hasWritten) refuseLateWrite(course.answerBy);
    isOpen = false;
    await commit(client);
    return result;
  } catch (error) {
    if (course.isOverdue)
      throw new ProcessingFailure('database_timeout', 'a transaction took too long and was rolled back', error);
    // If the connection is lost, the rollback fails too, and the first error says more.
    if (isOpen && client) await client.query('ROLLBACK').catch(() => undefined);
    throw toDatabaseError(error);
  } finally {
    client?.limitAgain();
    await runner.release();
  }
}

/** A {@link Database} over an open connection. */
function databaseOf(
  { dataSource, pool }: Connection,
  openAnother: () => Pool,
  observe: ObserveStatement | undefined,
): Database {
  const target: QueryTarget = { query: (statement, beforeSending) => pool.run(statement, beforeSending) };
  const query = createQuery(target, { isTransaction: false, observe });
  const health = databaseHealth({ pool, query, openAnother });
  return {
    query,
    queryAnew: createQuery(target, { isTransaction: false, observe, isPrepared: false }),
    transaction: (work, pace) => inTransaction(dataSource, { work, pace, observe }),
    poolUse: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    ...health,
    close: () => dataSource.destroy(),
  };
}

/**
 * Waits for Postgres, runs the migrations under an advisory lock and opens the pool. The pool survives restarts of
 * Postgres: statements in progress fail with `database_unavailable`, later ones get a new connection.
 */
export async function createDatabase(options: DatabaseOptions): Promise<Database> {
  await runMigrations(options);
  const connection = await connectWithin(options, 'DATABASE_URL', () => workingConnection(options));
  return databaseOf(connection, () => workingPool({ ...options, poolSize: 1 }), options.observe);
}
