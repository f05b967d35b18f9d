import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as a device received it. */
export interface Asked {
  readonly method: string | undefined;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What it answers: a status, and JSON, or text as it is. */
export interface Answered {
  readonly status?: number;
  readonly json?: unknown;
  readonly text?: string;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** A device on the loopback interface that answers as `answer` says. */
export async function startHttpDevice(answer: (asked: Asked) => Answered | Promise<Answered>) {
  const asked: Asked[] = [];
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url: path = '', headers } = request;
    const one = { method, path, headers, body: await bodyOf(request) };
    asked.push(one);
    const { status = 200, json, text = JSON.stringify(json) } = await answer(one);
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  }
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
