import { connect, createServer, type Server, type Socket } from 'node:net';
import { StackFailure } from './stack-failure';

/** Stands between the parts of a stack and lets a test take the connection away. */
export interface TcpProxy {
  readonly port: number;
  /** How many connections it has. */
  readonly connections: number;
  /** The same URL with this proxy's address. */
  urlFor(url: string): string;
  /** New connections go to another port of the loopback interface from now on. */
  redirect(port: number): void;
  /** Breaks every connection; new ones are accepted. */
  cut(): void;
  /** Breaks every connection and refuses new ones until {@link heal}. */
  block(): void;
  /** Lets no byte through, without breaking anything, until {@link heal}. */
  freeze(): void;
  heal(): void;
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';

class Proxy implements TcpProxy {
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #state: 'open' | 'blocked' | 'frozen' = 'open';

  constructor(
    private readonly server: Server,
    readonly port: number,
    private target: number,
  ) {
    server.on('connection', (near) => this.#join(near));
  }

  #join(near: Socket): void {
    if (this.#state === 'blocked') return void near.destroy();
    const far = connect({ port: this.target, host: LOOPBACK });
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    for (const socket of pair) {
      socket.setNoDelay(true);
      // `close` follows an error, and either end takes the other with it.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#pairs.delete(pair);
        for (const end of pair) end.destroy();
      });
    }
    if (this.#state === 'open') this.#connect(pair);
  }

  #connect([near, far]: readonly [Socket, Socket]): void {
    near.pipe(far);
    far.pipe(near);
  }

  get connections(): number {
    return this.#pairs.size;
  }

  urlFor(url: string): string {
    const own = new URL(url);
    own.host = `${LOOPBACK}:${this.port}`;
    return own.href;
  }

  redirect(port: number): void {
    this.target = port;
  }

  cut(): void {
    for (const pair of [...this.#pairs]) for (const socket of pair) socket.destroy();
  }

  block(): void {
    this.#state = 'blocked';
    this.cut();
  }

  freeze(): void {
    this.#state = 'frozen';
    for (const pair of this.#pairs) for (const socket of pair) socket.unpipe().pause();
  }

  heal(): void {
    const wasFrozen = this.#state === 'frozen';
    this.#state = 'open';
    if (wasFrozen) for (const pair of this.#pairs) this.#connect(pair);
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.cut();
    });
  }
}

/** Starts a proxy on a free loopback port. @throws StackFailure `proxy_start_failed` */
export function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(new StackFailure('proxy_start_failed', `the proxy cannot listen (${error.message})`, error)),
    );
    server.listen(0, LOOPBACK, () => {
      const address = server.address();
      resolve(new Proxy(server, typeof address === 'object' && address ? address.port : 0, targetPort));
    });
  });
}
