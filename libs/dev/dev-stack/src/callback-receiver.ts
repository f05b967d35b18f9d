import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo } from 'node:net';
import { StackFailure } from './stack-failure';

/** One event as the backend received it. */
export interface ReceivedCallback {
  readonly receivedAt: Date;
  readonly method: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed body; the string itself if it is not JSON. */
  readonly body: unknown;
  readonly text: string;
}

export interface CallbackReceiverOptions {
  readonly port?: number;
  readonly onCallback?: (callback: ReceivedCallback) => void;
  /** Called when the answer has been sent, for flows that continue only when nothing is pending. */
  readonly onAnswered?: (callback: ReceivedCallback) => void;
  /** Whether `received` and `waitFor` include earlier callbacks; default true. */
  readonly keep?: boolean;
  /** The HTTP status of the answer; default 204. With 500, the sender retries. */
  readonly respond?: (callback: ReceivedCallback) => number | Promise<number>;
}

/** A backend that only receives. */
export interface CallbackReceiver {
  readonly url: string;
  readonly received: readonly ReceivedCallback[];
  /** The first callback, earlier or later, that `accept` returns true for. @throws StackFailure `callback_missing` */
  waitFor(accept: (callback: ReceivedCallback) => boolean, milliseconds?: number): Promise<ReceivedCallback>;
  stop(): Promise<void>;
}

const MAX_BODY_BYTES = 16 * 1024 * 1024;

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new StackFailure('callback_too_large', 'a callback is larger than 16 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Browsers say so of every request that a page makes, and a sender of callbacks never does: a page that is open beside the
 * stack must not write events into its terminal and its console.
 */
const isFromPage = ({ headers }: IncomingMessage): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

class Receiver {
  readonly received: ReceivedCallback[] = [];
  readonly #waiting = new Set<(callback: ReceivedCallback) => void>();

  constructor(private readonly options: CallbackReceiverOptions) {}

  /** Reads one callback; returns it with the status of the answer. */
  async take(request: IncomingMessage): Promise<{ callback: ReceivedCallback; status: number }> {
    const text = await readText(request);
    const { method, headers } = request;
    const callback = { receivedAt: new Date(), method, headers, body: parseBody(text), text };
    if (this.options.keep !== false) this.received.push(callback);
    this.options.onCallback?.(callback);
    const status = await (this.options.respond?.(callback) ?? 204);
    for (const waiting of [...this.#waiting]) waiting(callback);
    return { callback, status };
  }

  waitFor(accept: (callback: ReceivedCallback) => boolean, milliseconds: number): Promise<ReceivedCallback> {
    const known = this.received.find(accept);
    if (known) return Promise.resolve(known);
    return new Promise((resolve, reject) => {
      const timeout = setTimeout(() => {
        this.#waiting.delete(look);
        const detail = `the awaited callback did not arrive within ${milliseconds} ms (${this.received.length} others did)`;
        reject(new StackFailure('callback_missing', detail));
      }, milliseconds);
      const look = (callback: ReceivedCallback) => {
        if (!accept(callback)) return;
        clearTimeout(timeout);
        this.#waiting.delete(look);
        resolve(callback);
      };
      this.#waiting.add(look);
    });
  }
}

/** Starts a small HTTP server on the loopback interface that collects callbacks, for the demo and for tests. */
export async function startCallbackReceiver(options: CallbackReceiverOptions = {}): Promise<CallbackReceiver> {
  const receiver = new Receiver(options);
  const server = createServer((request, response) => {
    if (isFromPage(request)) return void response.writeHead(403).end();
    void receiver.take(request).then(
      ({ callback, status }) => {
        response.writeHead(status).end();
        options.onAnswered?.(callback);
      },
      () => response.writeHead(413).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/callbacks`,
    received: receiver.received,
    waitFor: (accept, milliseconds = 60_000) => receiver.waitFor(accept, milliseconds),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
