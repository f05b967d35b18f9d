import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** Stands between a wallet and the gateway, and loses answers when it is told to. */
export interface AnswerCutter {
  /** What the wallet calls instead of `fetch`: every request goes through here. */
  readonly fetch: typeof fetch;
  /** The same address on this side of the line. */
  urlFor(url: string): string;
  /** Breaks the connection of the next request to a path with this end, once the first byte of its answer is there. */
  cutNext(pathEnd: string): void;
  /** How many answers were lost. */
  readonly lost: number;
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const portOf = (url: string) => Number(new URL(url).port);
/** The path of the request that these bytes begin with. */
const pathOf = (bytes: Buffer) => bytes.toString('latin1').split('\r\n', 1)[0]?.split(' ')[1] ?? '';

/** Starts one for the gateway at this address. Each request has a connection of its own. */
export async function startAnswerCutter(gatewayUrl: string): Promise<AnswerCutter> {
  const sockets = new Set<Socket>();
  let doomed: string | undefined;
  let lost = 0;
  const follow = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    const far = connect({ port: portOf(gatewayUrl), host: LOOPBACK });
    let isDoomed = false;
    for (const socket of [near, far]) follow(socket);
    near.on('close', () => far.destroy());
    far.on('close', () => near.end());
    near.once('data', (bytes: Buffer) => {
      isDoomed = doomed !== undefined && pathOf(bytes).endsWith(doomed);
      if (isDoomed) doomed = undefined;
    });
    far.once('data', () => {
      if (!isDoomed) return;
      lost += 1;
      near.destroy();
    });
    near.on('data', (bytes: Buffer) => far.write(bytes));
    far.on('data', (bytes: Buffer) => void (near.writable && near.write(bytes)));
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  const { port } = server.address() as AddressInfo;
  const urlFor = (url: string) => {
    const own = new URL(url);
    if (own.port === String(portOf(gatewayUrl))) own.port = String(port);
    return own.href;
  };
  return {
    urlFor,
    fetch: (input, init = {}) => {
      const headers = new Headers(init.headers);
      headers.set('connection', 'close');
      return fetch(urlFor(String(input)), { ...init, headers });
    },
    cutNext: (pathEnd) => {
      doomed = pathEnd;
    },
    get lost() {
      return lost;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
