import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Observes the bytes of one connection. */
export interface Tap {
  fromClient(chunk: Buffer): void;
  fromServer?(chunk: Buffer): void;
}

/** A proxy in front of a server that passes every byte to taps. */
export interface CountingProxy {
  /** The URL of the server, with the proxy's address. */
  readonly url: string;
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';

/** When one side closes, so does the other; a tap that cannot parse a connection ends it and reports to `onFault`. */
function join(near: Socket, far: Socket, tap: Tap, onFault: (error: unknown) => void): void {
  const hear = (listen: (chunk: Buffer) => void) => (chunk: Buffer) => {
    try {
      listen(chunk);
    } catch (error) {
      onFault(error);
      near.destroy();
    }
  };
  near.on(
    'data',
    hear((chunk) => tap.fromClient(chunk)),
  );
  far.on(
    'data',
    hear((chunk) => tap.fromServer?.(chunk)),
  );
  near.pipe(far);
  far.pipe(near);
  for (const [socket, other] of [
    [near, far],
    [far, near],
  ] as const) {
    socket.setNoDelay(true);
    // `close` follows an error.
    socket.on('error', () => undefined);
    socket.on('close', () => other.destroy());
  }
}

/** Starts a proxy in front of the server of a URL, on a free loopback port. */
export async function startCountingProxy(
  serverUrl: string,
  createTap: () => Tap,
  onFault: (error: unknown) => void,
): Promise<CountingProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect({ host: target.hostname, port: Number(target.port) });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
    join(near, far, createTap(), onFault);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, LOOPBACK, resolve);
  });
  const url = new URL(serverUrl);
  url.host = `${LOOPBACK}:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href.replace(/\/$/, ''),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
