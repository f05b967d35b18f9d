import {
  createTestDatabase,
  createTestNats,
  startCallbackReceiver,
  startStack,
  startTcpProxy,
  type AppName,
  type CallbackReceiver,
  type Environment,
  type ReceivedCallback,
  type ServiceUrls,
  type Stack,
  type TcpProxy,
  type TestDatabase,
} from '@vestibule/dev-stack';
import { createWallet, type Wallet } from '@vestibule/demo-wallet';

/** How a test wants its stack. */
export interface StageOptions {
  readonly environment?: Readonly<Partial<Record<AppName, Environment>>>;
  /** How many processes of an app; default one. */
  readonly replicas?: Readonly<Partial<Record<AppName, number>>>;
  /** The path of the issuer's identifier: `/tenants/one`; default none. */
  readonly issuerPath?: string;
  /** The status that the backend answers a callback with; default 204. */
  readonly respond?: (callback: ReceivedCallback) => number | Promise<number>;
}

type Members = Record<string, unknown>;

/** A JSON answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Members;
}

/** Four processes over real Postgres and NATS, a backend that receives callbacks, and every line that was logged. */
export interface Stage {
  readonly stack: Stack;
  readonly backend: CallbackReceiver;
  readonly database: TestDatabase;
  readonly natsUrl: string;
  readonly logLines: readonly string[];
  /** What stands between the services and their servers, to take these away. */
  readonly proxies: { readonly postgres: TcpProxy; readonly nats: TcpProxy };
  /** The credential type of the samples. */
  readonly vct: string;
  createWallet(): Wallet;
  /** Calls the management API as a backend does. */
  management(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  /** The bodies of all callbacks about one offer or presentation request, once there are `count` and no more follow. */
  callbacksOf(id: string, count: number): Promise<Members[]>;
  stop(): Promise<void>;
}

const QUIET_MILLISECONDS = 400;
const CALLBACK_MILLISECONDS = 20_000;

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function concerns(callback: ReceivedCallback, id: string): boolean {
  const { state, offerId } = callback.body as Members;
  return state === id || offerId === id;
}

async function requestJson(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : (JSON.parse(text) as Members) };
}

function settled(backend: CallbackReceiver) {
  return async (id: string, count: number): Promise<Members[]> => {
    const deadline = performance.now() + CALLBACK_MILLISECONDS;
    const found = () => backend.received.filter((callback) => concerns(callback, id));
    while (found().length < count && performance.now() < deadline) await pause(25);
    await pause(QUIET_MILLISECONDS);
    return found().map(({ body }) => body as Members);
  };
}

const portOf = (url: string): number => Number(new URL(url).port);

const proxied = (urls: ServiceUrls, proxy: TcpProxy): ServiceUrls =>
  Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, proxy.urlFor(url)])) as ServiceUrls;

/** Starts everything for one test file; stop it in `afterAll`. */
export async function startStage(options: StageOptions = {}): Promise<Stage> {
  const database = await createTestDatabase();
  const nats = await createTestNats();
  const backend = await startCallbackReceiver(options.respond ? { respond: options.respond } : {});
  const postgresProxy = await startTcpProxy(portOf(database.adminUrl));
  const natsProxy = await startTcpProxy(portOf(nats.url));
  const logLines: string[] = [];
  const { gateway = {}, ...others } = options.environment ?? {};
  const release = async () => {
    await Promise.all([postgresProxy.stop(), natsProxy.stop()]);
    await nats.stop();
    await backend.stop();
    await database.drop();
  };
  const { issuerPath } = options;
  const starting = startStack({
    databaseUrls: proxied(database.urls, postgresProxy),
    natsUrl: natsProxy.urlFor(nats.url).replace(/\/$/, ''),
    callbackUrl: backend.url,
    ports: { management: 0, public: 0 },
    ...(issuerPath === undefined ? {} : { issuerPath }),
    ...(options.replicas ? { replicas: options.replicas } : {}),
    environment: { ...others, gateway: { RATE_LIMIT_PER_MINUTE: '0', ...gateway } },
    onLog: (label, line) => void logLines.push(`${label} ${line}`),
  });
  // What stayed open would keep the test runner from ending.
  const stack = await starting.catch(async (error: unknown) => {
    await release();
    throw error;
  });
  return {
    stack,
    backend,
    database,
    natsUrl: nats.url,
    proxies: { postgres: postgresProxy, nats: natsProxy },
    logLines,
    vct: `${stack.issuerUrl}/oidc4vci/types/identity-card`,
    createWallet: () => createWallet(),
    management: (method, path, body, headers = {}) =>
      requestJson(`${stack.managementUrl}${path}`, {
        method,
        headers: body ? { 'content-type': 'application/json', ...headers } : headers,
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
    callbacksOf: settled(backend),
    async stop() {
      await stack.stop();
      await release();
    },
  };
}
