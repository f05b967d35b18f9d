import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';

/** In TLS 1.2, those of RFC 9325 §4.2 that fit a certificate for an EC key; the suite looks. */
const CIPHERS =
  'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384';

const METADATA = '/.well-known/oauth-authorization-server';

/** TLS in front of the public listener, as a proxy of an operator has it. */
export interface Front {
  readonly port: number;
  /** Forwards to this listener from now on. */
  forwardTo(upstream: URL): void;
  stop(): Promise<void>;
}

function answer(response: ServerResponse, upstream: IncomingMessage): void {
  response.writeHead(upstream.statusCode ?? 502, upstream.headers);
  upstream.pipe(response);
}

/** The suite gives up on metadata without this member, although RFC 8414 §2 wants it for other grants alone. */
async function answerWithEndpoint(response: ServerResponse, upstream: IncomingMessage): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of upstream) chunks.push(chunk as Buffer);
  const metadata = JSON.parse(Buffer.concat(chunks).toString()) as { readonly issuer?: unknown };
  const text = JSON.stringify({ ...metadata, authorization_endpoint: `${String(metadata.issuer)}/not-offered` });
  response.writeHead(upstream.statusCode ?? 502, { 'content-type': 'application/json' }).end(text);
}

function forward(from: IncomingMessage, to: ServerResponse, upstream: URL | undefined): void {
  if (!upstream) return void to.writeHead(503).end();
  const headers = { ...from.headers, 'x-forwarded-for': from.socket.remoteAddress ?? '' };
  const { hostname, port } = upstream;
  const passed = request({ hostname, port, method: from.method, path: from.url, headers }, (received) => {
    if (!from.url?.startsWith(METADATA)) return answer(to, received);
    answerWithEndpoint(to, received).catch(() => to.destroy());
  });
  passed.on('error', () => void to.destroy());
  from.pipe(passed);
}

const close = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

/** Listens on a free port of every address, because a suite in a container comes from another one. */
export async function startFront(tls: { readonly cert: string; readonly key: string }): Promise<Front> {
  let upstream: URL | undefined;
  const server = createServer({ ...tls, minVersion: 'TLSv1.2', ciphers: CIPHERS }, (from, to) =>
    forward(from, to, upstream),
  );
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    forwardTo: (next) => (upstream = next),
    stop: () => close(server),
  };
}
