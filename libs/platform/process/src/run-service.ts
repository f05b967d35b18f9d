import { DomainError, type Fault } from '@vestibule/foundation';
import { blamedVariables } from './blamed-variables';
import { createCloseStack, type CloseStack } from './close-stack';
import { type Configuration, type Definition, type Variable } from './configuration';
import { examine, type Check } from './doctor';
import { ConfigurationFault, type Environment, findNearMisses, loadConfiguration } from './load-configuration';
import { createLogger, type Logger, type LogLevel } from './logger';
import { isSafeNode, NODE_FLOORS } from './node-version';
import { openTraces } from './open-traces';
import { endOnSignal, EXIT_CODES, realProcess, SIGNALS, type ProcessHost } from './process-host';
import { withSealingKeys, type SealingKeyDevices } from './sealing-keys';

/** What a service receives at startup. */
export interface ServiceContext<Values> {
  readonly configuration: Values;
  readonly logger: Logger;
  /**
   * Registers how to close what was just opened. The last opened is closed first: open the database first, then what
   * uses it, then timers and deliverers, and the intake (bus, HTTP) last.
   */
  onClose(name: string, close: () => Promise<void> | void): void;
  /**
   * Registers how the process tells load balancers, on a signal and before anything is closed, that it accepts no new
   * work.
   */
  onRetire(retire: () => void): void;
  /**
   * Reports by name where the process listens, which is necessary for port 0: in the log, and as a message `{
   * listening: addresses }` to the parent process if that opened a message channel.
   */
  listening(addresses: Readonly<Record<string, string>>): void;
  /** Ends the process like a failed start, for a failure that is detected outside of it. */
  fail(error: unknown): void;
  /** Closes everything and ends the process with exit code 1, for its supervisor to start it again. */
  giveUp(): void;
}

type Work<Values> = (context: ServiceContext<Values>) => Promise<void>;

/**
 * Every service has a log level; one behind load balancers also has the time that they may take to notice its
 * retirement.
 */
export type ServiceDefinition = Definition & {
  readonly logLevel: Variable<LogLevel>;
  readonly shutdownDelaySeconds?: Variable<number>;
  readonly tracesExporter?: Variable<'none' | 'otlp' | undefined>;
  readonly tracesRatio?: Variable<number>;
};

/** The values of every configuration that this file reads. */
interface CommonValues {
  readonly logLevel: LogLevel;
  readonly shutdownDelaySeconds?: number;
  readonly tracesExporter?: 'none' | 'otlp' | undefined;
  readonly tracesRatio?: number;
}

export interface ServiceOptions<D extends ServiceDefinition> {
  readonly name: string;
  readonly version: string;
  readonly configuration: D;
  /** Opens everything and returns; the process then runs until a signal ends it. */
  readonly start: Work<Configuration<D>>;
  /** Before the configuration is read; without them, a wrapped sealing key is no acceptable value. */
  readonly sealingKeyDevices?: SealingKeyDevices;
  /** Faults of valid values in combination; a fault ends the process like an invalid variable. */
  readonly findFaults?: (configuration: Configuration<D>) => readonly Fault[];
  /** `main.js <command>`: does its work and ends, for example `migrate`. */
  readonly commands?: Readonly<Record<string, Work<Configuration<D>>>>;
  /** What `main.js doctor` checks; without them, there is no such command. */
  readonly checks?: readonly Check<Configuration<D>>[];
  /** The time limit for closing everything. */
  readonly drainSeconds?: number;
  readonly host?: ProcessHost;
}

const DRAIN_SECONDS = 20;

/** The arguments of a command are wrong, and it did nothing. */
const isMisused = (error: unknown): boolean => error instanceof DomainError && error.code === 'command_invalid';

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

class Runner<D extends ServiceDefinition> {
  #ending = false;
  #started = false;
  readonly #retirements: (() => void)[] = [];

  constructor(
    private readonly options: ServiceOptions<D>,
    private readonly host: ProcessHost,
    private readonly logger: Logger,
    private readonly opened: CloseStack,
  ) {}

  /**
   * On a signal: accepts work for `delaySeconds` more, while load balancers see that the process is not ready and stop
   * sending requests, then ends. A process that has not started yet is not in use and ends immediately; so does any
   * process on a second signal.
   */
  async stop(signal: string, delaySeconds: number): Promise<void> {
    this.logger.info('stopping', { signal });
    if (this.#ending) return this.host.exit(EXIT_CODES.failed);
    this.#ending = true;
    for (const retire of this.#retirements) retire();
    if (this.#started) await pause(delaySeconds * 1000);
    await this.#close(EXIT_CODES.clean);
  }

  /** Closes everything, once, and exits. A second call exits immediately. */
  async end(code: number): Promise<void> {
    if (this.#ending) return this.host.exit(EXIT_CODES.failed);
    this.#ending = true;
    await this.#close(code);
  }

  async #close(code: number): Promise<void> {
    const clean = await this.opened.closeAll((this.options.drainSeconds ?? DRAIN_SECONDS) * 1000);
    this.logger.info('stopped', { clean });
    this.host.exit(clean ? code : EXIT_CODES.failed);
  }

  /** The state of the program is unknown, so nothing is drained: another replica takes over. */
  #crash(sentence: string, cause: unknown): void {
    this.logger.error(sentence, { error: cause });
    this.host.exit(EXIT_CODES.failed);
  }

  listen(delaySeconds: number): void {
    for (const signal of SIGNALS) {
      this.host.on(signal, () => void this.stop(signal, delaySeconds));
    }
    this.host.on('unhandledRejection', (cause) => this.#crash('a rejected promise was not handled', cause));
    this.host.on('uncaughtException', (cause) => this.#crash('an exception was not caught', cause));
  }

  /** First of all, so that what closes later is still in them. Commands are not traced. */
  #openTraces({ tracesExporter, tracesRatio = 1 }: CommonValues): void {
    if (this.host.command !== undefined) return;
    const { name, version } = this.options;
    const close = openTraces({ tracesExporter, tracesRatio }, { service: name, version });
    if (close) this.opened.add('traces', close);
  }

  async run(work: Work<Configuration<D>>, configuration: Configuration<D>, command: string | undefined): Promise<void> {
    const { logger, opened } = this;
    logger.info(command === undefined ? 'starting' : 'command', {
      version: this.options.version,
      node: process.version,
      ...(command === undefined ? {} : { command }),
    });
    const fail = async (error: unknown): Promise<void> => {
      if (this.#ending) return;
      const blame = blamedVariables(error, this.options.configuration, this.host.environment);
      logger.error(command === undefined ? 'the start failed' : 'the command failed', { error, ...blame });
      await this.end(isMisused(error) ? EXIT_CODES.misconfigured : EXIT_CODES.failed);
    };
    try {
      this.#openTraces(configuration as CommonValues);
      await work({
        configuration,
        logger,
        fail: (error) => void fail(error),
        giveUp: () => void (this.#ending || this.end(EXIT_CODES.failed)),
        onClose: (name, close) => opened.add(name, close),
        onRetire: (retire) => void this.#retirements.push(retire),
        listening: (addresses) => {
          logger.info('listening', addresses);
          this.host.tellParent({ listening: addresses });
        },
      });
    } catch (error) {
      return fail(error);
    }
    if (command !== undefined) return this.end(EXIT_CODES.clean);
    if (this.#ending) return;
    this.#started = true;
    logger.info('started', {});
  }
}

/** The work to do; undefined if this Node must not run it, or the command is unknown. */
function findWork<D extends ServiceDefinition>(
  options: ServiceOptions<D>,
  { nodeVersion, command }: ProcessHost,
  logger: Logger,
): Work<Configuration<D>> | undefined {
  if (!isSafeNode(nodeVersion)) {
    logger.error('a single request body can hang this version of Node.js', {
      node: nodeVersion,
      floors: NODE_FLOORS.join(', '),
    });
    return undefined;
  }
  if (command === undefined) return options.start;
  const commands = options.commands ?? {};
  if (Object.hasOwn(commands, command)) return commands[command];
  const known = [...Object.keys(commands), ...(options.checks ? [DOCTOR] : [])];
  logger.error('unknown command', { known: known.join(', ') });
  return undefined;
}

const DOCTOR = 'doctor';

/** Prints each finding as one line of JSON. Returns the exit code: failed, if there is an error among them. */
async function runDoctor<D extends ServiceDefinition>(
  { configuration, findFaults, checks = [], sealingKeyDevices }: ServiceOptions<D>,
  environment: Environment,
): Promise<number> {
  const options = { configuration, findFaults, checks, sealingKeyDevices };
  const results = await examine(options, environment, () => new Date());
  for (const result of results) process.stdout.write(`${JSON.stringify(result)}\n`);
  return results.some(({ level }) => level === 'error') ? EXIT_CODES.failed : EXIT_CODES.clean;
}

/** Raw sealing keys in place of the wrapped ones; undefined if one is unavailable, which is logged. */
async function openEnvironment({ environment }: ProcessHost, devices: SealingKeyDevices, logger: Logger) {
  try {
    return await withSealingKeys(environment, devices);
  } catch (error) {
    logger.error('a sealing key cannot be unwrapped', { error });
    return undefined;
  }
}

function reportMisconfiguration(logger: Logger, error: unknown): void {
  if (!(error instanceof ConfigurationFault)) return logger.error('the configuration cannot be read', { error });
  for (const { path, message } of error.faults)
    logger.error('the configuration is wrong', { variable: path, reason: message });
}

/** The configuration; undefined if it is wrong, which is logged. */
function readConfiguration<D extends ServiceDefinition>(
  { configuration, findFaults }: ServiceOptions<D>,
  environment: Environment,
  logger: Logger,
): Configuration<D> | undefined {
  try {
    const values = loadConfiguration(configuration, environment);
    const faults = findFaults?.(values) ?? [];
    if (faults.length > 0) throw new ConfigurationFault(faults);
    return values;
  } catch (error) {
    reportMisconfiguration(logger, error);
    return undefined;
  }
}

/**
 * Runs one service, or one of its commands, as this process, unless its Node is below the minimum versions: reads the
 * configuration, starts, and on SIGTERM or SIGINT retires, waits for `SHUTDOWN_DELAY_SECONDS` if the service has them,
 * and closes in reverse order of opening within `drainSeconds`. A second signal ends it immediately. The command `doctor`
 * only examines. Exit codes: {@link EXIT_CODES}.
 */
export async function runService<D extends ServiceDefinition>(options: ServiceOptions<D>): Promise<void> {
  const host = options.host ?? realProcess();
  const first = createLogger({ name: options.name, level: 'info' });
  if (host.command === DOCTOR && options.checks) return host.exit(await runDoctor(options, host.environment));
  const work = findWork(options, host, first);
  if (!work) return host.exit(EXIT_CODES.misconfigured);
  const settle = endOnSignal(host, first);
  const { sealingKeyDevices: devices } = options;
  const environment = devices ? await openEnvironment(host, devices, first) : host.environment;
  if (!environment) return host.exit(EXIT_CODES.failed);
  const configuration = readConfiguration(options, environment, first);
  if (!configuration) return host.exit(EXIT_CODES.misconfigured);
  const { logLevel: level, shutdownDelaySeconds = 0 } = configuration as CommonValues;
  const logger = createLogger({ name: options.name, level });
  for (const { name, meant } of findNearMisses(options.configuration, host.environment))
    logger.warn('an unknown variable looks like a known one', { name, meant });
  const runner = new Runner(options, host, logger, createCloseStack(logger));
  settle();
  runner.listen(shutdownDelaySeconds);
  await runner.run(work, configuration, host.command);
}
