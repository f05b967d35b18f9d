import { errors, NatsConnectionImpl, setTransportFactory } from '@nats-io/transport-node';
import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node';
import { NodeTransport } from '@nats-io/transport-node/lib/node_transport';
import { onceRead } from '@vestibule/process';
import type { Socket } from 'node:net';
import { checkServerIdentity, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { NatsTls } from './nats-access';

const LINE_FEED = 10;
/** No message is held back longer while others are sent: callers wait for it, and the server for a sign of life. */
const LONGEST_HOLD_MILLISECONDS = 2;

/** How long a server is given to refuse us that does not show that it has accepted us. */
const ACCEPTANCE_MILLISECONDS = 1_000;

/**
 * Resolves when the server has accepted our certificate, which it shows by a session ticket, or has not refused it for a
 * while; rejects with its reason if it does. In TLS 1.3 the handshake of a client ends before that. Nothing is written until
 * then: the server would answer it with a reset, which may come before the reason.
 */
function acceptance(socket: TLSSocket): Promise<void> {
  if (socket.getProtocol() !== 'TLSv1.3' || socket.getTLSTicket() !== undefined) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const end = (error?: Error): void => {
      clearTimeout(timer);
      socket.off('session', accept).off('error', end).off('close', vanish);
      if (error) reject(error);
      else resolve();
    };
    const accept = (): void => end();
    const vanish = (): void => end(new Error('NATS: the server closed the connection after the TLS handshake'));
    const timer = setTimeout(() => onceRead(() => socket.bytesRead, accept), ACCEPTANCE_MILLISECONDS);
    socket.on('session', accept).on('error', end).on('close', vanish);
  });
}

/** What the client library keeps to itself. */
export interface ConnectionWatch {
  /** In TLS 1.3 a server refuses a client after the handshake, when the library only sees that the connection ends. */
  onTlsError(error: Error): void;
  /** An attempt to connect failed, also one to connect again. */
  onFailure(error: unknown): void;
}

/**
 * Guards the transport of the client library, which would treat bytes that arrive before the TLS handshake as if they
 * had come through it: an attacker in between could append questions and answers to the server's INFO.
 */
class GuardedTransport extends NodeTransport {
  /** Holds back what was sent in this turn of the event loop. */
  #corked: Socket | undefined;
  #corkedAt = 0;
  /** This attempt to connect, or the connection, has ended. */
  #isOver = false;

  constructor(private readonly watch: ConnectionWatch) {
    super();
  }

  override async connect(...to: Parameters<NodeTransport['connect']>): Promise<void> {
    try {
      await super.connect(...to);
    } catch (error) {
      // The network may end an attempt that was given up long ago, when the next one has succeeded.
      if (!this.#isOver) this.watch.onFailure(error);
      throw error;
    }
  }

  /**
   * All messages of one turn of the event loop leave in one write, or in a few if it takes long: writing costs more than a
   * message. Errors are ignored, as the library does: the connection's own end shows them.
   */
  override send(frame: Uint8Array): void {
    if (this.isClosed || !this.#isOpen()) return;
    if (this.#corked !== this.socket) {
      this.#corked = this.socket;
      this.#corkedAt = performance.now();
      this.socket.cork();
      setImmediate(() => this.#release());
    }
    this.socket.write(frame);
    if (performance.now() - this.#corkedAt > LONGEST_HOLD_MILLISECONDS) this.#release();
  }

  /**
   * What was sent before leaves first, as far as the socket takes it: the library destroys the socket. It also gives up an
   * attempt in this way that has taken too long: `connect` may have succeeded then, or never end.
   */
  override close(error?: Error): Promise<void> {
    if (error instanceof errors.TimeoutError && !this.#isOver) this.watch.onFailure(error);
    this.#isOver = true;
    this.#release();
    return super.close(error);
  }

  /** The library would first wait until everything is written, which a server that does not read never lets happen. */
  override disconnect(): void {
    void this.close();
  }

  /** The library removes the socket when it closes the connection, contrary to its types. */
  #isOpen(): boolean {
    return (this.socket as Socket | undefined) !== undefined;
  }

  #release(): void {
    this.#corked?.uncork();
    this.#corked = undefined;
  }

  override async startTLS(): Promise<TLSSocket> {
    const received = Buffer.concat(this.yields);
    if (received.indexOf(LINE_FEED) !== received.length - 1)
      throw new Error('NATS: the server sent more than INFO before the TLS handshake');
    const socket = await super.startTLS();
    socket.on('error', (error) => this.watch.onTlsError(error));
    await acceptance(socket);
    return socket;
  }
}

/** Connects as the client library does, but accepts nothing except INFO before the TLS handshake. */
export function connectGuarded(options: NodeConnectionOptions, watch: ConnectionWatch): Promise<NatsConnection> {
  // For all connections of the process, including reconnects; the library's own `connect` would replace it.
  setTransportFactory({ factory: () => new GuardedTransport(watch) });
  return NatsConnectionImpl.connect(options);
}

type Identify = (host: string, certificate: PeerCertificate) => Error | undefined;

/**
 * Which certificates are accepted: for one of `servers`, a certificate for its own name; for a server that the cluster
 * announces, one for any of their names. Announcements are also part of INFO, which is unprotected: a certificate for a
 * name that an attacker announced would prove nothing.
 */
export function identityOf(servers: readonly string[]): Identify {
  const names = [...new Set(servers.map((server) => new URL(server).hostname))];
  return (host, certificate) => {
    const faults = (names.includes(host) ? [host] : names).map((name) => checkServerIdentity(name, certificate));
    return faults.includes(undefined) ? undefined : faults[0];
  };
}

/** The TLS options, which the client library passes on to Node. */
export const guardedTls = (tls: NatsTls, servers: readonly string[]): NatsTls & { checkServerIdentity: Identify } => ({
  ...tls,
  checkServerIdentity: identityOf(servers),
});
