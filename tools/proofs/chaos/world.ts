import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  findProgram,
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
  type Stack,
  type TcpProxy,
} from '@vestibule/dev-stack';

/** A server behind a proxy: the services keep one address, whatever happens to it. */
export interface ServerBehindProxy {
  readonly proxy: TcpProxy;
  /** SIGKILL (the embedded broker: all its connections break), `milliseconds` of nothing, and a new start. */
  killAndStart(milliseconds: number): Promise<void>;
}

/** Everything that the flows run on: two replicas of each service, and servers that can be taken away. */
export interface World {
  readonly stack: Stack;
  readonly backend: CallbackReceiver;
  readonly callbacks: TcpProxy;
  readonly postgres: ServerBehindProxy;
  readonly nats: ServerBehindProxy;
  /** What the backend answers callbacks with from now on. */
  setAnswer(status: number): void;
  /** The superuser's URL of the services' database, past the proxy. */
  databaseUrl(): string;
  /** @param keepFolder for looking at the logs afterwards */
  stop(keepFolder: boolean): Promise<void>;
}

const DATABASE = 'vestibule';
const RECEIVED = 204;
const portOf = (url: string): number => Number(new URL(url).port);
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

interface Stoppable {
  readonly url: string;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

async function startNats(searchPath: string | undefined): Promise<Stoppable> {
  const binary = findProgram('nats-server', searchPath);
  if (binary !== undefined) return startNatsServer(binary);
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

/** Throw-away passwords: the database lives as long as the run. */
const passwords = () => {
  const password = () => randomBytes(24).toString('base64url');
  return { verifier: password(), issuer: password(), wallet_store: password() };
};

const databaseOf = (postgres: EmbeddedPostgres) => postgres.adminUrl.replace(/\/postgres$/, `/${DATABASE}`);

/** Starts everything; what was started is stopped again where a later part does not start. */
export async function startWorld(searchPath: string | undefined): Promise<World> {
  const folder = path.join(tmpdir(), `vestibule-chaos-${randomBytes(6).toString('hex')}`);
  mkdirSync(folder, { mode: 0o711 });
  const opened: (() => Promise<void>)[] = [];
  const stopAll = async (keepFolder: boolean) => {
    for (const close of opened.splice(0).reverse()) await close();
    if (!keepFolder) rmSync(folder, { recursive: true, force: true });
  };
  try {
    const dataFolder = path.join(folder, 'postgres');
    const postgres = await keepBehindProxy(() => startEmbeddedPostgres({ dataFolder }), databaseOf);
    opened.push(postgres.stop);
    const nats = await keepBehindProxy(
      () => startNats(searchPath),
      ({ url }) => url,
    );
    opened.push(nats.stop);
    const state = { status: RECEIVED };
    const backend = await startCallbackReceiver({ respond: () => state.status });
    opened.push(() => backend.stop());
    const callbacks = await startTcpProxy(portOf(backend.url));
    opened.push(() => callbacks.stop());

    const { adminUrl } = postgres.current();
    const urls = await provisionDatabase({ adminUrl, database: DATABASE, passwords: passwords() });
    const signed = { CALLBACK_SECRETS: `whsec_${randomBytes(32).toString('base64')}` };
    const stack = await startStack({
      dataFolder: path.join(folder, 'stack'),
      databaseUrls: proxied(urls, postgres.proxy),
      natsUrl: nats.proxy.urlFor(nats.current().url).replace(/\/$/, ''),
      callbackUrl: callbacks.urlFor(backend.url),
      replicas: { verifier: 2, issuer: 2, 'wallet-store': 2 },
      environment: { gateway: { RATE_LIMIT_PER_MINUTE: '0' }, verifier: signed, issuer: signed },
    });
    opened.push(() => stack.stop());
    return {
      stack,
      backend,
      callbacks,
      postgres,
      nats,
      setAnswer: (status) => void (state.status = status),
      databaseUrl: () => databaseOf(postgres.current()),
      stop: stopAll,
    };
  } catch (error) {
    await stopAll(false);
    throw error;
  }
}
