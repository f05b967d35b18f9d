import { Client, type ClientConfig } from 'pg';

export interface LimitedClientConfig extends ClientConfig {
  /** How long a statement may go unanswered; 0: as long as it takes. */
  readonly answerMilliseconds?: number;
  /** Hears every error of a statement. */
  readonly onError?: (error: Error) => void;
}

/**
 * A statement was sent, and the connection broke or was silent for too long before an answer came: it may have taken
 * effect or not.
 */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';
}

/** The server, or somebody on the way to it, answered that there is no TLS. */
export class TlsRefusedError extends Error {
  override readonly name = 'TlsRefusedError';
}

interface DriverConnection {
  readonly stream: { destroy(error?: Error): void; once(event: 'data', listener: (bytes: Buffer) => void): void };
  emit(event: 'error', error: Error): void;
}

/** What Postgres answers to `SSLRequest` where it speaks TLS, and nothing behind it. */
const TLS_FOLLOWS = Buffer.from('S');

type AnyQuery = (...parameters: unknown[]) => unknown;
type Callback = (error: Error | null, ...outcome: unknown[]) => void;

const nothing = (): void => undefined;

/** Errors of Postgres have a severity; those of the driver and of the program do not, and network errors are plain. */
function isFromNetwork(error: Error): boolean {
  return error.name === 'Error' && !('severity' in error);
}

/**
 * A connection that is destroyed when a statement on it gets no answer in time, as happens where packets are swallowed:
 * it fails everything that waits for it, and no pool takes it back.
 *
 * A connection may also report its loss more than once, also after TypeORM and the pool have let go of it; an `error`
 * without a listener would end the process. Users of the connection have a listener of their own.
 */
export class LimitedClient extends Client {
  /** When Postgres last said something on this connection, by `performance.now()`. */
  answeredAt = performance.now();
  readonly #limit: number;
  readonly #onError: (error: Error) => void;
  #isLimited = true;
  #isLost = false;

  constructor(config?: string | LimitedClientConfig) {
    super(config);
    const { answerMilliseconds, onError } = typeof config === 'object' ? config : {};
    this.#limit = answerMilliseconds ?? 0;
    this.#onError = onError ?? nothing;
    this.on('error', () => (this.#isLost = true));
    this.#noticeRefusedTls();
    const query = super.query.bind(this) as AnyQuery;
    this.query = ((...parameters: unknown[]) => this.#queryInTime(query, parameters)) as Client['query'];
  }

  /** Statements may go unanswered as long as it takes, until {@link limitAgain}. */
  lift(): void {
    this.#isLimited = false;
  }

  limitAgain(): void {
    this.#isLimited = true;
  }

  /** Does Postgres answer on this connection within a time? Where not, it is destroyed. */
  async answersWithin(milliseconds: number): Promise<boolean> {
    const timer = setTimeout(() => this.destroy(new UnansweredError()), milliseconds);
    try {
      await this.query('SELECT 1');
      return true;
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Breaks the connection without a goodbye, which the other side may never get. */
  destroy(reason?: Error): void {
    this.#connection.stream.destroy(reason);
  }

  get #connection(): DriverConnection {
    return (this as unknown as { connection: DriverConnection }).connection;
  }

  /** The driver reports it as a plain error, which has no code: this one is raised before. */
  #noticeRefusedTls(): void {
    if (!this.ssl) return;
    const { stream } = this.#connection;
    stream.once('data', (bytes: Buffer) => {
      if (!bytes.equals(TLS_FOLLOWS)) this.#connection.emit('error', new TlsRefusedError());
    });
  }

  /** The callback of a statement, with the time limit; an error of the network after sending becomes an {@link UnansweredError}. */
  #watch(callback: Callback): Callback {
    const wasLost = this.#isLost;
    const milliseconds = this.#isLimited ? this.#limit : 0;
    const timer = milliseconds === 0 ? undefined : setTimeout(() => this.destroy(new UnansweredError()), milliseconds);
    return (error, ...outcome) => {
      clearTimeout(timer);
      if (!error) {
        this.answeredAt = performance.now();
        return callback(error, ...outcome);
      }
      const failure = !wasLost && isFromNetwork(error) ? new UnansweredError('no answer', { cause: error }) : error;
      this.#onError(failure);
      callback(failure, ...outcome);
    };
  }

  #queryInTime(query: AnyQuery, parameters: unknown[]): unknown {
    const last = parameters.at(-1);
    if (typeof last === 'function') return query(...parameters.slice(0, -1), this.#watch(last as Callback));
    const [statement, values] = parameters;
    return new Promise((resolve, reject) => {
      query(
        statement,
        values,
        this.#watch((error, result) => (error ? reject(error) : resolve(result))),
      );
    });
  }
}
