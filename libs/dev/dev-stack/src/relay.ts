import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Stands between clients and a server, on a free loopback port. */
export interface Relay {
  readonly port: number;
  /** Ends all connections. */
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';

/**
 * Opens a connection to the server for each of a client, and gives both to `onPair`, which passes on what they send. When
 * one closes, so does the other.
 */
export async function startRelay(
  server: { readonly host: string; readonly port: number },
  onPair: (near: Socket, far: Socket) => void,
): Promise<Relay> {
  const sockets = new Set<Socket>();
  const listener = createServer((near) => {
    const far = connect(server);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      // `close` follows an error.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    onPair(near, far);
  });
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(0, LOOPBACK, resolve);
  });
  return {
    port: (listener.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
