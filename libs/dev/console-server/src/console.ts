import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readIssuerIdentity } from '@vestibule/wallet-box';
import { RouteFault } from './answer';
import { createCallbackLog, type ArrivedCallback } from './callback-log';
import { pathOf, refusalOf } from './guard';
import { createRelay, type ManagementAddress } from './management-relay';
import { SAFE_HEADERS, servePage, type PageState, type Served } from './page';
import { answer, type LocalStack, type RouteParts } from './routes';
import { createWalletRoutes } from './wallet-routes';

export interface ConsoleOptions {
  /** 0: any. */
  readonly port: number;
  readonly management: ManagementAddress;
  /** Absent: a remote installation, which the console only reads. */
  readonly local?: LocalStack;
  /** Keys that callbacks are verified with. */
  readonly callbackSecrets?: readonly string[];
  /** The built page. */
  readonly pageFolder: string;
  readonly pageState: () => PageState;
}

/** A running console. */
export interface Console {
  readonly url: string;
  /** To be called for each event that the receiver of the stack gets. */
  addCallback(callback: ArrivedCallback): void;
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const STATUS_PATH = '/status/';

const asJson = (status: number, body: unknown): Served => ({
  status,
  headers: { ...SAFE_HEADERS, 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const faultOf = (error: unknown): Served =>
  error instanceof RouteFault
    ? asJson(error.status, { detail: error.detail })
    : asJson(500, { detail: 'the console failed: this is a fault of its own' });

interface Serving {
  readonly parts: RouteParts;
  readonly options: ConsoleOptions;
}

function serveList({ parts }: Serving, name: string): Served {
  const token = parts.wallet.findList(name);
  if (token === undefined) return asJson(404, { detail: 'there is no such list' });
  return { status: 200, headers: { ...SAFE_HEADERS, 'content-type': 'application/statuslist+jwt' }, body: token };
}

async function serve(serving: Serving, request: IncomingMessage, port: number): Promise<Served> {
  const refusal = refusalOf(request, port);
  if (refusal) return asJson(refusal.status, { detail: refusal.detail });
  const pathname = pathOf(request) ?? '/';
  if (pathname.startsWith('/api/')) {
    const { status, body } = await answer(serving.parts, request);
    return asJson(status, body);
  }
  if (request.method !== 'GET') return asJson(405, { detail: 'the page can only be read' });
  if (pathname.startsWith(STATUS_PATH)) return serveList(serving, pathname.slice(STATUS_PATH.length));
  return servePage(serving.options.pageFolder, pathname, serving.options.pageState());
}

function write(response: ServerResponse, { status, headers, body }: Served): void {
  response.writeHead(status, headers);
  response.end(status === 204 || status === 304 ? undefined : body);
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

function findIssuer(local: LocalStack | undefined) {
  if (!local) return undefined;
  const file = (name: string) => `${local.configFolder}/${name}.pem`;
  return { ...readIssuerIdentity(file('issuer'), file('issuer-key')), issuer: local.issuerUrl };
}

/** Starts the console on the loopback address. Rejects if the port is taken. */
export async function startConsole(options: ConsoleOptions): Promise<Console> {
  const { management, local, callbackSecrets = [] } = options;
  const callbacks = createCallbackLog(callbackSecrets);
  const wallet = createWalletRoutes(findIssuer(local), () => `http://${LOOPBACK}:${portOf(server)}`);
  const parts: RouteParts = {
    managementUrl: management.url,
    relay: createRelay(management, local === undefined),
    callbacks,
    wallet,
    ...(local ? { local } : {}),
  };
  const server = createServer((request, response) => {
    void serve({ parts, options }, request, portOf(server))
      .catch(faultOf)
      .then((served) => write(response, served));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, LOOPBACK, resolve);
  });
  return {
    url: `http://${LOOPBACK}:${portOf(server)}`,
    addCallback: (callback) => callbacks.add(callback),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
