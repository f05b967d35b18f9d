import { connect, createServer, type Server, type Socket } from 'node:net';
import { StackFailure } from './stack-failure';

/** A fault of a proxy, instead of passing on what both sides send. */
export interface ProxyFault {
  /**
   * `swallow`: reads and discards, as a firewall that lost its state: neither side learns of the other's end, and the
   * connection never works again. `hang`: passes nothing on but loses nothing. `reset`: breaks it with RST. `delay`:
   * passes everything on `milliseconds` later. `tear`: passes on the first half of what comes next, then breaks it.
   */
  readonly mode: 'swallow' | 'hang' | 'reset' | 'delay' | 'tear';
  /** The connections that are open now, those that are opened later, or `all` (default). */
  readonly connections?: 'existing' | 'new' | 'all';
  /** Which bytes, for all but `reset`; default `both`. */
  readonly direction?: 'to-server' | 'to-client' | 'both';
  /** The delay, for `delay`. */
  readonly milliseconds?: number;
}

/** A proxy between the parts of a stack, with which a test can break their connections. */
export interface TcpProxy {
  readonly port: number;
  /** How many connections it has. */
  readonly connections: number;
  /** The same URL with this proxy's address. */
  urlFor(url: string): string;
  /** Sends new connections to another port of the loopback interface. */
  redirect(port: number): void;
  /** Breaks every connection; new ones are accepted. */
  cut(): void;
  /** Breaks every connection and refuses new ones until {@link heal}. */
  block(): void;
  /** Stops all bytes, without breaking connections, until {@link heal}. */
  freeze(): void;
  /** Applies a fault until {@link heal}, replacing an earlier one. */
  apply(fault: ProxyFault): void;
  /** Passes everything on again; swallowed bytes stay lost, their connections silent. Who has closed one is heard now. */
  heal(): void;
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const DEFAULT_DELAY_MILLISECONDS = 1_000;

/** One direction of a connection; nothing passes before it is opened. */
class Flow {
  /** A flow that has lost a byte is useless from then on. */
  #swallows = false;
  #isHeld = true;
  #tears = false;
  #delay = 0;
  /** Delayed chunks, in order. */
  #late: { readonly chunk: Buffer; readonly timer: NodeJS.Timeout }[] = [];

  constructor(
    private readonly from: Socket,
    private readonly to: Socket,
  ) {
    from.on('data', (chunk: Buffer) => this.#pass(chunk)).pause();
    to.on('drain', () => {
      if (!this.#isHeld) from.resume();
    });
  }

  get swallows(): boolean {
    return this.#swallows;
  }

  /** The delay of its bytes and of its end. */
  get delay(): number {
    return this.#delay;
  }

  #pass(chunk: Buffer): void {
    if (this.#swallows || !this.to.writable) return;
    if (this.#tears) {
      this.to.write(chunk.subarray(0, chunk.length / 2));
      this.to.destroySoon();
    } else if (this.#delay > 0) {
      const timer = setTimeout(() => void this.to.write(this.#late.shift()?.chunk ?? ''), this.#delay);
      this.#late.push({ chunk, timer });
    } else if (!this.to.write(chunk)) {
      this.from.pause();
    }
  }

  open(): void {
    const late = this.forget();
    if (!this.to.destroyed) for (const chunk of late) this.to.write(chunk);
    this.#delay = 0;
    this.#tears = false;
    this.#isHeld = false;
    this.from.resume();
  }

  tear(): void {
    this.open();
    this.#tears = true;
  }

  hold(): void {
    this.#isHeld = true;
    this.from.pause();
  }

  swallow(): void {
    this.open();
    this.#swallows = true;
  }

  slowDown(milliseconds: number): void {
    this.open();
    this.#delay = milliseconds;
  }

  /** Discards and returns delayed chunks. */
  forget(): Buffer[] {
    const late = this.#late;
    this.#late = [];
    for (const { timer } of late) clearTimeout(timer);
    return late.map(({ chunk }) => chunk);
  }
}

class Pair {
  readonly #toServer: Flow;
  readonly #toClient: Flow;

  constructor(
    private readonly near: Socket,
    private readonly far: Socket,
    onClosed: () => void,
  ) {
    this.#toServer = new Flow(near, far);
    this.#toClient = new Flow(far, near);
    const sockets = [near, far];
    for (const socket of sockets) {
      socket.setNoDelay(true);
      // `close` follows an error.
      socket.on('error', () => undefined);
    }
    this.#takeAlong(near, far, this.#toServer, onClosed);
    this.#takeAlong(far, near, this.#toClient, onClosed);
  }

  /** When one end closes, the other is closed too, unless that is swallowed. */
  #takeAlong(end: Socket, other: Socket, flow: Flow, onClosed: () => void): void {
    end.on('close', (hadError) => {
      const follow = () => (hadError ? other.destroy() : other.destroySoon());
      if (!flow.swallows && flow.delay > 0) setTimeout(follow, flow.delay).unref();
      else if (!flow.swallows) follow();
    });
    end.on('close', () => {
      if (!this.near.destroyed || !this.far.destroyed) return;
      for (const one of [this.#toServer, this.#toClient]) one.forget();
      onClosed();
    });
  }

  apply({ mode, direction = 'both', milliseconds = DEFAULT_DELAY_MILLISECONDS }: ProxyFault): void {
    if (mode === 'reset') {
      for (const socket of [this.near, this.far]) socket.resetAndDestroy();
      return;
    }
    for (const flow of [this.#toServer, this.#toClient]) {
      const isMeant = direction === 'both' || (flow === this.#toServer) === (direction === 'to-server');
      if (!isMeant) flow.open();
      else if (mode === 'swallow') flow.swallow();
      else if (mode === 'hang') flow.hold();
      else if (mode === 'tear') flow.tear();
      else flow.slowDown(milliseconds);
    }
  }

  /** Also ends an end whose other end closed unheard: once packets arrive again, its host is told so by RST. */
  open(): void {
    for (const flow of [this.#toServer, this.#toClient]) flow.open();
    if (this.near.destroyed || this.far.destroyed) this.destroy();
  }

  destroy(): void {
    for (const socket of [this.near, this.far]) socket.destroy();
  }
}

class Proxy implements TcpProxy {
  readonly #pairs = new Set<Pair>();
  #isBlocked = false;
  /** For new connections. */
  #fault: ProxyFault | undefined;

  constructor(
    private readonly server: Server,
    readonly port: number,
    private target: number,
  ) {
    server.on('connection', (near) => this.#join(near));
  }

  #join(near: Socket): void {
    if (this.#isBlocked) return void near.destroy();
    if (this.#fault?.mode === 'reset') return void near.resetAndDestroy();
    const far = connect({ port: this.target, host: LOOPBACK });
    const pair = new Pair(near, far, () => this.#pairs.delete(pair));
    this.#pairs.add(pair);
    if (this.#fault) pair.apply(this.#fault);
    else pair.open();
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
    for (const pair of [...this.#pairs]) pair.destroy();
  }

  block(): void {
    this.#isBlocked = true;
    this.cut();
  }

  freeze(): void {
    this.apply({ mode: 'hang' });
  }

  apply(fault: ProxyFault): void {
    this.heal();
    const { connections = 'all' } = fault;
    if (connections !== 'existing') this.#fault = fault;
    if (connections !== 'new') for (const pair of [...this.#pairs]) pair.apply(fault);
  }

  heal(): void {
    this.#isBlocked = false;
    this.#fault = undefined;
    for (const pair of this.#pairs) pair.open();
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
