import { onceRead } from '@vestibule/process';
import { Client, type ClientConfig } from 'pg';
import { PreparedStatement } from './prepared-statement';

export interface LimitedClientConfig extends ClientConfig {
  /** How long a statement may go unanswered; 0: no limit. */
  readonly answerMilliseconds?: number;
  /** Called for every error of a statement. */
  readonly onError?: (error: Error) => void;
}

/**
 * A statement was sent, and the connection broke or was silent for too long before an answer arrived: it may or may not
 * have taken effect.
 */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';
}

/** The server, or an attacker on the way to it, answered that it does not support TLS. */
export class TlsRefusedError extends Error {
  override readonly name = 'TlsRefusedError';
}

/** What the driver found out about the connection. */
interface DriverParameters {
  options: string | undefined;
}

/** What the driver starts a session with. */
interface DriverStart {
  getStartupConf(): Readonly<Record<string, string>>;
}

/**
 * How values are written, whatever is set for the role or the database: the driver reads no other dates, and statements have
 * literals with backslashes. Poolers pass these two on, or keep to them, as they do with the encoding.
 */
const NOTATION = { DateStyle: 'ISO', standard_conforming_strings: 'on' };

interface DriverConnection {
  readonly stream: {
    readonly bytesRead: number;
    destroy(error?: Error): void;
    once(event: 'data', listener: (bytes: Buffer) => void): void;
  };
  emit(event: 'error', error: Error): void;
}

/** What Postgres answers to `SSLRequest` if it supports TLS, with nothing after it. */
const TLS_FOLLOWS = Buffer.from('S');

type AnyQuery = (...parameters: unknown[]) => unknown;
type Callback = (error: Error | null | undefined, result?: unknown) => void;

/** A statement for the driver; with a name it is prepared once per connection. */
export interface Statement {
  readonly name?: string | undefined;
  readonly text: string;
  readonly values: unknown[];
}

/** The driver's result of a statement. */
export interface Answer {
  readonly rows: unknown[];
}

const nothing = (): void => undefined;

/** Errors of Postgres have a severity; those of the driver and of the program do not, and network errors are plain. */
function isFromNetwork(error: Error): boolean {
  return error.name === 'Error' && !('severity' in error);
}

/**
 * A connection that is destroyed if a statement on it gets no answer in time, for example because packets are dropped:
 * everything that waits for it fails, and no pool takes it back.
 *
 * A connection may report its loss more than once, even after TypeORM and the pool have released it; an `error` without
 * a listener would end the process. Users of the connection have their own listener.
 */
export class LimitedClient extends Client {
  /** When Postgres last sent anything on this connection, by `performance.now()`. */
  answeredAt = performance.now();
  #limit: number;
  readonly #onError: (error: Error) => void;
  readonly #query: AnyQuery;
  #isLimited = true;
  #isLost = false;
  /** How many statements with a limit have no answer yet. */
  #unanswered = 0;
  /** Since when an answer has been pending, by `performance.now()`. */
  #silentSince = 0;
  /** A single timer for the connection: most statements are answered long before it fires. */
  #timer: NodeJS.Timeout | undefined;

  constructor(config?: string | LimitedClientConfig) {
    super(config);
    const { answerMilliseconds, onError, options } = typeof config === 'object' ? config : {};
    // Instead of none, the driver would take those of the environment.
    (this as unknown as { connectionParameters: DriverParameters }).connectionParameters.options = options;
    const driver = this as unknown as DriverStart;
    const usualStart = driver.getStartupConf.bind(this);
    driver.getStartupConf = () => ({ ...usualStart(), ...NOTATION });
    this.#limit = answerMilliseconds ?? 0;
    this.#onError = onError ?? nothing;
    this.on('error', () => (this.#isLost = true));
    this.#noticeRefusedTls();
    this.#query = super.query.bind(this) as AnyQuery;
    this.query = ((...parameters: unknown[]) => this.#queryInTime(parameters)) as Client['query'];
  }

  /** Sends a statement; its result or error is passed to `answered`, exactly once. */
  send(statement: Statement, answered: (error: Error | undefined, answer?: Answer) => void): void {
    const watched = this.#watch(answered as Callback);
    const { name, text, values } = statement;
    if (name === undefined) this.#query(statement, undefined, watched);
    else this.#query(new PreparedStatement(name, text, values, watched));
  }

  /** How long a statement may go unanswered. */
  get answerMilliseconds(): number {
    return this.#limit;
  }

  /** Removes the limit on statements, until {@link limitAgain}. */
  lift(): void {
    this.#isLimited = false;
  }

  /** Changes the limit of the statements that follow; milliseconds, 0 for none. */
  limitTo(milliseconds: number): void {
    this.#limit = milliseconds;
  }

  limitAgain(): void {
    this.#isLimited = true;
  }

  /** Does Postgres answer on this connection within the given time? If not, the connection is destroyed. */
  async answersWithin(milliseconds: number): Promise<boolean> {
    let isOver = false;
    const giveUp = () => this.#onceRead(() => isOver || this.destroy(new UnansweredError()));
    const timer = setTimeout(giveUp, milliseconds);
    try {
      await this.query('SELECT 1');
      return true;
    } catch {
      return false;
    } finally {
      isOver = true;
      clearTimeout(timer);
    }
  }

  /** Breaks the connection without a Terminate message, which the other side may never receive. */
  destroy(reason?: Error): void {
    this.#connection.stream.destroy(reason);
  }

  get #connection(): DriverConnection {
    return (this as unknown as { connection: DriverConnection }).connection;
  }

  /** The driver reports this as a plain error without a code, so it is detected earlier and raised here. */
  #noticeRefusedTls(): void {
    if (!this.ssl) return;
    const { stream } = this.#connection;
    stream.once('data', (bytes: Buffer) => {
      if (!bytes.equals(TLS_FOLLOWS)) this.#connection.emit('error', new TlsRefusedError());
    });
  }

  #expectAnswer(): void {
    this.#unanswered += 1;
    if (this.#unanswered === 1) this.#silentSince = performance.now();
    this.#timer ??= this.#lookAgainIn(this.#limit);
  }

  #lookAgainIn(milliseconds: number): NodeJS.Timeout {
    // The connection, not the timer, keeps the process alive.
    return setTimeout(() => this.#look(), milliseconds).unref();
  }

  /** After a stall of this process, answers that came in time wait in the socket. */
  #onceRead(act: () => unknown): void {
    onceRead(() => this.#connection.stream.bytesRead, act);
  }

  get #millisecondsLeft(): number {
    return this.#silentSince + this.#limit - performance.now();
  }

  #look(): void {
    this.#timer = undefined;
    if (this.#unanswered === 0) return;
    const left = this.#millisecondsLeft;
    if (left > 0) this.#timer = this.#lookAgainIn(left);
    else this.#onceRead(() => this.#giveUp());
  }

  /** Unless it was answered meanwhile, or the next statement was sent: that one has a timer of its own, or gets one. */
  #giveUp(): void {
    if (this.#unanswered === 0) return;
    if (this.#millisecondsLeft > 0) this.#timer ??= this.#lookAgainIn(this.#millisecondsLeft);
    else this.destroy(new UnansweredError());
  }

  /**
   * Wraps the callback of a statement with the time limit; a network error after sending becomes an {@link
   * UnansweredError}.
   */
  #watch(callback: Callback): Callback {
    const wasLost = this.#isLost;
    const isLimited = this.#isLimited && this.#limit > 0;
    if (isLimited) this.#expectAnswer();
    return (error, result) => {
      const now = performance.now();
      if (isLimited) {
        this.#unanswered -= 1;
        this.#silentSince = now;
      }
      if (!error) {
        this.answeredAt = now;
        return callback(undefined, result);
      }
      const failure = !wasLost && isFromNetwork(error) ? new UnansweredError('no answer', { cause: error }) : error;
      this.#onError(failure);
      callback(failure);
    };
  }

  #queryInTime(parameters: unknown[]): unknown {
    const last = parameters.at(-1);
    if (typeof last === 'function') return this.#query(...parameters.slice(0, -1), this.#watch(last as Callback));
    const [statement, values] = parameters;
    return new Promise((resolve, reject) => {
      this.#query(
        statement,
        values,
        this.#watch((error, result) => (error ? reject(error) : resolve(result))),
      );
    });
  }
}
