import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as a handler sees it. */
export interface Received {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent unchanged, anything else as JSON. */
  readonly body?: unknown;
}

export interface Loopback {
  readonly origin: string;
  close(): Promise<void>;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function receive(request: IncomingMessage, origin: string): Promise<Received> {
  const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const url = new URL(request.url ?? '/', origin);
  return { method: request.method ?? 'GET', url, headers, body: await readBody(request) };
}

/** Serves a handler on a free port of 127.0.0.1; if the handler throws, it returns 500. */
export async function startLoopback(handler: (received: Received) => Promise<Answer> | Answer): Promise<Loopback> {
  const server = createServer((request, response) => {
    const respond = async (): Promise<void> => {
      const { status, headers, body } = await handler(await receive(request, origin));
      const type = typeof body === 'string' ? {} : { 'content-type': 'application/json' };
      response.writeHead(status, { ...type, 'cache-control': 'no-store', ...headers });
      response.end(typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body));
    };
    respond().catch((error: unknown) => {
      response.writeHead(500, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: 'server_error', error_description: String(error) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () =>
    new Promise<void>((resolve, reject) => {
      server.closeAllConnections();
      server.close((error) => (error ? reject(error) : resolve()));
    });
  return { origin, close };
}
