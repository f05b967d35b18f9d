import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Contract, Readiness } from '@vestibule/contracts';
import { createSealer, type Sealer } from '@vestibule/crypto';
import { ProcessingFailure, VERSION } from '@vestibule/foundation';
import { createNatsServer, type NatsServer } from '@vestibule/messaging';
import {
  createDatabase,
  resealRecords,
  runMigrations,
  type Database,
  type DatabaseOptions,
  type EntityClass,
  type MigrationClass,
  type SealedRegistry,
} from '@vestibule/persistence';
import {
  createHealth,
  createMetrics,
  createNestLogger,
  runService,
  startHealthServer,
  type Configuration,
  type Health,
  type Expiry,
  type HealthCheck,
  type HealthOptions,
  type Logger,
  type Metrics,
  type ServiceContext,
} from '@vestibule/process';
import { developmentKeyFaults, type PublicUrl } from './development-keys';
import type { microserviceVariables } from './variables';

type CommonDefinition = typeof microserviceVariables;
type CommonConfiguration = Configuration<CommonDefinition>;

/** What a service builds itself from. */
export interface MicroserviceContext<Values> {
  readonly configuration: Values;
  readonly logger: Logger;
  readonly database: Database;
  readonly sealer: Sealer;
  /** Figures for operators, served beside health. */
  readonly metrics: Metrics;
  /** Says how to close what was opened; the last opened is closed first. */
  readonly onClose: ServiceContext<Values>['onClose'];
}

/** What a service gives to the bus. */
export interface Microservice {
  /** Registers the use cases, one for each contract. */
  answer(server: NatsServer): void;
  /** What must hold, besides Postgres and NATS, for the service to be ready: its keys. */
  readonly checks: Readonly<Record<string, HealthCheck>>;
  /** When its certificates end: told in health and as metrics. */
  readonly expires?: Readonly<Record<string, Expiry>>;
}

export interface MicroserviceOptions<D extends CommonDefinition> {
  /** Name of the service, of its queue group and of its connections. */
  readonly name: string;
  /** Its schema in Postgres. */
  readonly schema: string;
  readonly configuration: D;
  readonly migrations: readonly MigrationClass[];
  /** What the byte columns of its schema are; the command `reseal` goes through the sealed ones. */
  readonly sealed: SealedRegistry;
  /** The address that strangers know it by: with a public one, a development key does not start. */
  readonly publicUrl?: (configuration: Configuration<D>) => PublicUrl | undefined;
  readonly entities?: readonly EntityClass[];
  /** The contract by which the gateway asks for its health. */
  readonly health: Contract<object, Readiness>;
  readonly open: (context: MicroserviceContext<Configuration<D>>) => Promise<Microservice> | Microservice;
  /** Further commands of `main.js`, besides `migrate` and `reseal`. */
  readonly commands?: Readonly<Record<string, (context: MicroserviceContext<Configuration<D>>) => Promise<void>>>;
}

@Module({})
class MicroserviceModule {}

type Context<D extends CommonDefinition> = ServiceContext<Configuration<D>>;

function databaseOptions<D extends CommonDefinition>(
  options: MicroserviceOptions<D>,
  { configuration, logger }: Context<D>,
): DatabaseOptions {
  const common = configuration as unknown as CommonConfiguration;
  return {
    url: common.databaseUrl,
    poolSize: common.databasePoolSize,
    schema: options.schema,
    applicationName: options.name,
    migrations: options.migrations,
    entities: options.entities ?? [],
    logger,
  };
}

async function openDatabase<D extends CommonDefinition>(
  options: MicroserviceOptions<D>,
  context: Context<D>,
  metrics: Metrics,
): Promise<MicroserviceContext<Configuration<D>>> {
  const common = context.configuration as unknown as CommonConfiguration;
  const database = await createDatabase(databaseOptions(options, context));
  context.onClose('database', () => database.close());
  return { ...context, database, metrics, sealer: createSealer(common.sealingKeys, randomBytes) };
}

/** `accessCertificate` becomes `vestibule_access_certificate_expiry_seconds`, 0 when there is none. */
function showExpiry(metrics: Metrics, expires: Readonly<Record<string, Expiry>>): void {
  for (const [name, read] of Object.entries(expires)) {
    const snakeCase = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    metrics.gauge(
      `${snakeCase}_expiry_seconds`,
      'End of validity in seconds since 1970',
      () => (read()?.getTime() ?? 0) / 1000,
    );
  }
}

/** `main.js reseal`: fails when a record stays under another key than the first. */
async function reseal<D extends CommonDefinition>(options: MicroserviceOptions<D>, context: Context<D>): Promise<void> {
  const { database, sealer, logger } = await openDatabase(options, context, createMetrics(options.name));
  const { moved, broken, left } = await resealRecords({ database, registry: options.sealed, sealer, logger });
  if (broken + left > 0) {
    const what = `${broken} records do not open, ${left} are still under another key than the first`;
    throw new ProcessingFailure('reseal_incomplete', what);
  }
  logger.info('every sealed record is under the first key: the others can go', { moved });
}

/** Answers from the first moment: not ready until the parts of the service are there to be asked. */
async function openHealth<D extends CommonDefinition>(context: Context<D>, metrics: Metrics) {
  const { configuration, onClose, listening } = context;
  const { healthHost, healthPort } = configuration as unknown as CommonConfiguration;
  let current: Health = createHealth({ checks: { postgres: () => false, nats: () => false } });
  const health: Health = { report: () => current.report(), retire: () => current.retire() };
  if (healthPort !== undefined) {
    const listener = await startHealthServer({ host: healthHost, port: healthPort, health, metrics });
    onClose('health listener', () => listener.close());
    listening({ health: listener.url });
  }
  const follow = (options: HealthOptions): void => {
    current = createHealth(options);
  };
  return { health, follow };
}

async function start<D extends CommonDefinition>(options: MicroserviceOptions<D>, context: Context<D>): Promise<void> {
  const { logger, onClose } = context;
  const common = context.configuration as unknown as CommonConfiguration;
  const metrics = createMetrics(options.name);
  const { health, follow } = await openHealth(context, metrics);
  const opened = await openDatabase(options, context, metrics);
  const service = await options.open(opened);
  const server = createNatsServer({ servers: common.natsUrls, name: options.name, queue: options.name, logger });
  const checks = { postgres: () => opened.database.isReady(), nats: () => server.isConnected(), ...service.checks };
  follow({ checks, ...(service.expires ? { expires: service.expires } : {}) });
  showExpiry(metrics, service.expires ?? {});
  service.answer(server);
  server.answer(options.health, () => health.report());
  const app = await NestFactory.createMicroservice(MicroserviceModule, {
    strategy: server,
    logger: createNestLogger(logger),
    abortOnError: false,
  });
  onClose('bus', () => app.close());
  onClose('readiness', () => health.retire());
  await app.listen();
}

/**
 * Runs a service behind the bus as this process: its health, Postgres with its migrations, what `open` builds, NATS.
 * `main.js migrate` only runs the migrations, `main.js reseal` puts all sealed records under the first key. On SIGTERM it takes nothing new, answers what arrived and closes in
 * reverse order.
 */
export async function runMicroservice<D extends CommonDefinition>(options: MicroserviceOptions<D>): Promise<void> {
  const commands = Object.entries(options.commands ?? {}).map(
    ([name, run]) =>
      [
        name,
        async (context: Context<D>) => run(await openDatabase(options, context, createMetrics(options.name))),
      ] as const,
  );
  await runService({
    name: options.name,
    version: VERSION,
    configuration: options.configuration,
    findFaults: (configuration) =>
      developmentKeyFaults(configuration as unknown as CommonConfiguration, options.publicUrl?.(configuration)),
    start: (context) => start(options, context),
    commands: {
      migrate: async (context) => {
        await runMigrations(databaseOptions(options, context));
      },
      reseal: (context) => reseal(options, context),
      ...Object.fromEntries(commands),
    },
  });
}
