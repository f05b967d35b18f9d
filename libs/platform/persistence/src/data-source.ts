import { demandsVerifiedTls, type Logger } from '@vestibule/process';
import type { ConnectionOptions } from 'node:tls';
import type { Pool, PoolConfig } from 'pg';
import { DataSource, type EntitySchema, type Logger as OrmLogger, type QueryRunner } from 'typeorm';
import { PROBE_MILLISECONDS, ServicePool } from './service-pool';
import type { MigrationClass } from './schema-version';
import { isFinal, startFailure, type Place } from './start-failure';
import type { ObserveStatement } from './watched-query';
import {
  ANSWER_MILLISECONDS,
  CONNECTION_MILLISECONDS,
  MIGRATION_SECONDS,
  PREPARATION_MILLISECONDS,
  STATEMENT_MILLISECONDS,
} from './time-limits';

export interface DatabaseOptions {
  /**
   * With `sslmode=verify-full` the connection is encrypted, and the server's certificate must match the host; without
   * it, neither.
   */
  readonly url: string;
  /** For migrations: its role owns the schema. Default: `url`. */
  readonly migrationUrl?: string | undefined;
  /**
   * PEM certificates of the authorities that may have signed the server's certificate; by default, those that Node.js
   * trusts.
   */
  readonly authorities?: string | undefined;
  /** The service's own schema: its tables, and the table of its migrations. */
  readonly schema: string;
  /** The name of the connections in `pg_stat_activity`. */
  readonly applicationName: string;
  readonly migrations: readonly MigrationClass[];
  /** The tables as TypeORM's repositories know them; migrations create them. */
  readonly entities?: readonly EntitySchema[];
  readonly poolSize?: number;
  readonly logger: Logger;
  /** Is told how long each statement took. */
  readonly observe?: ObserveStatement | undefined;
  readonly connectTimeoutMilliseconds?: number;
  /** Enforced by Postgres, except for migrations; a connection without an answer is destroyed shortly after. */
  readonly statementTimeoutMilliseconds?: number;
  /** How long a statement of a migration may go unanswered; default six hours. */
  readonly migrationStatementSeconds?: number;
  /** How long to wait for Postgres at start before giving up. */
  readonly startSeconds?: number;
}

const POOL_SIZE = 10;
/** After this time without traffic the operating system probes the connection, every second for ten seconds. */
const KEEP_ALIVE_MILLISECONDS = 5_000;
/**
 * A new connection costs Postgres a process, a login and the plans of all statements: the first flows after a pause
 * would wait for that. One that was idle for longer than this is closed.
 */
const IDLE_MILLISECONDS = 300_000;
/**
 * For the other end: a Postgres whose client vanished without a word would keep its connection for more than two hours,
 * and of `max_connections` there are few. It asks after half a minute of silence, and gives up within another; an answer
 * that nobody confirms ends the connection in the same time.
 */
const SERVER_KEEP_ALIVE = [
  'tcp_keepalives_idle=30',
  'tcp_keepalives_interval=10',
  'tcp_keepalives_count=3',
  'tcp_user_timeout=60000',
];
/**
 * For statements of the service, not for migrations. Tables such as the outbox are empty most of the time. If Postgres
 * looks at them then, it plans to read them as a whole, and keeps to that while thousands of rows come and go. Every
 * statement has an index to use, and names the keys in a way that leaves Postgres no whole index to read instead
 * (`young-plans.int-spec` of the apps). What has none is estimated at so much that Postgres would compile it first.
 */
const BY_INDEX = ['enable_seqscan=off', 'jit=off'];
/**
 * What waited for a lock has to see what was stored meanwhile. Under a stricter isolation, which an administrator may have set
 * for all sessions, it would not, or would fail.
 */
const READ_COMMITTED = 'default_transaction_isolation=read\\ committed';
/** A migration takes as long as its tables are large, whatever limit its role has for statements. */
const UNLIMITED = 'statement_timeout=0';
const START_SECONDS = 60;
const RETRY_MILLISECONDS = 500;

const nothing = (): void => undefined;

/** TypeORM's own log lines contain statements, parameters and messages of Postgres, so none are written. */
const SILENT: OrmLogger = {
  log: nothing,
  logMigration: nothing,
  logQuery: nothing,
  logQueryError: nothing,
  logQuerySlow: nothing,
  logSchemaBuild: nothing,
};

/** A TypeORM data source and its connection pool. */
export interface Connection {
  readonly dataSource: DataSource;
  readonly pool: ServicePool;
}

interface Limits {
  readonly connections: number;
  /** How long a statement may go unanswered; absent: somewhat longer than its timeout. */
  readonly answerMilliseconds?: number;
  /** The statement timeout; 0: none. */
  readonly statementMilliseconds: number;
  /** Settings of its sessions, such as `jit=off`. */
  readonly settings: readonly string[];
}

/**
 * What a session starts with. Those in the URL come later, so they win; an empty value there sends none, for poolers that
 * refuse sessions with any.
 */
function optionsWith(settings: readonly string[], given: string | null): string {
  if (given === '') return '';
  return [...settings.map((setting) => `-c ${setting}`), ...(given === null ? [] : [given])].join(' ');
}

/** The driver interprets other modes in its own way, and options in the URL would override those passed beside it. */
function addressOf(
  { url, authorities }: DatabaseOptions,
  settings: readonly string[],
): Pick<PoolConfig, 'connectionString' | 'options' | 'ssl'> {
  const address = new URL(url);
  address.searchParams.delete('sslmode');
  const options = optionsWith([...SERVER_KEEP_ALIVE, READ_COMMITTED, ...settings], address.searchParams.get('options'));
  address.searchParams.delete('options');
  const tls = {
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ...(authorities === undefined ? {} : { ca: authorities }),
  };
  return { connectionString: address.href, options, ssl: demandsVerifiedTls(url) ? (tls as ConnectionOptions) : false };
}

/** How much later than Postgres this side ends a statement, to allow for an answer in transit. */
const ANSWER_MARGIN_MILLISECONDS = ANSWER_MILLISECONDS - STATEMENT_MILLISECONDS;

function createPool(options: DatabaseOptions, given: Limits): ServicePool {
  const { connections, statementMilliseconds, answerMilliseconds, settings } = given;
  const limits =
    statementMilliseconds === 0
      ? { answerMilliseconds }
      : {
          statement_timeout: statementMilliseconds,
          answerMilliseconds: statementMilliseconds + ANSWER_MARGIN_MILLISECONDS,
          // A process that stalls in the middle of a transaction must not keep its rows locked.
          idle_in_transaction_session_timeout: statementMilliseconds * 2,
        };
  return new ServicePool({
    ...addressOf(options, settings),
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMilliseconds ?? CONNECTION_MILLISECONDS - PROBE_MILLISECONDS,
    max: connections,
    idleTimeoutMillis: IDLE_MILLISECONDS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MILLISECONDS,
    ...limits,
  });
}

/**
 * TypeORM creates its pool with `new driver.Pool(…)`, where its option `driver` stands for the module `pg`. This
 * stand-in returns the existing pool, so that prepared statements and repositories share it without access to TypeORM's
 * private fields.
 */
function lend(pool: Pool): { readonly Pool: new () => Pool } {
  const Lent = function () {
    return pool;
  };
  return { Pool: Lent as unknown as new () => Pool };
}

function connection(options: DatabaseOptions, limits: Limits): Connection {
  const pool = createPool(options, limits);
  const dataSource = new DataSource({
    type: 'postgres',
    schema: options.schema,
    driver: lend(pool),
    entities: [...(options.entities ?? [])],
    migrations: [...options.migrations],
    synchronize: false,
    migrationsRun: false,
    installExtensions: false,
    logger: SILENT,
    poolErrorHandler: (error: unknown) => options.logger.warn('a database connection is lost', { error }),
  });
  return { dataSource, pool };
}

const workingLimits = (options: DatabaseOptions): Limits => ({
  connections: options.poolSize ?? POOL_SIZE,
  statementMilliseconds: options.statementTimeoutMilliseconds ?? STATEMENT_MILLISECONDS,
  settings: BY_INDEX,
});

/** The connections that the service works with. */
export const workingConnection = (options: DatabaseOptions): Connection => connection(options, workingLimits(options));

/** The same connections without TypeORM. */
export const workingPool = (options: DatabaseOptions): Pool => createPool(options, workingLimits(options));

/** How long a statement of a migration may go unanswered. */
export const migrationMilliseconds = ({ migrationStatementSeconds }: DatabaseOptions): number =>
  (migrationStatementSeconds ?? MIGRATION_SECONDS) * 1_000;

/** One connection for migrations. Postgres limits no statement on it, but one without an answer ends as well. */
export function migrationConnection(options: DatabaseOptions): Connection {
  const answerMilliseconds = Math.min(PREPARATION_MILLISECONDS, migrationMilliseconds(options));
  return connection(
    { ...options, entities: [] },
    {
      connections: 1,
      statementMilliseconds: 0,
      answerMilliseconds,
      settings: [UNLIMITED],
    },
  );
}

/** How long to wait for Postgres at startup. */
export const startMilliseconds = ({ startSeconds }: DatabaseOptions): number => (startSeconds ?? START_SECONDS) * 1000;

/**
 * Ends what was opened for an attempt that failed. TypeORM keeps the connection on which one of its first statements
 * failed, and the pool would wait for that one for good.
 */
async function abandon({ dataSource, pool }: Connection): Promise<void> {
  if (pool.ending) return;
  const { connectedQueryRunners } = dataSource.driver as unknown as { connectedQueryRunners: readonly QueryRunner[] };
  await Promise.all([...connectedQueryRunners].map((runner) => runner.release()));
  await pool.end();
}

/**
 * Connects, and retries until `startSeconds` have passed if Postgres is not available yet. Throws
 * `database_unavailable`, or immediately `database_refused` if Postgres refuses for another reason (a wrong password);
 * the detail names the variable, the role and the remedy.
 */
export async function connectWithin(
  options: DatabaseOptions,
  variable: Place['variable'],
  create: () => Connection,
): Promise<Connection> {
  const end = performance.now() + startMilliseconds(options);
  for (let attempt = 1; ; attempt += 1) {
    const made = create();
    try {
      await made.dataSource.initialize();
      return made;
    } catch (error) {
      await abandon(made);
      const failure = startFailure(error, { variable, url: options.url });
      if (isFinal(error) || performance.now() > end) throw failure;
      if (attempt % 10 === 1)
        options.logger.warn('Postgres does not answer yet, retrying', { attempt, error: failure });
      await new Promise((resolve) => setTimeout(resolve, RETRY_MILLISECONDS));
    }
  }
}
