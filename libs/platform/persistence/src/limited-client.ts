import { Client, type ClientConfig } from 'pg';

export interface LimitedClientConfig extends ClientConfig {
  /** How long a statement may go unanswered; 0: as long as it takes. */
  readonly answerMilliseconds?: number;
}

/** A statement was sent and nothing came back in time; whether it took effect is unknown. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';
}

type AnyQuery = (...parameters: unknown[]) => unknown;
type Callback = (...outcome: unknown[]) => void;

const nothing = (): void => undefined;

/**
 * A connection that is destroyed when a statement on it gets no answer in time, as happens where packets are swallowed:
 * it fails everything that waits for it, and no pool takes it back.
 *
 * A connection may also report its loss more than once, also after TypeORM and the pool have let go of it; an `error`
 * without a listener would end the process. Users of the connection have a listener of their own.
 */
export class LimitedClient extends Client {
  readonly #limit: number;
  #isLimited = true;

  constructor(config?: string | LimitedClientConfig) {
    super(config);
    this.#limit = typeof config === 'object' ? (config.answerMilliseconds ?? 0) : 0;
    this.on('error', nothing);
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

  /** Breaks the connection without a goodbye: nothing that waits for the other side is awaited. */
  destroy(reason: Error): void {
    (this as unknown as { connection: { stream: { destroy(error: Error): void } } }).connection.stream.destroy(reason);
  }

  #queryInTime(query: AnyQuery, parameters: unknown[]): unknown {
    if (!this.#isLimited || this.#limit === 0) return query(...parameters);
    const timer = setTimeout(() => this.destroy(new UnansweredError()), this.#limit);
    const settled = () => clearTimeout(timer);
    const last = parameters.at(-1);
    if (typeof last === 'function') {
      const callback: Callback = (...outcome) => {
        settled();
        (last as Callback)(...outcome);
      };
      return query(...parameters.slice(0, -1), callback);
    }
    const result = query(...parameters) as Promise<unknown>;
    result.then(settled, settled);
    return result;
  }
}
