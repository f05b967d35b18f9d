import { demandsVerifiedTls, type Logger } from '@vestibule/process';
import type { ConnectionOptions } from 'node:tls';
import type { Pool, PoolConfig } from 'pg';
import { DataSource, type EntitySchema, type Logger as OrmLogger } from 'typeorm';
import { PROBE_MILLISECONDS, ServicePool } from './service-pool';
import type { MigrationClass } from './schema-version';
import { isFinal, startFailure, type Place } from './start-failure';
import { ANSWER_MILLISECONDS, CONNECTION_MILLISECONDS, STATEMENT_MILLISECONDS } from './time-limits';

export interface DatabaseOptions {
  /** With `sslmode=verify-full` the connection is encrypted, to a server with a certificate for the host; else it is not. */
  readonly url: string;
  /** Which runs migrations: its role owns the schema. Absent: `url`. */
  readonly migrationUrl?: string | undefined;
  /** PEM certificates of the authorities that may have signed the server's; absent: those that Node.js trusts. */
  readonly authorities?: string | undefined;
  /** The service's own schema: its tables, and the table of its migrations. */
  readonly schema: string;
  /** How `pg_stat_activity` names the connections. */
  readonly applicationName: string;
  readonly migrations: readonly MigrationClass[];
  /** The tables as TypeORM's repositories know them; migrations make them. */
  readonly entities?: readonly EntitySchema[];
  readonly poolSize?: number;
  readonly logger: Logger;
  readonly connectTimeoutMilliseconds?: number;
  /** Enforced by Postgres, for everything but migrations; a connection without an answer is destroyed somewhat later. */
  readonly statementTimeoutMilliseconds?: number;
  /** How long to wait for Postgres at start before giving up. */
  readonly startSeconds?: number;
}

const POOL_SIZE = 10;
/** After so much silence the system asks whether the other side is still there, every second for ten seconds. */
const KEEP_ALIVE_MILLISECONDS = 5_000;
const START_SECONDS = 60;
const RETRY_MILLISECONDS = 500;

const nothing = (): void => undefined;

/** TypeORM's own lines hold statements, parameters and messages of Postgres, so none of them is written. */
const SILENT: OrmLogger = {
  log: nothing,
  logMigration: nothing,
  logQuery: nothing,
  logQueryError: nothing,
  logQuerySlow: nothing,
  logSchemaBuild: nothing,
};

/** A data source of TypeORM and the pool that it works with. */
export interface Connection {
  readonly dataSource: DataSource;
  readonly pool: ServicePool;
}

interface Limits {
  readonly connections: number;
  /** 0: none. */
  readonly statementMilliseconds: number;
}

/** The driver reads other modes as it likes, and the URL would win over what it is told beside it. */
function addressOf({ url, authorities }: DatabaseOptions): Pick<PoolConfig, 'connectionString' | 'ssl'> {
  const address = new URL(url);
  address.searchParams.delete('sslmode');
  const tls = {
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ...(authorities === undefined ? {} : { ca: authorities }),
  };
  return { connectionString: address.href, ssl: demandsVerifiedTls(url) ? (tls as ConnectionOptions) : false };
}

/** As much later than Postgres ends a statement as an answer may be on its way. */
const ANSWER_MARGIN_MILLISECONDS = ANSWER_MILLISECONDS - STATEMENT_MILLISECONDS;

function createPool(options: DatabaseOptions, { connections, statementMilliseconds }: Limits): ServicePool {
  const limits =
    statementMilliseconds === 0
      ? {}
      : {
          statement_timeout: statementMilliseconds,
          answerMilliseconds: statementMilliseconds + ANSWER_MARGIN_MILLISECONDS,
          // A process that stopped in the middle must not keep its rows locked for the others.
          idle_in_transaction_session_timeout: statementMilliseconds * 2,
        };
  return new ServicePool({
    ...addressOf(options),
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMilliseconds ?? CONNECTION_MILLISECONDS - PROBE_MILLISECONDS,
    max: connections,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MILLISECONDS,
    ...limits,
  });
}

/**
 * TypeORM makes its pool with `new driver.Pool(…)`, where its option `driver` stands for the module `pg`: it gets the pool
 * that is there, so that prepared statements and repositories share one, and nobody looks for it in TypeORM's own fields.
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
});

/** The connections for the service's work. */
export const workingConnection = (options: DatabaseOptions): Connection => connection(options, workingLimits(options));

/** Such connections without TypeORM. */
export const workingPool = (options: DatabaseOptions): Pool => createPool(options, workingLimits(options));

/** One connection without a limit on statements: a migration may take its time. */
export function migrationConnection(options: DatabaseOptions): Connection {
  return connection({ ...options, entities: [] }, { connections: 1, statementMilliseconds: 0 });
}

/** How long a start waits for Postgres. */
export const startMilliseconds = ({ startSeconds }: DatabaseOptions): number => (startSeconds ?? START_SECONDS) * 1000;

/**
 * Connects; while Postgres is not there yet, tries again until `startSeconds` are over. Throws `database_unavailable`,
 * or at once `database_refused` when Postgres refuses for another reason (a wrong password); the detail names the variable,
 * the role and what to do.
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
      if (!made.pool.ending) await made.pool.end();
      const failure = startFailure(error, { variable, url: options.url });
      if (isFinal(error) || performance.now() > end) throw failure;
      if (attempt % 10 === 1)
        options.logger.warn('Postgres does not answer yet, trying again', { attempt, error: failure });
      await new Promise((resolve) => setTimeout(resolve, RETRY_MILLISECONDS));
    }
  }
}
