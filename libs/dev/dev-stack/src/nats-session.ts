import { type Socket } from 'node:net';
import { type Subscription } from './nats-subscriptions';

/** A message for a subscriber; the first `headerBytes` of `payload` are its header block. */
export interface Delivery {
  readonly subject: string;
  readonly replyTo?: string;
  readonly headerBytes: number;
  readonly payload: Buffer;
}

const LINE_END = Buffer.from('\r\n');
/** The broker's answer to a request without subscribers (a header block without any message). */
const NO_RESPONDERS = Buffer.from('NATS/1.0 503\r\n\r\n');

/** One connected client: its CONNECT options, its subscriptions, and its outgoing data. */
export class NatsSession {
  readonly subscriptions = new Map<string, Subscription<NatsSession>>();
  // The defaults of nats-server before CONNECT: every operation is confirmed, and own messages are returned.
  verbose = true;
  echo = true;
  headers = false;
  noResponders = false;
  #corked = false;

  constructor(
    readonly socket: Socket,
    private readonly maxPendingBytes: number,
  ) {}

  /** Applies the options of CONNECT; false if they contradict each other. */
  connect(options: Readonly<Record<string, unknown>>): boolean {
    this.verbose = options['verbose'] === true;
    this.echo = options['echo'] !== false;
    this.headers = options['headers'] === true;
    this.noResponders = options['no_responders'] === true;
    return this.headers || !this.noResponders;
  }

  /** Sends bytes, batched into one write per turn of the event loop. A client that does not read is disconnected. */
  send(...parts: (Buffer | string)[]): void {
    if (this.socket.destroyed) return;
    if (!this.#corked) {
      this.#corked = true;
      this.socket.cork();
      setImmediate(() => {
        this.#corked = false;
        this.socket.uncork();
      });
    }
    for (const part of parts) this.socket.write(part);
    if (this.socket.writableLength > this.maxPendingBytes) this.socket.destroy();
  }

  confirm(): void {
    if (this.verbose) this.send('+OK\r\n');
  }

  complain(reason: string): void {
    this.send(`-ERR '${reason}'\r\n`);
  }

  /** Sends the reason and closes once that is written, or after two seconds. */
  refuse(reason: string): void {
    this.complain(reason);
    this.socket.setTimeout(2000, () => this.socket.destroy());
    this.socket.destroySoon();
  }

  deliver(subscription: Subscription<NatsSession>, message: Delivery): void {
    const replyTo = message.replyTo === undefined ? '' : ` ${message.replyTo}`;
    const address = `${message.subject} ${subscription.sid}${replyTo}`;
    const { headerBytes, payload } = message;
    if (headerBytes > 0 && this.headers) {
      this.send(`HMSG ${address} ${headerBytes} ${payload.length}\r\n`, payload, LINE_END);
    } else {
      const body = payload.subarray(headerBytes);
      this.send(`MSG ${address} ${body.length}\r\n`, body, LINE_END);
    }
  }

  deliverNoResponders(subscription: Subscription<NatsSession>, replyTo: string): void {
    this.deliver(subscription, { subject: replyTo, headerBytes: NO_RESPONDERS.length, payload: NO_RESPONDERS });
  }
}
