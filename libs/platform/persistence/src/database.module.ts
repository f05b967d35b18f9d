import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { createSealer, type Sealer } from '@vestibule/crypto';
import {
  PROCESS,
  readDatabaseAuthorities,
  type Configuration,
  type microserviceVariables,
  type ProcessContext,
  randomBytes,
} from '@vestibule/process';
import type { EntitySchema } from 'typeorm';
import { createDatabase, type Database } from './database';
import type { DatabaseOptions } from './data-source';
import { createIdempotency, type Idempotency } from './idempotency';
import type { MigrationClass } from './schema-version';
import type { SealedRegistry } from './sealed-columns';

/** The injection token of a service's {@link Database}. */
export const DATABASE = Symbol('database');
/** The injection token of the `Sealer` that seals a service's personal data. */
export const SEALER = Symbol('sealer');
/** The injection token of the `Idempotency` of a service's creating calls. */
export const IDEMPOTENCY = Symbol('idempotency');

/** The schema of one service. */
export interface ServiceDatabase {
  readonly schema: string;
  readonly migrations: readonly MigrationClass[];
  /** Classifies its byte columns; the command `reseal` processes the sealed ones. */
  readonly sealed: SealedRegistry;
  /** All its tables, except that of the migrations themselves. */
  readonly entities: readonly EntitySchema[];
}

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

export const sealerOf = ({ configuration }: CommonContext) => createSealer(configuration.sealingKeys, randomBytes);

/**
 * Postgres for a service: waits for it, runs the migrations, and provides {@link DATABASE}, {@link SEALER} and {@link
 * IDEMPOTENCY} to every module. It is closed after everything that uses it.
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
          async useFactory(context: ProcessContext<Configuration<typeof microserviceVariables>>) {
            const database = await createDatabase(databaseOptionsOf(service, context));
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
            createIdempotency({ database, schema: service.schema, sealer, clock: () => new Date() }),
        },
      ],
      exports: [DATABASE, SEALER, IDEMPOTENCY],
    };
  }

  onApplicationShutdown(): Promise<void> {
    return this.database.close();
  }
}
