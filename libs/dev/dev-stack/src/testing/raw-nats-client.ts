import { connect, type Socket } from 'node:net';

/** A NATS client that sends exactly the given bytes, for tests of a server's behaviour. */
export class RawNatsClient {
  #received = '';
  #closed = false;

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => (this.#received += text));
    socket.on('close', () => (this.#closed = true));
    socket.on('error', () => socket.destroy());
  }

  /** Connects, waits for INFO and discards it; with `options`, also sends CONNECT. */
  static async open(url: string, options?: Readonly<Record<string, unknown>>): Promise<RawNatsClient> {
    const { hostname, port } = new URL(url);
    const client = new RawNatsClient(connect({ host: hostname, port: Number(port) }));
    await client.waitFor(/^INFO \{.*\}\s*\r\n/);
    client.take();
    if (options) client.send(`CONNECT ${JSON.stringify(options)}\r\n`);
    return client;
  }

  send(text: string): void {
    this.socket.write(text, 'latin1');
  }

  /** Stops reading from the socket. */
  pause(): void {
    this.socket.pause();
  }

  /** What has arrived and was not taken yet. */
  take(): string {
    const text = this.#received;
    this.#received = '';
    return text;
  }

  /** Waits until the received data matches, and returns it. */
  async waitFor(pattern: RegExp): Promise<string> {
    await waitUntil(() => pattern.test(this.#received) || this.#closed);
    return this.#received;
  }

  /** The server's complete answer to what was sent: PING is answered last. */
  async answers(): Promise<string> {
    this.send('PING\r\n');
    await waitUntil(() => this.#received.endsWith('PONG\r\n') || this.#closed);
    return this.take().replace(/PONG\r\n$/, '');
  }

  async waitUntilClosed(): Promise<string> {
    await waitUntil(() => this.#closed);
    return this.take();
  }

  close(): void {
    this.socket.destroy();
  }
}

/** Waits for a condition, checking it every few milliseconds. */
export async function waitUntil(condition: () => boolean, milliseconds = 60_000): Promise<void> {
  const deadline = performance.now() + milliseconds;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('the awaited condition was not met in time');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
