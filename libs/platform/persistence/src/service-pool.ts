import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { isUnwritable, meansReplacement } from './database-errors';
import { type Answer, LimitedClient, type LimitedClientConfig, type Statement } from './limited-client';

type Checkout = (
  error: Error | undefined,
  client: PoolClient | undefined,
  done: (release?: boolean | Error) => void,
) => void;
type Limited = LimitedClient & PoolClient;

/** A connection that was idle for this long is probed before use. */
const PROBE_AFTER_MILLISECONDS = 5_000;
/**
 * How long the probe may take. Together with opening a new connection, this bounds how long a statement waits for one.
 */
export const PROBE_MILLISECONDS = 1_000;

const nothing = (): void => undefined;

/**
 * A pool that never lends a connection that is known or suspected to be broken. If one of them turns out to be silent,
 * or leads to an unusable Postgres, all connections opened before are replaced as they are returned, and the server's
 * name is resolved again for the new ones. TypeORM and prepared statements share it.
 */
export class ServicePool extends Pool {
  /** Connections opened before this time are not lent any more. */
  #renewedAt = -Infinity;
  readonly #openedAt = new WeakMap<object, number>();
  #unwritableAt = -Infinity;

  constructor(config: PoolConfig & LimitedClientConfig) {
    const onError = (error: Error) => this.#judge(error);
    super({ ...config, Client: LimitedClient, onError } as PoolConfig);
    this.on('connect', (client) => this.#openedAt.set(client, performance.now()));
  }

  /** Did Postgres refuse a write within the given number of milliseconds? */
  refusedToWriteWithin(milliseconds: number): boolean {
    return performance.now() - this.#unwritableAt < milliseconds;
  }

  #judge(error: Error): void {
    if (isUnwritable(error)) this.#unwritableAt = performance.now();
    if (meansReplacement(error)) this.renew();
  }

  /** Retires all existing connections: none of them is lent again. */
  renew(): void {
    this.#renewedAt = performance.now();
  }

  /**
   * Runs one statement on a connection of the pool. pg's own `query` learns of a broken connection before the statement
   * does, and so cannot tell that the statement was sent. Nothing is sent when `beforeSending` throws.
   */
  run(statement: Statement, beforeSending?: () => void): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#lend((error, client) => {
        if (!client) return reject(error as Error);
        try {
          beforeSending?.();
        } catch (late) {
          client.release();
          return reject(late as Error);
        }
        (client as Limited).send(statement, (failure, answer) => {
          // After an error the connection is discarded, because its prepared statements may be the cause.
          client.release(failure);
          if (failure) reject(failure);
          else resolve(answer as Answer);
        });
      });
    });
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: Checkout): void;
  override connect(callback?: Checkout): Promise<PoolClient> | void {
    if (callback) return this.#lend(callback);
    return new Promise((resolve, reject) => {
      this.#lend((error, client) => (client ? resolve(client) : reject(error as Error)));
    });
  }

  #lend(callback: Checkout): void {
    super.connect((error, found, done) => {
      if (!found) return callback(error, found, done);
      const client = found as Limited;
      if (this.#isOutdated(client)) return this.#replace(client, callback);
      if (performance.now() - client.answeredAt < PROBE_AFTER_MILLISECONDS)
        return callback(undefined, client, client.release);
      void client.answersWithin(PROBE_MILLISECONDS).then((answers) => {
        if (answers && !this.#isOutdated(client)) return callback(undefined, client, client.release);
        this.renew();
        this.#replace(client, callback);
      });
    });
  }

  #isOutdated(client: object): boolean {
    return (this.#openedAt.get(client) ?? 0) <= this.#renewedAt;
  }

  #replace(client: Limited, callback: Checkout): void {
    // While it is being removed, it may report its loss again.
    client.on('error', nothing);
    client.release(true);
    client.destroy();
    this.#lend(callback);
  }
}
