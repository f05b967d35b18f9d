import { headers, InvalidArgumentError, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { ClientNats, NatsRecordBuilder, type PacketId, type ReadPacket, type WritePacket } from '@nestjs/microservices';
import { type Contract, fromWireError, schemaFaults, wireReply } from '@vestibule/contracts';
import { DomainError } from '@vestibule/foundation';
import { createNestLogger } from '@vestibule/process';
import { firstValueFrom, timeout, TimeoutError } from 'rxjs';
import { type z } from 'zod';
import { connectToNats, type ConnectionOptions, followStatus } from './connect';
import { writeAnswerBy, writeRequestContext } from './headers';

/** The asking side of the bus. */
export interface Asker {
  /**
   * Asks and waits for the contract's time. Throws the DomainError that the service answered, or
   * `service_unavailable` (nobody listens, no connection), `service_timeout`, `invalid_message` (the question breaks
   * the contract), `message_too_large`, `invalid_answer`.
   */
  ask<Question, Answer>(contract: Contract<Question, Answer>, question: Question): Promise<Answer>;
  isConnected(): boolean;
  close(): Promise<void>;
}

const NO_RESPONDERS = 503;

class NobodyListens extends Error {}

/** Nest's NATS client with our way to connect, and a typed sign that nobody listens. */
class AskingClient extends ClientNats {
  protected override readonly logger;
  readonly #options: ConnectionOptions;
  readonly #abort = new AbortController();
  #usable = false;

  constructor(options: ConnectionOptions) {
    super({});
    this.#options = options;
    this.logger = createNestLogger(options.logger) as ClientNats['logger'];
  }

  get usable(): boolean {
    return this.#usable;
  }

  override async createClient(): Promise<NatsConnection> {
    const connected = await connectToNats(this.#options, this.#abort.signal);
    if (!connected) throw new Error('closed before it was connected');
    this.#usable = true;
    void followStatus(connected, this.#options, (usable) => {
      this.#usable = usable;
    });
    return connected.connection;
  }

  /** {@link createClient} follows the status already. */
  override handleStatusUpdates(): Promise<void> {
    return Promise.resolve();
  }

  override createSubscriptionHandler(packet: ReadPacket & PacketId, callback: (packet: WritePacket) => void) {
    const receive = super.createSubscriptionHandler(packet, callback);
    return (error: Error | null, message: Record<string, unknown>): Promise<void> => {
      if (error || (message as unknown as Msg).headers?.code !== NO_RESPONDERS)
        return receive(error, message) as Promise<void>;
      callback({ err: new NobodyListens(), isDisposed: true });
      return Promise.resolve();
    };
  }

  override async close(): Promise<void> {
    this.#abort.abort();
    this.#usable = false;
    await super.close();
  }
}

function unavailable(code: 'service_unavailable' | 'service_timeout', cause?: unknown): DomainError {
  const detail = code === 'service_timeout' ? 'a service did not answer in time' : 'a service cannot be reached';
  return new DomainError({ kind: 'unavailable', code, detail, cause });
}

function sendingFailure(error: unknown): DomainError {
  if (error instanceof TimeoutError) return unavailable('service_timeout', error);
  if (error instanceof InvalidArgumentError)
    return new DomainError({ kind: 'too_large', code: 'message_too_large', detail: 'the message is too large' });
  return unavailable('service_unavailable', error);
}

function parsed<Value>(schema: z.ZodType<Value>, value: unknown, fault: 'invalid_message' | 'invalid_answer'): Value {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  if (fault === 'invalid_answer')
    throw new DomainError({ kind: 'internal', code: fault, detail: 'an answer breaks its contract' });
  const faults = schemaFaults(result.error, []);
  throw new DomainError({ kind: 'invalid', code: fault, detail: 'the question breaks its contract', faults });
}

async function send<Question, Answer>(
  client: AskingClient,
  contract: Contract<Question, Answer>,
  question: Question,
): Promise<unknown> {
  if (!client.usable) throw unavailable('service_unavailable');
  const answerBy = new Date(Date.now() + contract.timeoutMilliseconds);
  const record = new NatsRecordBuilder(question)
    .setHeaders(writeAnswerBy(writeRequestContext(headers()), answerBy))
    .build();
  const answer$ = client.send<unknown>(contract.subject, record).pipe(timeout(contract.timeoutMilliseconds));
  return firstValueFrom(answer$).catch((error: unknown) => {
    throw sendingFailure(error);
  });
}

/** Connects in the background and for ever; until it is connected each question is `service_unavailable` at once. */
export function createAsker(options: ConnectionOptions): Asker {
  const client = new AskingClient(options);
  // The rejection says that the asker was closed before NATS ever answered.
  client.connect().catch((error: unknown) => options.logger.debug('never connected to NATS', { error }));
  return {
    async ask(contract, question) {
      const checked = parsed(contract.question, question, 'invalid_message');
      const reply = parsed(wireReply, await send(client, contract, checked), 'invalid_answer');
      if (!reply.ok) throw fromWireError(reply.error);
      return parsed(contract.answer, reply.answer, 'invalid_answer');
    },
    isConnected: () => client.usable,
    close: () => client.close(),
  };
}
