import path from 'node:path';
import { APP_NAMES, appEnvironment, type AppName, type AppSettings, type Environment } from './app-environment';
import { AppProcess } from './app-process';
import { choosePort } from './free-port';
import { startWatchdog, type Watchdog } from './process-watchdog';
import { ensureStackFiles, type StackFiles } from './stack-files';
import { StackFailure } from './stack-failure';
import { diskFault, logTo, openLog, openPlace, requireRightPlaces, type Place } from './stack-place';
import { type ServerChoice, startServers, type StackServers } from './stack-servers';
import { USUAL_PORTS } from './usual-ports';

export interface StackOptions extends ServerChoice {
  /** Kept between runs (see {@link chooseDataFolder}); by default everything is deleted at the end. */
  readonly dataFolder?: string;
  /** The backend that receives the events. */
  readonly callbackUrl: string;
  /** Default: 8081 and 8080 if they are free, else any; 0: any. */
  readonly ports?: { readonly management?: number; readonly public?: number };
  /** Where wallets reach the public listener; default: its loopback address. */
  readonly baseUrl?: string;
  /** Default: the base URL with `issuerPath`. */
  readonly issuerUrl?: string;
  /** The path of the issuer's identifier: `/tenants/one`; default: none. */
  readonly issuerPath?: string;
  /** Signs callbacks with the secret in the files of the stack; default: they are not signed. */
  readonly signsCallbacks?: boolean;
  /** Further hosts (`127.0.0.1:8090`) that the verifier may fetch status lists from over http. */
  readonly developmentHosts?: readonly string[];
  /** Additional or changed variables for an app. */
  readonly environment?: Readonly<Partial<Record<AppName, Environment>>>;
  /** Default: all four. */
  readonly apps?: readonly AppName[];
  /** The number of processes of an app; default: one. */
  readonly replicas?: Readonly<Partial<Record<AppName, number>>>;
  /**
   * Every line of every app is appended here; default: `stack.log` in the data folder, where the previous run's log is
   * kept.
   */
  readonly logFile?: string;
  readonly onLog?: (label: string, line: string) => void;
  /** Called if a process ends without being stopped; it is not restarted. */
  readonly onUnexpectedExit?: (process: AppProcess) => void;
  /** How long the apps may take to become ready; default 180. */
  readonly startSeconds?: number;
  /** How to find any port of the loopback address; default: one that is free. */
  readonly findPort?: () => Promise<number>;
}

/** A running stack. */
export interface Stack {
  readonly managementUrl: string;
  readonly baseUrl: string;
  readonly issuerUrl: string;
  readonly natsUrl: string;
  /** Admin URL of the database, for reading everything. */
  readonly databaseAdminUrl?: string;
  readonly dataFolder: string;
  readonly files: StackFiles;
  readonly logFile: string;
  readonly processes: readonly AppProcess[];
  /** @param replica counted from 0 */
  process(app: AppName, replica?: number): AppProcess;
  /** SIGTERM to all, the gateway first, SIGKILL after thirty seconds; then the servers that were started. */
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const START_SECONDS = 180;
const START_TRIES = 5;
/** The variables of this process that child processes inherit. */
const inherited = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };

const portOf = ({ ports = {}, findPort }: StackOptions, name: 'management' | 'public'): Promise<number> =>
  choosePort(USUAL_PORTS[name], ports[name], findPort);

/** What was asked for and is taken is known before anything is changed. */
async function requireFreePorts(options: StackOptions): Promise<void> {
  const { management = 0, public: open = 0 } = options.ports ?? {};
  if (management !== 0) await portOf(options, 'management');
  if (open !== 0) await portOf(options, 'public');
}

async function choosePublicUrls(options: StackOptions) {
  const managementPort = await portOf(options, 'management');
  const publicPort = await portOf(options, 'public');
  const baseUrl = options.baseUrl ?? `http://${LOOPBACK}:${publicPort}`;
  return {
    managementPort,
    publicPort,
    baseUrl,
    issuerUrl: options.issuerUrl ?? `${baseUrl}${options.issuerPath ?? ''}`,
  };
}

/**
 * The gateway's health covers all services. If some are absent, the report must say that the others are ready: the
 * process being alive does not prove that it reaches them.
 */
function readyAt(app: AppName, apps: readonly AppName[]) {
  if (app !== 'gateway') return { listener: 'health', path: '/health/ready' };
  const services = apps.filter((name) => name !== 'gateway');
  return { listener: 'management', path: '/health/ready', services };
}

interface Parts {
  readonly options: StackOptions;
  readonly settings: AppSettings;
  readonly watchdog: Watchdog;
  readonly onLine: (label: string, line: string) => void;
}

function createProcess(parts: Parts, app: AppName, replica: number): AppProcess {
  const { options, settings } = parts;
  // The first gateway uses the ports in the stack's addresses.
  const ports: Environment = app === 'gateway' && replica > 0 ? { MANAGEMENT_PORT: '0', PUBLIC_PORT: '0' } : {};
  return new AppProcess({
    app,
    replica,
    environment: { ...inherited, ...appEnvironment(app, settings), ...options.environment?.[app], ...ports },
    ready: readyAt(app, options.apps ?? APP_NAMES),
    watchdog: parts.watchdog,
    onLine: parts.onLine,
    onUnexpectedExit: (process) => options.onUnexpectedExit?.(process),
  });
}

function createProcesses(parts: Parts): AppProcess[] {
  const { apps = APP_NAMES, replicas = {} } = parts.options;
  return apps.flatMap((app) =>
    Array.from({ length: replicas[app] ?? 1 }, (_, replica) => createProcess(parts, app, replica)),
  );
}

/** Starts all at the same time and waits for all; the first failure stops the others. */
async function startProcesses(processes: readonly AppProcess[], seconds: number): Promise<void> {
  try {
    for (const process of processes) process.launch();
    await Promise.all(processes.map((process) => process.waitUntilReady(seconds * 1000)));
  } catch (error) {
    await stopProcesses(processes);
    throw error;
  }
}

/** The gateway first, so that its pending requests still reach the services. */
async function stopProcesses(processes: readonly AppProcess[]): Promise<void> {
  const [gateways, services] = [true, false].map((wanted) =>
    processes.filter(({ app }) => (app === 'gateway') === wanted),
  ) as [AppProcess[], AppProcess[]];
  await Promise.all(gateways.map((process) => process.stop()));
  await Promise.all(services.map((process) => process.stop()));
}

interface Started {
  readonly place: Place;
  readonly parts: Parts;
  readonly servers: StackServers;
  readonly processes: readonly AppProcess[];
}

function describe({ place, parts, servers, processes }: Started): Stack {
  const { settings, watchdog } = parts;
  let stopping: Promise<void> | undefined;
  const stopAll = async () => {
    await stopProcesses(processes);
    await servers.stop();
    await watchdog.stop();
    place.lock?.release();
  };
  return {
    managementUrl: `http://${LOOPBACK}:${settings.managementPort}`,
    baseUrl: settings.baseUrl,
    issuerUrl: settings.issuerUrl,
    natsUrl: settings.natsUrl,
    databaseAdminUrl: servers.adminUrl,
    dataFolder: place.folder,
    files: settings.files,
    logFile: place.logFile,
    processes,
    process(app, replica = 0) {
      const found = processes.filter((process) => process.app === app)[replica];
      if (!found) throw new StackFailure('no_such_process', `no process ${replica} of ${app} was started`);
      return found;
    },
    stop: () => (stopping ??= stopAll()),
  };
}

/** One attempt, on ports that were free when they were chosen. */
async function tryToStart(options: StackOptions, place: Place, watchdog: Watchdog): Promise<Stack> {
  const addresses = await choosePublicUrls(options);
  const urls = [addresses.baseUrl, addresses.issuerUrl];
  const files = await ensureStackFiles(path.join(place.folder, 'config'), urls, { thrownAway: !place.kept });
  const onLine = logTo(place.logFile, options.onLog);
  for (const name of files.addedTypes)
    onLine('stack', `new sample type, added to ${place.folder}/config/types: ${name}`);
  const servers = await startServers(options, {
    ...(place.kept ? { folder: place.folder } : {}),
    secrets: files.secrets,
    onLog: (line) => onLine('postgres', line),
  });
  try {
    const { databaseUrls, natsUrl } = servers;
    const { callbackUrl, signsCallbacks = false, developmentHosts = [] } = options;
    const reporting = { callbackUrl, signsCallbacks, developmentHosts };
    const settings = { ...addresses, databaseUrls, natsUrl, files, ...reporting };
    const parts = { options, settings, watchdog, onLine };
    const processes = createProcesses(parts);
    onLine('stack', `Postgres and NATS run; waiting for ${processes.map(({ app }) => app).join(', ')}`);
    await startProcesses(processes, options.startSeconds ?? START_SECONDS);
    return describe({ place, parts, servers, processes });
  } catch (error) {
    await servers.stop();
    throw error;
  }
}

/** Another process may take a port between its choice and its use; then the stack starts again on others. */
async function startOnFreePorts(options: StackOptions, place: Place, watchdog: Watchdog): Promise<Stack> {
  for (let triesLeft = START_TRIES; ; triesLeft -= 1) {
    try {
      return await tryToStart(options, place, watchdog);
    } catch (error) {
      const isTaken = error instanceof StackFailure && error.code === 'app_port_taken';
      if (!isTaken || triesLeft <= 1) throw error;
    }
  }
}

/**
 * Starts a whole installation on this machine: Postgres and NATS (or the given ones), a development PKI, and the apps
 * as separate processes with the entry points of production. Resolves when all are ready. Everything always ends with
 * this process.
 * @throws StackFailure that names the process at fault, with its last lines
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const place = openPlace(options);
  const watchdog = startWatchdog(place.kept ? undefined : place.folder);
  try {
    requireRightPlaces(place);
    await requireFreePorts(options);
    openLog(place);
    return await startOnFreePorts(options, place, watchdog);
  } catch (error) {
    await watchdog.stop();
    place.lock?.release();
    throw diskFault(error, place) ?? error;
  }
}
