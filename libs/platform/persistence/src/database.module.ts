import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { createSealer, type Sealer } from '@vestibule/crypto';
import {
  PROCESS,
  readDatabaseAuthorities,
  type Configuration,
  type Metrics,
  type microserviceVariables,
  type ProcessContext,
  randomBytes,
} from '@vestibule/process';
import type { EntitySchema } from 'typeorm';
import { createAgreedTime, type AgreedTime } from './agreed-time';
import { createDatabase, type Database } from './database';
import type { DatabaseOptions } from './data-source';
import { createIdempotency, type Idempotency } from './idempotency';
import type { MigrationClass } from './schema-version';
import type { SealedRegistry } from './sealed-columns';
import type { ObserveStatement } from './watched-query';

/** The injection token of a service's {@link Database}. */
export const DATABASE = Symbol('database');
/** The injection token of the `Sealer` that seals a service's personal data. */
export const SEALER = Symbol('sealer');
/** The injection token of the `Idempotency` of a service's creating calls. */
export const IDEMPOTENCY = Symbol('idempotency');
/** The injection token of the {@link AgreedTime} of a service and its database. */
export const AGREED_TIME = Symbol('agreed time');

const clock = () => new Date();

/** The schema of one service. */
export interface ServiceDatabase {
  readonly schema: string;
  readonly migrations: readonly MigrationClass[];
  /** Classifies its byte columns; the command `reseal` processes the sealed ones. */
  readonly sealed: SealedRegistry;
  /**
   * Returns in `seconds` how long ago the first record should have been ended or deleted, 0 if none; `$1` is
   * `RETENTION_SECONDS`.
   */
  readonly overdueSql?: string;
  /** All its tables, except that of the migrations themselves. */
  readonly entities: readonly EntitySchema[];
}

type ServiceContext = ProcessContext<Configuration<typeof microserviceVariables>>;
type CommonContext = Pick<ProcessContext<Configuration<typeof microserviceVariables>>, 'configuration' | 'logger'>;

/** The options for opening a service's database, from its configuration. */
export function databaseOptionsOf(
  { schema, migrations, entities }: ServiceDatabase,
  { configuration, logger }: CommonContext,
): DatabaseOptions {
  const {
    databaseUrl: url,
    migrationDatabaseUrl: migrationUrl,
    databaseCaFile,
    databasePoolSize: poolSize,
    migrationStatementSeconds,
  } = configuration;
  const authorities = databaseCaFile === undefined ? undefined : readDatabaseAuthorities(databaseCaFile);
  return {
    url,
    migrationUrl,
    authorities,
    poolSize,
    migrationStatementSeconds,
    schema,
    applicationName: schema.replaceAll('_', '-'),
    migrations,
    entities,
    logger,
  };
}

/** Statements by name: what waits for a connection counts, as it does for the caller. */
function measureStatements(metrics: Metrics): ObserveStatement {
  const name = 'db_client_operation_duration_seconds';
  const observe = metrics.durations(name, 'Statements, by verb and table', ['db_query_summary', 'result']);
  return (statement, seconds, result) => observe(seconds, statement, result);
}

function showPool(metrics: Metrics, { poolUse }: Database): void {
  metrics.gauge('database_pool_connections', 'Open connections to Postgres', () => poolUse().open);
  metrics.gauge('database_pool_idle_connections', 'Of these, the idle ones', () => poolUse().idle);
  metrics.gauge('database_pool_waiting_statements', 'Statements that wait for a connection', () => poolUse().waiting);
}

/** Is read on request: two looks at an index. */
function showPurgeLag({ overdueSql }: ServiceDatabase, context: ServiceContext, { query }: Database): void {
  if (overdueSql === undefined) return;
  const { retentionSeconds = 0 } = context.configuration as { readonly retentionSeconds?: number };
  const help = 'How long ago the first record should have been ended or deleted; 0 if all is in time';
  context.metrics.gauge('purge_lag_seconds', help, async () => {
    const [row] = await query<{ seconds: number }>(overdueSql, [retentionSeconds]);
    return row?.seconds ?? 0;
  });
}

export const sealerOf = ({ configuration }: CommonContext) => createSealer(configuration.sealingKeys, randomBytes);

/**
 * Postgres for a service: waits for it, runs the migrations, and provides {@link DATABASE}, {@link SEALER}, {@link
 * IDEMPOTENCY} and {@link AGREED_TIME} to every module. It is closed after everything that uses it.
 */
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  static forRoot(service: ServiceDatabase): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        {
          provide: DATABASE,
          inject: [PROCESS],
          async useFactory(context: ServiceContext) {
            const observe = measureStatements(context.metrics);
            const database = await createDatabase({ ...databaseOptionsOf(service, context), observe });
            showPool(context.metrics, database);
            showPurgeLag(service, context, database);
            context.readiness.require('postgres', () => database.isReady());
            context.readiness.requireLife(() => database.isAlive());
            return database;
          },
        },
        { provide: SEALER, inject: [PROCESS], useFactory: sealerOf },
        {
          provide: IDEMPOTENCY,
          inject: [DATABASE, SEALER],
          useFactory: (database: Database, sealer: Sealer): Idempotency =>
            createIdempotency({ database, schema: service.schema, sealer, clock }),
        },
        {
          provide: AGREED_TIME,
          inject: [DATABASE],
          useFactory: (database: Database): AgreedTime => createAgreedTime(database, clock),
        },
      ],
      exports: [DATABASE, SEALER, IDEMPOTENCY, AGREED_TIME],
    };
  }

  onApplicationShutdown(): Promise<void> {
    return this.database.close();
  }
}
