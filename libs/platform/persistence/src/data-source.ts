import { type Logger } from '@vestibule/process';
import { Client, type ClientConfig } from 'pg';
import { DataSource, type Logger as OrmLogger, type MigrationInterface } from 'typeorm';
import { isPassing, toDriverError } from './database-errors';

export type MigrationClass = new () => MigrationInterface;
export type EntityClass = new () => object;

export interface DatabaseOptions {
  readonly url: string;
  /** The service's own schema: its tables, and the table of its migrations. */
  readonly schema: string;
  /** How `pg_stat_activity` names the connections. */
  readonly applicationName: string;
  readonly migrations: readonly MigrationClass[];
  readonly entities?: readonly EntityClass[];
  readonly poolSize?: number;
  readonly logger: Logger;
  readonly connectTimeoutMilliseconds?: number;
  /** Enforced by Postgres, for everything but migrations. */
  readonly statementTimeoutMilliseconds?: number;
  /** How long to wait for Postgres at start before giving up. */
  readonly startSeconds?: number;
}

const POOL_SIZE = 10;
const CONNECT_MILLISECONDS = 5_000;
const STATEMENT_MILLISECONDS = 10_000;
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

/**
 * A connection may report its loss more than once, also after TypeORM and the pool have let go of it; an `error` that
 * nobody hears would end the process. Whoever works with the connection learns of the loss from its own listener.
 */
class ResilientClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    this.on('error', nothing);
  }
}

function dataSource(options: DatabaseOptions, pool: { size: number; statementMilliseconds: number }): DataSource {
  return new DataSource({
    type: 'postgres',
    url: options.url,
    schema: options.schema,
    applicationName: options.applicationName,
    entities: [...(options.entities ?? [])],
    migrations: [...options.migrations],
    synchronize: false,
    migrationsRun: false,
    installExtensions: false,
    logger: SILENT,
    poolSize: pool.size,
    connectTimeoutMS: options.connectTimeoutMilliseconds ?? CONNECT_MILLISECONDS,
    poolErrorHandler: (error: unknown) => options.logger.warn('a database connection is lost', { error }),
    extra: {
      Client: ResilientClient,
      keepAlive: true,
      ...(pool.statementMilliseconds > 0 ? { statement_timeout: pool.statementMilliseconds } : {}),
      idle_in_transaction_session_timeout: pool.statementMilliseconds * 2,
    },
  });
}

/** The data source for the service's work. */
export function workingDataSource(options: DatabaseOptions): DataSource {
  const statementMilliseconds = options.statementTimeoutMilliseconds ?? STATEMENT_MILLISECONDS;
  return dataSource(options, { size: options.poolSize ?? POOL_SIZE, statementMilliseconds });
}

/** One connection without a limit on statements: a migration may take its time. */
export function migrationDataSource(options: DatabaseOptions): DataSource {
  return dataSource({ ...options, entities: [] }, { size: 1, statementMilliseconds: 0 });
}

/** How long a start waits for Postgres. */
export const startMilliseconds = ({ startSeconds }: DatabaseOptions): number => (startSeconds ?? START_SECONDS) * 1000;

/**
 * Connects; while Postgres is not there yet, tries again until `startSeconds` are over. Throws `database_unavailable`,
 * or at once `database_error` when Postgres refuses for another reason (a wrong password).
 */
export async function connectWithin(options: DatabaseOptions, create: () => DataSource): Promise<DataSource> {
  const end = performance.now() + startMilliseconds(options);
  for (let attempt = 1; ; attempt += 1) {
    const source = create();
    try {
      return await source.initialize();
    } catch (error) {
      const failure = toDriverError(error);
      if (!isPassing(failure) || performance.now() > end) throw failure;
      if (attempt % 10 === 1) options.logger.warn('Postgres does not answer yet, trying again', { attempt, error });
      await new Promise((resolve) => setTimeout(resolve, RETRY_MILLISECONDS));
    }
  }
}
