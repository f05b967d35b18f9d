import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** An HTTP or HTTPS server on 127.0.0.1, for this library's tests. */
export interface LoopbackServer {
  readonly port: number;
  /** The number of connections that were opened to it. */
  connections(): number;
  close(): Promise<void>;
}

async function start(server: Server): Promise<LoopbackServer> {
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Starts a server that speaks plain HTTP. */
export function startHttp(listener: RequestListener): Promise<LoopbackServer> {
  return start(createServer(listener));
}

/** Starts a server that speaks TLS with a certificate and key in PEM. */
export function startHttps(listener: RequestListener, tls: { cert: string; key: string }): Promise<LoopbackServer> {
  return start(createTlsServer(tls, listener) as unknown as Server);
}
