import { headers, InvalidArgumentError } from '@nats-io/transport-node';
import { type Contract, fromWireError, judge, mayRepeat, wireReply, type WireReply } from '@vestibule/contracts';
import { DomainError, type Clock } from '@vestibule/foundation';
import { createLineBudget } from '@vestibule/process';
import type { z } from 'zod';
import { connectToNats, type Connected, type ConnectionOptions, followStatus, hasRoom } from './connect';
import { writeAnswerBy, writeRequestContext } from './headers';
import { answerVersion, UNDERSTOOD, versionMismatch, writeContractVersion } from './contract-version';
import { Inbox, UnansweredError } from './inbox';
import { Listening } from './listening';
import { readReply, writeQuestion } from './packet';

export interface AskerOptions extends ConnectionOptions {
  /** The clock for deadlines. */
  readonly clock?: Clock;
  /** Called if NATS refuses this process at startup, so that a retry is pointless; by default it is logged. */
  readonly onRefused?: (error: unknown) => void;
  /** The contract version of its questions; by default, that of this program. */
  readonly version?: number;
}

/** The asking side of the bus. */
export interface Asker {
  /**
   * Asks and waits for as long as the contract allows. Throws the DomainError of the service's answer, or
   * `service_unavailable` (no service, no connection), `service_timeout`, `invalid_message` (the question breaks the
   * contract), `message_too_large`, `invalid_answer`, `contract_version_mismatch`.
   */
  ask<Question, Answer>(contract: Contract<Question, Answer>, question: Question): Promise<Answer>;
  isConnected(): boolean;
  close(): Promise<void>;
}

/** After this fraction of its time an unanswered question is asked once more. */
const SECOND_TRY = 5;

/** A question to be sent. */
interface Asked {
  readonly contract: Contract<unknown, unknown>;
  readonly question: unknown;
  readonly now: Date;
  readonly version: number;
}

/** A connection that is opened in the background; answers arrive in its single inbox. */
class AskingConnection {
  readonly #abort = new AbortController();
  readonly #opened: Promise<Connected | undefined>;
  #inbox: Inbox | undefined;
  #hasRoom: () => boolean = () => false;
  #listening: Listening | undefined;

  constructor(options: AskerOptions) {
    const log = (error: unknown): void => options.logger.error('NATS refuses this process', { error });
    this.#opened = this.#open(options).catch((error: unknown) => {
      (options.onRefused ?? log)(error);
      return undefined;
    });
  }

  /** True once NATS has acknowledged the subscription to the answers. */
  get usable(): boolean {
    return this.#listening?.confirmed === true;
  }

  /** Is the server one that takes every question? Smaller ones are asked in any case. */
  get hasRoom(): boolean {
    return this.#hasRoom();
  }

  /** Rejects, and throws, what {@link sendingFailure} understands. */
  request({ contract, question, now, version }: Asked): Promise<Uint8Array> {
    const { subject, timeoutMilliseconds: timeout } = contract;
    if (!this.#inbox || !this.usable) throw unavailable('service_unavailable');
    const context = writeAnswerBy(writeRequestContext(headers()), new Date(now.getTime() + timeout));
    writeContractVersion(context, version);
    const again = mayRepeat(subject, question) ? { again: timeout / SECOND_TRY } : {};
    return this.#inbox.request(subject, writeQuestion(question), { timeout, headers: context, ...again });
  }

  /** All pending questions fail with `service_unavailable`. */
  async close(): Promise<void> {
    this.#abort.abort();
    this.#listening?.close();
    this.#inbox?.close();
    await (await this.#opened)?.connection.close();
  }

  async #open(options: ConnectionOptions): Promise<Connected | undefined> {
    const connected = await connectToNats(options, this.#abort.signal);
    if (!connected) return undefined;
    this.#hasRoom = () => hasRoom(connected.connection, options);
    const listening = new Listening(connected.connection, options.logger, () => undefined);
    this.#inbox = new Inbox(connected.connection, listening, options.name);
    this.#listening = listening;
    void followStatus(connected, options, (isUp) => (isUp ? void listening.confirm() : listening.lost()));
    void listening.confirm();
    return connected;
  }
}

function unavailable(code: 'service_unavailable' | 'service_timeout', cause?: unknown): DomainError {
  const detail = code === 'service_timeout' ? 'a service did not respond in time' : 'a service is unavailable';
  return new DomainError({ kind: 'unavailable', code, detail, cause });
}

/** The error for a question that was not sent or not answered. */
function sendingFailure(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (error instanceof InvalidArgumentError)
    return new DomainError({ kind: 'too_large', code: 'message_too_large', detail: 'the message is too large' });
  const isLate = error instanceof UnansweredError && error.why === 'late';
  return unavailable(isLate ? 'service_timeout' : 'service_unavailable', error);
}

function parsed<Value>(schema: z.ZodType<Value>, value: unknown, fault: 'invalid_message' | 'invalid_answer'): Value {
  const judged = judge(schema, value);
  if (judged.value !== undefined) return judged.value;
  if (fault === 'invalid_answer')
    throw new DomainError({ kind: 'internal', code: fault, detail: 'a reply violates its contract' });
  throw new DomainError({
    kind: 'invalid',
    code: fault,
    detail: 'the request violates its contract',
    faults: judged.faults,
  });
}

/** A reply with an answer needs no schema of its own: the contract judges the answer. */
function parseReply(value: unknown): WireReply {
  const { ok, answer } = (value ?? {}) as { readonly ok?: unknown; readonly answer?: unknown };
  return ok === true ? { ok, answer } : parsed(wireReply, value, 'invalid_answer');
}

/** Per message and second: a service of another version answers every question in this way. */
const LINES_PER_SECOND = 5;

/**
 * Connects in the background, and retries indefinitely; until it is connected, each question immediately fails with
 * `service_unavailable`.
 */
export function createAsker(options: AskerOptions): Asker {
  const connection = new AskingConnection(options);
  const { logger, clock = () => new Date(), version = UNDERSTOOD.newest } = options;
  const budget = createLineBudget({
    perSecond: LINES_PER_SECOND,
    onLeftOut: (sentence, leftOut) => logger.info('log lines were omitted', { sentence, leftOut }),
  });
  const demandVersion = (subject: string, said: unknown): void => {
    const answered = answerVersion(said);
    if (answered === version) return;
    const sentence = 'an answer has a contract version that this program does not understand';
    if (budget(sentence)) logger.error(sentence, { subject, asked: version, answered: answered ?? 'unreadable' });
    throw versionMismatch();
  };
  return {
    async ask(contract, question) {
      const checked = parsed(contract.question, question, 'invalid_message');
      let data: Uint8Array;
      try {
        data = await connection.request({ contract, question: checked, now: clock(), version });
      } catch (error) {
        throw sendingFailure(error);
      }
      const read = readReply(data);
      demandVersion(contract.subject, read.version);
      const reply = parseReply(read.reply);
      if (!reply.ok) throw fromWireError(reply.error);
      return parsed(contract.answer, reply.answer, 'invalid_answer');
    },
    isConnected: () => connection.usable && connection.hasRoom,
    close: () => connection.close(),
  };
}
