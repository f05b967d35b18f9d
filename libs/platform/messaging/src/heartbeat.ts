import type { NatsConnection } from '@nats-io/transport-node';
import { onceRead } from '@vestibule/process';

/** What a heartbeat needs of a connection. */
export type Beating = Pick<NatsConnection, 'flush' | 'reconnect' | 'stats'>;

/**
 * Gives up a connection on which nothing has been heard for some intervals, so that it is opened again. Each message is a
 * sign of life, as is the answer to a ping. The client library counts only answers: behind a backlog of messages, which
 * is when a process is slow, they come too late, and it would end a connection that delivers.
 */
export class Heartbeat {
  #timer: NodeJS.Timeout | undefined;
  #heard = 0;
  #silent = 0;

  /** Given up after an interval of `milliseconds` that follows `mostSilent` others. */
  constructor(
    private readonly connection: Beating,
    private readonly milliseconds: number,
    private readonly mostSilent: number,
  ) {}

  /** From now on; whatever was before does not count. */
  start(): void {
    this.#silent = 0;
    this.#heard = this.#received();
    this.#wait();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #received(): number {
    return this.connection.stats().inMsgs;
  }

  /** The next interval begins when the last one is judged, however late that is. */
  #wait(): void {
    this.stop();
    const received = (): number => this.#received();
    const timer = setTimeout(() => onceRead(received, () => this.#timer === timer && this.#beat()), this.milliseconds);
    this.#timer = timer.unref();
  }

  #beat(): void {
    const received = this.#received();
    if (received !== this.#heard) this.#silent = 0;
    this.#heard = received;
    if (this.#silent >= this.mostSilent) {
      // It is being closed already if this fails.
      this.connection.reconnect().catch(() => undefined);
      return;
    }
    this.#silent += 1;
    // A connection that is lost meanwhile has not answered.
    this.connection.flush().then(
      () => (this.#silent = 0),
      () => undefined,
    );
    this.#wait();
  }
}
