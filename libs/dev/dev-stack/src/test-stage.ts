import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Pool } from 'pg';
import { APP_NAMES, type AppName, type Environment } from './app-environment';
import { startCallbackReceiver, type CallbackReceiver, type ReceivedCallback } from './callback-receiver';
import { runningRoleName, type ServiceUrls } from './provision-database';
import { createReleases } from './releases';
import { startStack, type Stack } from './stack';
import { StackFailure } from './stack-failure';
import { startTcpProxy, type TcpProxy } from './tcp-proxy';
import { subjectOf } from './test-backend';
import { createTestDatabase, type TestDatabase } from './test-database';
import { createTestNats } from './test-nats';

/** The stack that a test needs; the options are sent as JSON from one process to another. */
export interface TestStackOptions {
  readonly environment?: Readonly<Partial<Record<AppName, Environment>>>;
  /**
   * Which of the apps; default all four. Each takes a second of processor time: include only those that the tests
   * reach.
   */
  readonly apps?: readonly AppName[];
  /** The number of processes of an app; default one. */
  readonly replicas?: Readonly<Partial<Record<AppName, number>>>;
  /** The path of the issuer's identifier: `/tenants/one`; default none. */
  readonly issuerPath?: string;
  /** Files of the stage, by name; `{files}` in an environment variable is replaced by their folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** The number of loopback addresses that the verifier may fetch from; default none. */
  readonly doors?: number;
}

export interface TestStageOptions extends TestStackOptions {
  /** Services work as roles that do not own their schemas, which the owners migrate. */
  readonly rolesApart?: boolean;
  /** The status of the backend's answer to a callback; default 204. */
  readonly respond?: (callback: ReceivedCallback) => number | Promise<number>;
}

/** Four processes over real Postgres and NATS, a backend that receives callbacks, and every logged line. */
export interface TestStage {
  readonly stack: Stack;
  readonly backend: CallbackReceiver;
  readonly database: TestDatabase;
  readonly natsUrl: string;
  /** What the processes of the apps logged, each line behind the name of its process. */
  readonly logLines: readonly string[];
  /** Proxies between the services and their servers, to break the connections. */
  readonly proxies: { readonly postgres: TcpProxy; readonly nats: TcpProxy };
  /** Addresses that the verifier may fetch from; a test redirects one to its own server. */
  readonly doors: readonly TcpProxy[];
  /**
   * All callbacks about one offer or presentation request, once there are `count` and no service has another one to
   * deliver: an event is in an outbox from its commit until the backend has accepted it.
   * @throws StackFailure `callback_waits` if the backend does not accept one
   */
  callbacksAbout(id: string, count: number): Promise<readonly ReceivedCallback[]>;
  /** Resolves when no service has a callback about one of them to deliver. @throws StackFailure `callback_waits` */
  untilDelivered(ids: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

type OnClose = (close: () => Promise<void>) => void;

const CALLBACK_MILLISECONDS = 60_000;
const LOOK_MILLISECONDS = 10;
/** Counts the undelivered callbacks of each service that sends them. */
const WAITING: Readonly<Partial<Record<AppName, string>>> = {
  verifier: 'SELECT subject FROM verifier.callback WHERE subject = ANY($1) AND dead_at IS NULL',
  issuer: 'SELECT subject FROM issuer.callback WHERE subject = ANY($1) AND dead_at IS NULL',
};

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const portOf = (url: string): number => Number(new URL(url).port);

const proxied = (urls: ServiceUrls, proxy: TcpProxy): ServiceUrls =>
  Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, proxy.urlFor(url)])) as ServiceUrls;

function createUntilDelivered(pool: Pool, apps: readonly AppName[]) {
  const waiting = apps.flatMap((app) => WAITING[app] ?? []).join(' UNION ALL ');
  return async (ids: readonly string[]): Promise<void> => {
    const deadline = performance.now() + CALLBACK_MILLISECONDS;
    while (waiting !== '' && (await pool.query(waiting, [ids])).rows.length > 0) {
      if (performance.now() > deadline) {
        throw new StackFailure('callback_waits', 'the backend does not accept a callback that is due');
      }
      await pause(LOOK_MILLISECONDS);
    }
  };
}

function createCallbacksAbout(backend: CallbackReceiver, untilDelivered: TestStage['untilDelivered']) {
  return async (id: string, count: number): Promise<readonly ReceivedCallback[]> => {
    const deadline = performance.now() + CALLBACK_MILLISECONDS;
    const found = () => backend.received.filter(({ body }) => subjectOf(body) === id);
    while (found().length < count && performance.now() < deadline) await pause(LOOK_MILLISECONDS);
    await untilDelivered([id]);
    return found();
  };
}

/** The same hosts by address and by name, because a certificate is for a name. */
function developmentHosts(doors: readonly TcpProxy[], given: Environment = {}): Environment {
  if (doors.length === 0) return given;
  const own = doors.flatMap(({ port }) => [`127.0.0.1:${port}`, `localhost:${port}`]);
  return { EGRESS_DEVELOPMENT_HOSTS: own.join(','), ...given };
}

/** The variables of a service whose migrations are run by another role. */
function apart(url: string): Environment {
  const running = new URL(url);
  running.username = runningRoleName(running.username);
  return { DATABASE_URL: running.href, MIGRATION_DATABASE_URL: url };
}

type Environments = Readonly<Partial<Record<AppName, Environment>>>;

/** Writes the files and inserts their folder into the variables. */
function placeFiles({ files, environment = {} }: TestStageOptions, onClose: OnClose): Environments {
  if (!files) return environment;
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-stage-'));
  onClose(async () => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text, { mode: 0o600 });
  return JSON.parse(JSON.stringify(environment).replaceAll('{files}', folder)) as Environments;
}

async function openStage(options: TestStageOptions, onClose: OnClose) {
  const opened = async <Opened>(opening: Promise<Opened>, close: (one: Opened) => Promise<void>): Promise<Opened> => {
    const one = await opening;
    onClose(() => close(one));
    return one;
  };
  const database = await opened(createTestDatabase(), (one) => one.drop());
  const nats = await opened(createTestNats(), (one) => one.stop());
  const { respond } = options;
  const backend = await opened(startCallbackReceiver(respond ? { respond } : {}), (one) => one.stop());
  const postgresProxy = await opened(startTcpProxy(portOf(database.adminUrl)), (one) => one.stop());
  const natsProxy = await opened(startTcpProxy(portOf(nats.url)), (one) => one.stop());
  const doors: TcpProxy[] = [];
  while (doors.length < (options.doors ?? 0)) doors.push(await opened(startTcpProxy(1), (one) => one.stop()));
  const pool = new Pool({ connectionString: database.adminUrl, max: 4 });
  pool.on('error', () => undefined);
  onClose(() => pool.end());
  const logLines: string[] = [];
  const { gateway = {}, ...others } = placeFiles(options, onClose);
  const databaseUrls = proxied(database.urls, postgresProxy);
  const rolesOf = (service: keyof ServiceUrls) => (options.rolesApart ? apart(databaseUrls[service]) : {});
  const starting = startStack({
    databaseUrls,
    natsUrl: natsProxy.urlFor(nats.url).replace(/\/$/, ''),
    callbackUrl: backend.url,
    ports: { management: 0, public: 0 },
    ...(options.issuerPath === undefined ? {} : { issuerPath: options.issuerPath }),
    ...(options.replicas ? { replicas: options.replicas } : {}),
    ...(options.apps ? { apps: options.apps } : {}),
    environment: {
      verifier: { ...rolesOf('verifier'), ...developmentHosts(doors, others.verifier) },
      issuer: { ...rolesOf('issuer'), ...others.issuer },
      'wallet-store': { ...rolesOf('wallet_store'), ...others['wallet-store'] },
      gateway: { RATE_LIMIT_PER_MINUTE: '0', ...gateway },
    },
    onLog: (label, line) => void (label === 'stack' || logLines.push(`${label} ${line}`)),
  });
  const stack = await opened(starting, (one) => one.stop());
  const proxies = { postgres: postgresProxy, nats: natsProxy };
  return { stack, backend, database, natsUrl: nats.url, logLines, proxies, doors, pool };
}

/**
 * Starts everything for one test file, or for several that share it. If a part fails to start, the others are stopped.
 */
export async function startTestStage(options: TestStageOptions = {}): Promise<TestStage> {
  const releases = createReleases();
  try {
    const { pool, ...opened } = await openStage(options, releases.add);
    const untilDelivered = createUntilDelivered(pool, options.apps ?? APP_NAMES);
    const callbacksAbout = createCallbacksAbout(opened.backend, untilDelivered);
    return { ...opened, callbacksAbout, untilDelivered, stop: () => releases.run() };
  } catch (error) {
    await releases.run();
    throw error;
  }
}
