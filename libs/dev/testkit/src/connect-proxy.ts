import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';

/** An HTTP proxy on 127.0.0.1 that leads every name to one port of this machine. */
export interface ConnectProxy {
  /** With the user `user` and the password `p@ss`. */
  readonly url: string;
  /** What it was asked for, and by whom. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

interface ConnectProxyOptions {
  /** Where every tunnel leads to, asked for each of them. */
  readonly port: number | (() => number);
  /** What it sends back: by default that the tunnel is open. A proxy whose answer has no end is silent after it. */
  readonly answer?: string;
  /** Certificate and key in PEM of a proxy that speaks TLS. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

/** Starts a proxy. */
export async function startConnectProxy({
  port,
  tls,
  answer = 'HTTP/1.1 200 OK\r\n\r\n',
}: ConnectProxyOptions): Promise<ConnectProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = tls ? createTlsServer(tls) : createServer();
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    asked.push(`${request.url} ${request.headers['proxy-authorization'] ?? 'nobody'}`);
    sockets.add(client);
    client.on('error', () => client.destroy());
    if (!answer.endsWith('\r\n\r\n')) return void client.write(answer);
    if (!answer.includes(' 200 ')) return void client.end(answer);
    const far = connect({ host: '127.0.0.1', port: typeof port === 'number' ? port : port() }, () => {
      client.write(answer);
      client.pipe(far).pipe(client);
    });
    sockets.add(far);
    far.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    url: `${tls ? 'https' : 'http'}://user:p%40ss@localhost:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
