import { type Msg, type MsgHdrs, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import {
  type MessageHandler,
  type MsPattern,
  type NatsContext,
  type NatsStatus,
  ServerNats,
} from '@nestjs/microservices';
import { type WireReply } from '@vestibule/contracts';
import { createNestLogger, withRequestContext } from '@vestibule/process';
import { connectToNats, type ConnectionOptions, followStatus } from './connect';
import { readRequestContext } from './headers';

export interface NatsServerOptions extends ConnectionOptions {
  /** Queue group, one name per service: each message goes to one replica. */
  readonly queue: string;
  /** How long closing waits for requests that are being handled. */
  readonly drainMilliseconds?: number;
}

/** Longer than the longest question takes, which is the judgement of a wallet's response (12 s). */
const DRAIN_MILLISECONDS = 15_000;

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A packet as Nest's own client writes it; anything else is a question that no contract accepts. */
function readPacket(message: Msg): { id: string; pattern: string; data: unknown } {
  let packet: unknown;
  try {
    packet = message.json();
  } catch {
    packet = undefined;
  }
  const { id, data } = (typeof packet === 'object' && packet !== null ? packet : {}) as Record<string, unknown>;
  return { id: typeof id === 'string' ? id : 'unknown', pattern: message.subject, data };
}

type Publish = (response: Record<string, unknown>) => void;

/**
 * Nest's NATS strategy with what a service needs beyond it: the context of a request, reconnecting for ever, and a close
 * that loses no request.
 */
export class NatsServer extends ServerNats {
  protected override readonly logger;
  readonly #options: NatsServerOptions;
  readonly #abort = new AbortController();
  readonly #subscriptions: Subscription[] = [];
  #connection: NatsConnection | undefined;
  #usable = false;
  #inFlight = 0;
  #idle: (() => void) | undefined;

  constructor(options: NatsServerOptions) {
    super({ deserializer: { deserialize: readPacket } });
    this.#options = options;
    this.logger = createNestLogger(options.logger);
    this.setOnProcessingStartHook((_transport, _context, done) => {
      this.#inFlight += 1;
      done().catch((error: unknown) => this.handleError(error));
    });
    this.setOnProcessingEndHook(() => {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#idle?.();
    });
  }

  /**
   * Nest registers the methods of the controllers here: each runs in the context of its request.
   * @throws RangeError for a subject that is answered twice
   */
  override addHandler(
    pattern: unknown,
    callback: MessageHandler,
    isEvent?: boolean,
    extras?: Record<string, unknown>,
  ): void {
    const handler = (payload: unknown, context: NatsContext) =>
      withRequestContext(readRequestContext(context.getHeaders() as MsgHdrs | undefined), () =>
        callback(payload, context),
      );
    const subject = this.normalizePattern(pattern as MsPattern);
    if (this.messageHandlers.has(subject)) throw new RangeError(`answered twice: ${subject}`);
    super.addHandler(pattern, handler, isEvent, extras);
  }

  /** Can requests arrive now? */
  isConnected(): boolean {
    return this.#usable;
  }

  override async createNatsClient(): Promise<NatsConnection> {
    const connected = await connectToNats(this.#options, this.#abort.signal);
    if (!connected) throw new Error('closed before it was connected');
    this.#connection = connected.connection;
    this.#usable = true;
    void followStatus(connected, this.#options, (usable) => {
      this.#usable = usable;
      this._status$.next((usable ? 'connected' : 'disconnected') as NatsStatus);
    });
    return connected.connection;
  }

  /** Of a foreign error only name, code and stack are logged. */
  protected override handleError(error: unknown): void {
    this.#options.logger.error('a message could not be handled', { error });
  }

  /** {@link createNatsClient} follows the status already. */
  override handleStatusUpdates(): Promise<void> {
    return Promise.resolve();
  }

  override bindEvents(connection: NatsConnection): void {
    for (const subject of this.messageHandlers.keys()) {
      const receive = this.getMessageHandler(subject) as (error: Error | null, message: Msg) => void;
      this.#subscriptions.push(connection.subscribe(subject, { queue: this.#options.queue, callback: receive }));
    }
  }

  /** An answer beyond the server's size limit is replaced by an error, so that the asker need not wait in vain. */
  override getPublisher(message: Msg, id: string, context: NatsContext): Publish {
    const publish = super.getPublisher(message, id, context) as Publish;
    return (response) => {
      try {
        publish(response);
      } catch (error) {
        this.#options.logger.error('an answer could not be sent', { subject: message.subject, error });
        const reply: WireReply = {
          ok: false,
          error: { kind: 'internal', code: 'answer_not_sent', detail: 'the answer could not be sent', faults: [] },
        };
        publish({ response: reply, isDisposed: true });
      }
    };
  }

  /**
   * Takes nothing new, answers what arrived, then disconnects. `connection.drain()` alone would drop requests whose
   * handlers are still running: it waits for deliveries, not for promises.
   */
  override async close(): Promise<void> {
    this.#abort.abort();
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection && !connection.isClosed()) {
      if (this.#usable) await this.#drain(connection);
      await connection.close();
    }
    this.#usable = false;
    await super.close();
  }

  async #drain(connection: NatsConnection): Promise<void> {
    const milliseconds = this.#options.drainMilliseconds ?? DRAIN_MILLISECONDS;
    let timeout: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timeout = setTimeout(() => resolve('late'), milliseconds);
    });
    const drained = this.#drainInOrder(connection).catch((error: unknown) => {
      this.#options.logger.warn('draining the connection failed', { error });
    });
    const outcome = await Promise.race([drained, late]);
    clearTimeout(timeout);
    if (outcome === 'late')
      this.#options.logger.warn('requests were still running at the end of the drain', { requests: this.#inFlight });
  }

  async #drainInOrder(connection: NatsConnection): Promise<void> {
    await Promise.all(this.#subscriptions.map((subscription) => subscription.drain()));
    // Nest counts a request a few ticks after its delivery, and publishes an answer one tick after its handler ended.
    await tick();
    if (this.#inFlight > 0)
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    await tick();
    await connection.drain();
  }
}
