import 'reflect-metadata';
import { Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AsyncMicroserviceOptions, CustomStrategy } from '@nestjs/microservices';
import { VERSION } from '@vestibule/foundation';
import type { Configuration } from './configuration';
import { databaseFaults } from './database-variables';
import { developmentKeyFaults, type PublicUrl } from './development-keys';
import type { Check } from './doctor';
import { showReadiness, startHealthServer } from './health';
import { HOST_CHECKS } from './host-checks';
import { watchLife } from './life-watch';
import { createMetrics } from './metrics';
import type { microserviceVariables } from './microservice-variables';
import { natsFaults } from './nats-variables';
import { createNestLogger } from './nest-logger';
import { ProcessModule, TRANSPORT, type ProcessContext } from './process.module';
import { Readiness } from './readiness';
import { runService, type ServiceContext } from './run-service';
import type { SealingKeyDevices } from './sealing-keys';

type CommonDefinition = typeof microserviceVariables;
type CommonConfiguration = Configuration<CommonDefinition>;
type Context<D extends CommonDefinition> = ServiceContext<Configuration<D>>;

export interface MicroserviceOptions<D extends CommonDefinition> {
  /** The name of the service, of its queue group and of its connections. */
  readonly name: string;
  readonly configuration: D;
  /** What unwraps sealing keys at startup. */
  readonly sealingKeyDevices: SealingKeyDevices;
  /** Its root module; one of the modules that it imports provides {@link TRANSPORT}. */
  readonly module: Type;
  /** Its public address: with one, a development key does not start. */
  readonly publicUrl?: (configuration: Configuration<D>) => PublicUrl | undefined;
  /** What `main.js doctor` checks beyond what every process is checked for. */
  readonly checks?: readonly Check<Configuration<D>>[];
  /** `main.js <command>`: does its work and ends. */
  readonly commands?: Readonly<Record<string, (context: Context<D>) => Promise<void>>>;
}

/** The components without which no service is ready; each registers its check when its module is loaded. */
const EXPECTED_PARTS = ['postgres', 'nats'];

/** Answers from the start: not ready until the components of the service have registered. */
async function openHealth(context: Context<CommonDefinition>, { readiness, metrics }: ProcessContext): Promise<void> {
  const { configuration, onClose, listening } = context;
  const { healthHost: host, healthPort: port } = configuration;
  if (port === undefined) return;
  const listener = await startHealthServer({ host, port, health: readiness, metrics });
  onClose('health listener', () => listener.close());
  listening({ health: listener.url });
}

/** Ends this process when only a restart helps, if it is to. */
function watchOwnLife(
  { configuration, logger, onClose, giveUp }: Context<CommonDefinition>,
  readiness: Readiness,
): void {
  const { lifelessSeconds: seconds } = configuration;
  if (seconds === 0) return;
  const timer = watchLife({ isAlive: () => readiness.isAlive(), seconds, logger, end: giveUp });
  // The look may be what ends the process: waiting for it would never end.
  onClose('look at its own life', () => void timer.stop());
}

/** The service's own module, and the process context for all of them. */
function rootOf(module: Type, context: ProcessContext): Type {
  @Module({ imports: [ProcessModule.register(context), module] })
  class RootModule {}
  return RootModule;
}

async function start<D extends CommonDefinition>(options: MicroserviceOptions<D>, context: Context<D>): Promise<void> {
  const { configuration, logger, onClose, onRetire } = context;
  const metrics = createMetrics(options.name);
  const readiness = new Readiness(metrics, EXPECTED_PARTS);
  showReadiness(metrics, readiness);
  // There is no load balancer in front of a service: when it unsubscribes, the bus asks the other replicas, so it
  // drains immediately.
  onRetire(() => readiness.retire());
  const parts: ProcessContext = { name: options.name, configuration, logger, metrics, readiness };
  await openHealth(context as unknown as Context<CommonDefinition>, parts);
  const app = await NestFactory.createMicroservice<AsyncMicroserviceOptions>(rootOf(options.module, parts), {
    inject: [TRANSPORT],
    useFactory: (strategy: CustomStrategy['strategy']) => ({ strategy }),
    logger: createNestLogger(logger),
    abortOnError: false,
  });
  onClose('application', () => app.close());
  await app.listen();
  watchOwnLife(context as unknown as Context<CommonDefinition>, readiness);
}

/**
 * Runs a service behind the bus as this process: its health, then its module, whose providers open what it needs, then
 * the bus. On SIGTERM it accepts no new messages, answers those received, and Nest's shutdown hooks close the
 * components in order of dependency.
 */
export async function runMicroservice<D extends CommonDefinition>(options: MicroserviceOptions<D>): Promise<void> {
  await runService({
    name: options.name,
    version: VERSION,
    configuration: options.configuration,
    sealingKeyDevices: options.sealingKeyDevices,
    findFaults: (configuration) => {
      const common = configuration as unknown as CommonConfiguration;
      const ofKeys = developmentKeyFaults(common, options.publicUrl?.(configuration));
      return [...ofKeys, ...natsFaults(common), ...databaseFaults(common)];
    },
    start: (context) => start(options, context),
    commands: options.commands ?? {},
    checks: [...(options.checks ?? []), ...(HOST_CHECKS as unknown as readonly Check<Configuration<D>>[])],
  });
}
