import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  findProgram,
  mountSmallDisk,
  moveDatabase,
  provisionDatabase,
  startBroker,
  startCallbackReceiver,
  startEmbeddedPostgres,
  startNatsServer,
  startStack,
  startTcpProxy,
  type CallbackReceiver,
  type EmbeddedPostgres,
  type ServiceUrls,
  type SmallDisk,
  type Stack,
  type TcpProxy,
} from '@vestibule/dev-stack';
import { startBalancer, type Balancer } from './balancer';
import { giveClock, type ReplicaClock } from './replica-clock';
import { startStatusHost } from './status-host';
import { STATUS_SETTINGS } from './status-settings';

/** A server behind a proxy: its address for the services never changes. */
export interface ServerBehindProxy {
  readonly proxy: TcpProxy;
  /** The address of the server itself. */
  readonly url: () => string;
  /** SIGKILL (for the embedded broker: all its connections break), a pause of `milliseconds`, and a new start. */
  killAndStart(milliseconds: number): Promise<void>;
}

/** Everything that the flows run on: two replicas of each process, and servers that can be made unavailable. */
export interface World {
  /** Its addresses are those of the balancers in front of the gateways. */
  readonly stack: Stack;
  readonly backend: CallbackReceiver;
  readonly callbacks: TcpProxy;
  /** The balancer through which wallets reach the gateways. */
  readonly wallets: Balancer;
  readonly postgres: ServerBehindProxy;
  readonly nats: ServerBehindProxy;
  /** In front of a host of status lists. */
  readonly statusHost: TcpProxy;
  /** The file system of the tables, if this process may mount one for them. */
  readonly smallDisk: SmallDisk | undefined;
  /** Of the second replica of each service, if there is a library for them. */
  readonly clocks: readonly ReplicaClock[];
  /** Sets the status of the backend's answers to callbacks. */
  setAnswer(status: number): void;
  /** The superuser's URL of the services' database, bypassing the proxy. */
  databaseUrl(): string;
  /** @param keepFolder for examining the logs afterwards */
  stop(keepFolder: boolean): Promise<void>;
}

/** What flows need of an installation, and those who look at its end. */
export type Installation = Pick<World, 'stack' | 'backend' | 'databaseUrl'>;

const DATABASE = 'vestibule';
const RECEIVED = 204;
const READY_MILLISECONDS = 60_000;
const portOf = (url: string): number => Number(new URL(url).port);
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

interface Stoppable {
  readonly url: string;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/** The settings in deploy/nats.conf for detecting vanished clients and for the payload size. */
function writeNatsConfiguration(root: string, folder: string): string {
  const deployed = readFileSync(path.join(root, 'deploy/nats.conf'), 'utf8');
  const lines = deployed.split('\n').filter((line) => /^(?:ping_interval|ping_max|max_payload)\b/.test(line));
  const file = path.join(folder, 'nats.conf');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

/** @param file its configuration */
async function startNats(searchPath: string | undefined, file: string): Promise<Stoppable> {
  const binary = findProgram('nats-server', searchPath);
  if (binary !== undefined) return startNatsServer(binary, ['-c', file]);
  const broker = await startBroker();
  return { ...broker, kill: () => broker.stop() };
}

/** Keeps one server running behind a proxy; `start` is called again after each kill. */
async function keepBehindProxy<Server extends { stop(): Promise<void>; kill(): Promise<void> }>(
  start: () => Promise<Server>,
  urlOf: (server: Server) => string,
) {
  let server = await start();
  const proxy = await startTcpProxy(portOf(urlOf(server)));
  return {
    proxy,
    current: () => server,
    url: () => urlOf(server),
    async killAndStart(milliseconds: number) {
      await server.kill();
      proxy.cut();
      await pause(milliseconds);
      server = await start();
      proxy.redirect(portOf(urlOf(server)));
    },
    async stop() {
      await proxy.stop();
      await server.stop();
    },
  };
}

const proxied = (urls: ServiceUrls, proxy: TcpProxy): ServiceUrls =>
  Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, proxy.urlFor(url)])) as ServiceUrls;

/** Temporary passwords: the database is deleted after the run. */
const passwords = () => {
  const password = () => randomBytes(24).toString('base64url');
  return { verifier: password(), issuer: password(), wallet_store: password() };
};

const databaseOf = (postgres: EmbeddedPostgres) => postgres.adminUrl.replace(/\/postgres$/, `/${DATABASE}`);

/** The checkout, and where to look for its programs. */
export interface WorldPlace {
  readonly root: string;
  readonly searchPath: string | undefined;
  /** By which second replicas get clocks of their own, for which they have to start twice. */
  readonly clockLibrary: string | undefined;
}

type OnClose = (close: () => Promise<void>) => void;

async function openServers({ root, searchPath }: WorldPlace, folder: string, onClose: OnClose) {
  const dataFolder = path.join(folder, 'postgres');
  const mounted: SmallDisk[] = [];
  // Last of all, because Postgres has its files there.
  onClose(async () => mounted.forEach((disk) => disk.unmount()));
  const postgres = await keepBehindProxy(() => startEmbeddedPostgres({ dataFolder }), databaseOf);
  const smallDisk = mountSmallDisk(path.join(folder, 'disk'), postgres.current().dataFolder);
  if (smallDisk) mounted.push(smallDisk);
  onClose(postgres.stop);
  const natsFile = writeNatsConfiguration(root, folder);
  const nats = await keepBehindProxy(
    () => startNats(searchPath, natsFile),
    ({ url }) => url,
  );
  onClose(nats.stop);
  const statusLists = await startStatusHost();
  onClose(statusLists.stop);
  const statusHost = await startTcpProxy(statusLists.port);
  onClose(() => statusHost.stop());
  return { postgres, smallDisk, nats, statusLists, statusHost };
}

async function openBackend(onClose: OnClose) {
  const state = { status: RECEIVED };
  const backend = await startCallbackReceiver({ respond: () => state.status });
  onClose(() => backend.stop());
  const callbacks = await startTcpProxy(portOf(backend.url));
  onClose(() => callbacks.stop());
  return { backend, callbacks, setAnswer: (status: number) => void (state.status = status) };
}

/** The balancers in front of the gateways, for backends and for wallets. */
async function openFront(onClose: OnClose) {
  const [management, wallets] = [await startBalancer(), await startBalancer()];
  for (const balancer of [management, wallets]) onClose(balancer.stop);
  return { management, wallets };
}

/** Points a balancer at one listener of each gateway. */
function leadTo(balancer: Balancer, { processes }: Stack, listener: string): void {
  const gateways = processes.filter(({ app }) => app === 'gateway');
  balancer.setTargets(
    gateways.map((gateway) => ({
      address: () => gateway.addressOf(listener),
      healthUrl: () => {
        const management = gateway.addressOf('management');
        return management === undefined ? undefined : `${management}/health/ready`;
      },
    })),
  );
}

type Servers = Awaited<ReturnType<typeof openServers>>;
type Front = Awaited<ReturnType<typeof openFront>>;

async function openStack(folder: string, servers: Servers, front: Front, callbackUrl: string): Promise<Stack> {
  const { postgres, smallDisk, nats, statusHost, statusLists } = servers;
  const { adminUrl } = postgres.current();
  const urls = await provisionDatabase({ adminUrl, database: DATABASE, passwords: passwords() });
  if (smallDisk) await moveDatabase(adminUrl, DATABASE, smallDisk.folder);
  const signed = { CALLBACK_SECRETS: `whsec_${randomBytes(32).toString('base64')}` };
  const hosts = [new URL(front.wallets.url).host, `127.0.0.1:${statusHost.port}`].join(',');
  const started = await startStack({
    dataFolder: path.join(folder, 'stack'),
    databaseUrls: proxied(urls, postgres.proxy),
    natsUrl: nats.proxy.urlFor(nats.current().url).replace(/\/$/, ''),
    callbackUrl,
    baseUrl: front.wallets.url,
    replicas: { verifier: 2, issuer: 2, 'wallet-store': 2, gateway: 2 },
    environment: {
      gateway: { RATE_LIMIT_PER_MINUTE: '0', MANAGEMENT_PORT: '0', PUBLIC_PORT: '0' },
      verifier: { ...signed, ...STATUS_SETTINGS.verifier, EGRESS_DEVELOPMENT_HOSTS: hosts },
      issuer: { ...signed, ...STATUS_SETTINGS.issuer },
    },
  });
  const stack = { ...started, managementUrl: front.management.url };
  leadTo(front.management, stack, 'management');
  leadTo(front.wallets, stack, 'public');
  statusLists.setIssuer(stack);
  return stack;
}

/** Gives the second replica of each service a clock of its own. */
async function openClocks({ processes }: Stack, folder: string, library: string): Promise<ReplicaClock[]> {
  const replicas = processes.filter(({ app, label }) => app !== 'gateway' && label.endsWith('-2'));
  const clocks = await Promise.all(replicas.map((process) => giveClock(process, library, folder)));
  await Promise.all(replicas.map((process) => process.waitUntilReady(READY_MILLISECONDS)));
  return clocks;
}

/** Starts everything; if a part fails to start, what was started is stopped again. */
export async function startWorld(place: WorldPlace): Promise<World> {
  const folder = path.join(tmpdir(), `vestibule-chaos-${randomBytes(6).toString('hex')}`);
  mkdirSync(folder, { mode: 0o711 });
  const opened: (() => Promise<void>)[] = [];
  const onClose: OnClose = (close) => void opened.push(close);
  const stop = async (keepFolder: boolean) => {
    for (const close of opened.splice(0).reverse()) await close();
    if (!keepFolder) rmSync(folder, { recursive: true, force: true });
  };
  try {
    const servers = await openServers(place, folder, onClose);
    const { postgres, smallDisk, nats, statusHost } = servers;
    const { backend, callbacks, setAnswer } = await openBackend(onClose);
    const front = await openFront(onClose);
    const stack = await openStack(folder, servers, front, callbacks.urlFor(backend.url));
    onClose(() => stack.stop());
    const clocks = place.clockLibrary === undefined ? [] : await openClocks(stack, folder, place.clockLibrary);
    const databaseUrl = postgres.url;
    const { wallets } = front;
    const around = { backend, callbacks, wallets, postgres, smallDisk, nats, statusHost };
    return { stack, ...around, clocks, setAnswer, databaseUrl, stop };
  } catch (error) {
    await stop(false);
    throw error;
  }
}
