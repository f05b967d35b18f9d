import type { Msg, NatsConnection } from '@nats-io/transport-node';
import {
  type CustomTransportStrategy,
  type MessageHandler,
  type MsPattern,
  type NatsContext,
  Server,
  Transport,
} from '@nestjs/microservices';
import type { WireReply } from '@vestibule/contracts';
import { createLineBudget, createNestLogger, onceRead, type LineBudget } from '@vestibule/process';
import { firstValueFrom, isObservable } from 'rxjs';
import { answerMessage, type Answering } from './answer-message';
import { contractOf, type AnsweredContract } from './answers';
import { readContractVersion, understands, UNDERSTOOD, type ContractVersions } from './contract-version';
import { type Connected, connectToNats, type ConnectionOptions, followStatus, hasRoom } from './connect';
import { readHeaders } from './headers';
import { Listening } from './listening';
import { writeReply } from './packet';
import { Refusals } from './refusals';

export interface NatsServerOptions extends ConnectionOptions {
  /** The queue group, one per service: each message goes to one replica. */
  readonly queue: string;
  /** How long closing waits for requests in progress. */
  readonly drainMilliseconds?: number;
  /** Is told how long each question took, and its result: `ok`, the code of the error, or `dropped`. */
  readonly observe?: ((subject: string, seconds: number, result: string) => void) | undefined;
  /** The clock for deadlines. */
  readonly clock?: () => Date;
  /** The contract versions that it understands; by default, those of this program. */
  readonly versions?: ContractVersions;
}

const resultOf = (reply: WireReply | undefined): string =>
  reply === undefined ? 'dropped' : reply.ok ? 'ok' : reply.error.code;

/** Longer than the slowest question, the judgement of a wallet's response (12 s). */
const DRAIN_MILLISECONDS = 15_000;
const LINES_PER_SECOND = 20;

const NOT_SENT: WireReply = {
  ok: false,
  error: { kind: 'internal', code: 'answer_not_sent', detail: 'the answer could not be sent', faults: [] },
};

/**
 * A custom transport strategy for Nest, with what its own NATS transport lacks: the context of a request, its deadline,
 * indefinite reconnecting, and a close that loses no request.
 */
export class NatsServer extends Server implements CustomTransportStrategy {
  protected override readonly logger;
  readonly #options: NatsServerOptions;
  readonly #refusals: Refusals;
  readonly #budget: LineBudget;
  readonly #abort = new AbortController();
  readonly #contracts = new Map<string, AnsweredContract>();
  #connection: NatsConnection | undefined;
  #listening: Listening | undefined;
  #isUp = false;
  #inFlight = 0;
  #idle: (() => void) | undefined;

  constructor(options: NatsServerOptions) {
    super();
    this.setTransportId(Transport.NATS);
    this.#options = options;
    this.#refusals = new Refusals(options.logger);
    this.#budget = createLineBudget({
      perSecond: LINES_PER_SECOND,
      onLeftOut: (sentence, leftOut) => options.logger.info('log lines were omitted', { sentence, leftOut }),
    });
    this.logger = createNestLogger(options.logger);
  }

  /**
   * Called by Nest to register the methods of the controllers.
   * @throws RangeError for a subject that is answered twice, or without a contract
   */
  override addHandler(
    pattern: MsPattern,
    callback: MessageHandler,
    isEvent?: boolean,
    extras?: Record<string, unknown>,
  ): void {
    const subject = this.normalizePattern(pattern);
    if (this.messageHandlers.has(subject)) throw new RangeError(`answered twice: ${subject}`);
    const contract = contractOf(extras);
    if (!contract) throw new RangeError(`answered without a contract: ${subject}`);
    this.#contracts.set(subject, contract);
    super.addHandler(pattern, callback, isEvent, extras);
  }

  /**
   * Whether questions can arrive and answers leave: true once NATS has acknowledged every subscription, again after
   * each reconnect, if the server accepts messages of the required size.
   */
  isConnected(): boolean {
    const connection = this.#connection;
    return this.#listening?.confirmed === true && connection !== undefined && hasRoom(connection, this.#options);
  }

  /** The `max_payload` of the connected server; undefined while not connected. */
  maxPayloadBytes(): number | undefined {
    return this.#connection?.info?.max_payload;
  }

  override async listen(callback: (error?: unknown) => void): Promise<void> {
    try {
      const connected = await connectToNats(this.#options, this.#abort.signal);
      if (!connected) throw new Error('closed before it was connected');
      await this.#listenOn(connected);
      callback();
    } catch (error) {
      callback(error);
    }
  }

  /** It emits no events: the log and the readiness of the service show the state of the connection. */
  override on(): never {
    throw new Error('the bus emits no events');
  }

  override unwrap<T>(): T {
    return this.#connection as T;
  }

  /**
   * Stops accepting requests, answers those that arrived, then disconnects. `connection.drain()` alone would drop
   * requests whose handlers are still running: it waits for deliveries, not for promises.
   */
  override async close(): Promise<void> {
    this.#abort.abort();
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection && !connection.isClosed()) {
      await this.#drain(connection);
      await connection.close();
    }
    this.#listening?.close();
  }

  /**
   * Resolves when NATS has acknowledged the subscriptions, or when the connection broke before: then it retries on its
   * own.
   */
  async #listenOn(connected: Connected): Promise<void> {
    const { connection } = connected;
    const { logger, queue } = this.#options;
    this.#connection = connection;
    const listening = new Listening(connection, logger, (isUp) =>
      this._status$.next(isUp ? 'connected' : 'disconnected'),
    );
    this.#listening = listening;
    this.#isUp = true;
    void followStatus(connected, this.#options, (isUp) => {
      this.#isUp = isUp;
      if (isUp) void listening.confirm();
      else listening.lost();
    });
    for (const subject of this.messageHandlers.keys()) {
      const receive = (message: Msg): void => void this.#receive(subject, message);
      listening.listen({ subject, label: subject, queue, receive });
    }
    await listening.confirm();
  }

  /** Never rejects. */
  async #receive(subject: string, message: Msg): Promise<void> {
    this.#inFlight += 1;
    const started = performance.now();
    try {
      const headers = readHeaders(message);
      const reply = await answerMessage(this.#answering(subject), { data: message.data, headers });
      this.#options.observe?.(subject, (performance.now() - started) / 1000, resultOf(reply));
      if (reply) this.#respond(message, reply, this.#versionOf(headers));
    } catch (error) {
      this.#complain('a message could not be handled', subject, error);
    } finally {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#idle?.();
    }
  }

  /** Rate limited, because the senders of messages provoke these lines. */
  #complain(sentence: string, subject: string, error: unknown): void {
    if (this.#budget(sentence)) this.#options.logger.error(sentence, { subject, error });
  }

  #answering(subject: string): Answering {
    return {
      contract: this.#contracts.get(subject) as AnsweredContract,
      handle: (question, context) => this.#handle(subject, question, context),
      refusals: this.#refusals,
      clock: this.#options.clock ?? (() => new Date()),
      versions: this.#versions,
    };
  }

  get #versions(): ContractVersions {
    return this.#options.versions ?? UNDERSTOOD;
  }

  /** An answer has the version of its question; the refusal of an unknown version has that of this program. */
  #versionOf(headers: ReturnType<typeof readHeaders>): number {
    const asked = headers === 'malformed' ? undefined : readContractVersion(headers);
    return understands(this.#versions, asked) ? asked : this.#versions.newest;
  }

  /** Through Nest's pipeline: guards, interceptors, the method, which validates the question, the exception filter. */
  #handle(subject: string, question: unknown, context: NatsContext): Promise<unknown> {
    const handler = this.messageHandlers.get(subject) as MessageHandler;
    return new Promise((resolve, reject) => {
      this.runWithProcessingHooks(context, async (end) => {
        try {
          // An Observable comes from interceptors and from the exception filter.
          const answer: unknown = await handler(question, context);
          resolve(isObservable(answer) ? await firstValueFrom(answer) : answer);
        } catch (error) {
          reject(error as Error);
        } finally {
          end();
        }
      });
    });
  }

  /**
   * An answer beyond the server's size limit is replaced by an error, so that the asking side does not wait for a
   * timeout.
   */
  #respond(message: Msg, reply: WireReply, version: number): void {
    try {
      message.respond(writeReply(reply, version));
    } catch (error) {
      this.#complain('an answer could not be sent', message.subject, error);
      message.respond(writeReply(NOT_SENT, version));
    }
  }

  async #drain(connection: NatsConnection): Promise<void> {
    const milliseconds = this.#options.drainMilliseconds ?? DRAIN_MILLISECONDS;
    let timeout: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      const received = (): number => connection.stats().inMsgs;
      timeout = setTimeout(() => onceRead(received, () => resolve('late')), milliseconds);
    });
    const drained = this.#drainInOrder(connection).catch((error: unknown) => {
      this.#options.logger.warn('draining the connection failed', { error });
    });
    const outcome = await Promise.race([drained, late]);
    clearTimeout(timeout);
    if (outcome === 'late')
      this.#options.logger.warn('requests were still running at the end of the drain', { requests: this.#inFlight });
  }

  /** What arrived before the connection was lost is finished, too. Its answer leaves if NATS is back by then, or at the next try. */
  async #drainInOrder(connection: NatsConnection): Promise<void> {
    const subscriptions = this.#isUp ? (this.#listening?.subscriptions ?? []) : [];
    await Promise.all(subscriptions.map((subscription) => subscription.drain()));
    const hasWaited = this.#inFlight > 0;
    if (hasWaited)
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    if (hasWaited || this.#isUp) await connection.drain();
  }
}
