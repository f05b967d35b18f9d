import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import { egressFailure } from './failures';

export interface ConnectorOptions {
  /** Opens a connection to a host without TLS. */
  readonly toHost: buildConnector.connector;
  readonly secureContext: SecureContext;
  readonly timeoutMilliseconds: number;
}

/**
 * The maximum number of bytes from a host until its certificate is accepted. They include the whole chain, and OpenSSL
 * verifies the signatures of up to a hundred certificates before it reports that the chain is untrusted. Chains in use
 * need a third of this.
 */
const MAX_HANDSHAKE_BYTES = 16_384;

/**
 * Bytes that TLS receives in one turn of the event loop: one record. With more, the end of the connection could be seen
 * before undici has read what preceded it.
 */
const PIECE_BYTES = 16_384;

/** The bytes that a host sends over a connection, limited in number. */
class LimitedStream extends Duplex {
  readonly #waiting: Buffer[] = [];
  #left = MAX_HANDSHAKE_BYTES;
  #refuse = (): unknown => this.destroy(egressFailure('egress_tls'));
  #isWanted = false;
  #isScheduled = false;
  #hasEnded = false;

  constructor(private readonly socket: Socket) {
    super();
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('end', () => {
      this.#hasEnded = true;
      this.schedule();
    });
    socket.on('error', (error) => this.destroy(error));
    // Data received before the end still has to be read.
    socket.on('close', () => void (this.#hasEnded || this.destroy()));
    socket.pause();
  }

  /** The handshake is over: now this many bytes may come, and `refuse` is called when there are more. */
  open(maxBytes: number, refuse: () => unknown): void {
    this.#left = maxBytes;
    this.#refuse = refuse;
  }

  private receive(chunk: Buffer): void {
    this.#left -= chunk.byteLength;
    if (this.#left < 0) return void this.#refuse();
    this.#waiting.push(chunk);
    this.socket.pause();
    this.schedule();
  }

  private schedule(): void {
    const hasSomething = this.#waiting.length > 0 || this.#hasEnded;
    if (!hasSomething || !this.#isWanted || this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (!this.destroyed) this.handOver();
    });
  }

  private handOver(): void {
    this.#isWanted = false;
    const first = this.#waiting.shift();
    if (!first) return void this.push(null);
    const rest = first.subarray(PIECE_BYTES);
    if (rest.byteLength > 0) this.#waiting.unshift(rest);
    if (this.push(first.subarray(0, PIECE_BYTES))) this._read();
  }

  override _read(): void {
    this.#isWanted = true;
    if (this.#waiting.length === 0) this.socket.resume();
    this.schedule();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.socket.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.socket.destroy();
    done(error);
  }
}

/** Ends a connection without TLS with `egress_too_large` when more bytes are read from it. */
function limitPlain(socket: Socket, maxBytes: number): Socket {
  let left = maxBytes;
  // Paused, it flows only as undici reads it; each piece that undici takes is told here.
  socket.pause().on('data', (chunk: Buffer) => {
    left -= chunk.byteLength;
    if (left < 0) socket.destroy(egressFailure('egress_too_large'));
  });
  return socket;
}

/** Connects to hosts that may send so many bytes over one connection. */
export type LimitedConnector = (maxBytes: number) => buildConnector.connector;

/**
 * Connects to checked addresses. Over TLS, a host with a handshake larger than any in use fails with `egress_tls`
 * before its chain is verified. After that, whatever a host sends counts, and too much of it fails with
 * `egress_too_large`: interim responses, extensions of chunks and TLS messages have no end of their own.
 */
export function createConnector(options: ConnectorOptions): LimitedConnector {
  const timeout = options.timeoutMilliseconds;
  const { toHost } = options;
  const overTls = buildConnector({ secureContext: options.secureContext, timeout });
  return (maxBytes) => (target, callback) => {
    const isPlain = target.protocol !== 'https:';
    toHost(isPlain ? target : { ...target, protocol: 'http:', port: target.port || '443' }, (error, socket) => {
      if (error) return callback(error, null);
      if (isPlain) return callback(null, limitPlain(socket, maxBytes));
      const limited = new LimitedStream(socket);
      overTls({ ...target, httpSocket: limited as unknown as Socket }, (failure, secured) => {
        if (!secured) {
          limited.destroy();
          return callback(failure, null);
        }
        limited.open(maxBytes, () => secured.destroy(egressFailure('egress_too_large')));
        secured.once('close', () => limited.destroy());
        callback(null, secured);
      });
    });
  };
}
