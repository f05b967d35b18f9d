import { onceRead, randomBytes } from '@vestibule/process';
import type { Msg, MsgHdrs, NatsConnection } from '@nats-io/transport-node';
import { encodeBase64url } from '@vestibule/foundation';
import { readHeaders } from './headers';
import type { Listening } from './listening';

export interface Sending {
  /** Milliseconds to wait for the answer. */
  readonly timeout: number;
  readonly headers: MsgHdrs;
  /** Milliseconds after which the question is sent once more if it has no answer; absent if that is not safe. */
  readonly again?: number;
}

/** Why a question has no answer. */
export type NoAnswer = 'nobody_listens' | 'late' | 'closed';

/** Thrown for a question that got no answer. */
export class UnansweredError extends Error {
  constructor(readonly why: NoAnswer) {
    super(`no answer: ${why}`);
  }
}

/** A question without an answer. */
interface Waiting {
  readonly resolve: (data: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
  /** The reply subjects of its first and its second try. */
  readonly replies: string[];
  readonly timers: NodeJS.Timeout[];
}

/**
 * 128 bits: a client that can publish on the bus, but not read this connection's messages, cannot guess a reply
 * subject.
 */
const secret = (): string => encodeBase64url(randomBytes(16));

/** How many questions may wait for their second answer at the same time. */
const MOST_SECOND_TRIES = 256;

/** The subjects on which this user receives answers. */
const inboxPrefix = (name: string): string => `_INBOX_${name}`;

/**
 * Headers of an answer are read only if it has no body. With unreadable ones it counts as an empty answer, which breaks
 * every contract.
 */
function isFromNobody(message: Msg): boolean {
  if (message.data.byteLength > 0) return false;
  const headers = readHeaders(message);
  return headers !== 'malformed' && headers?.code === 503;
}

/**
 * One subscription for all answers to a connection. Each question has its own reply subject, which cannot be guessed
 * and is used once. The client library's own `request` numbers its reply subjects, so that future ones follow from
 * three observed ones, and it stops reading the connection at a header that it cannot parse.
 */
export class Inbox {
  readonly #prefix: string;
  readonly #waiting = new Map<string, Waiting>();
  /** How many of them are second tries. */
  #seconds = 0;

  /** `name` is that of the user: NATS lets it subscribe only below `_INBOX_<name>` (deploy/nats.conf). */
  constructor(
    private readonly connection: NatsConnection,
    private readonly listening: Listening,
    name: string,
  ) {
    this.#prefix = `${inboxPrefix(name)}.${secret()}`;
    const receive = (message: Msg): void => this.#receive(message);
    listening.listen({ subject: `${this.#prefix}.*`, label: `${inboxPrefix(name)}.>`, receive });
  }

  /** Rejects with {@link UnansweredError}, or with the error of the client library if the question cannot be sent. */
  request(subject: string, question: Uint8Array | string, sending: Sending): Promise<Uint8Array> {
    const { timeout, headers, again } = sending;
    // One promise per question and no async function: each promise of a request costs a microsecond in async hooks.
    return new Promise<Uint8Array>((resolve, reject) => {
      const waiting: Waiting = { resolve, reject, replies: [], timers: [] };
      const send = (): void =>
        this.#send(waiting, (reply) => this.connection.publish(subject, question, { reply, headers }));
      const after = (milliseconds: number, act: () => void): void =>
        void waiting.timers.push(setTimeout(() => this.#ifUnanswered(waiting, act), milliseconds));
      after(timeout, () => this.#fail(waiting, new UnansweredError('late')));
      if (again !== undefined) after(again, () => this.#sendAgain(send));
      try {
        send();
      } catch (error) {
        this.#fail(waiting, error);
      }
    });
  }

  /** All pending questions fail. */
  close(): void {
    for (const waiting of new Set(this.#waiting.values())) this.#fail(waiting, new UnansweredError('closed'));
  }

  /** Acts unless the answer has arrived, even if it has not been read yet. */
  #ifUnanswered(waiting: Waiting, act: () => void): void {
    onceRead(
      () => this.connection.stats().inMsgs,
      () => {
        if (waiting.replies.some((reply) => this.#waiting.has(reply))) act();
      },
    );
  }

  /** Each attempt has its own reply subject: NATS lets a replica that receives both answer each of them. */
  #send(waiting: Waiting, publish: (reply: string) => void): void {
    const reply = `${this.#prefix}.${secret()}`;
    if (waiting.replies.push(reply) > 1) this.#seconds += 1;
    this.#waiting.set(reply, waiting);
    publish(reply);
  }

  /** Skipped while there is no connection, and bounded, so that slow services do not get twice the questions. */
  #sendAgain(send: () => void): void {
    if (!this.listening.confirmed || this.#seconds >= MOST_SECOND_TRIES) return;
    try {
      send();
    } catch {
      // The connection was closed meanwhile. The first question still waits, and ends with its time or its answer.
    }
  }

  /** Nothing more is awaited for this question. */
  #end({ replies, timers }: Waiting): void {
    for (const timer of timers) clearTimeout(timer);
    for (const reply of replies) this.#waiting.delete(reply);
    if (replies.length > 1) this.#seconds -= 1;
  }

  #fail(waiting: Waiting, error: unknown): void {
    this.#end(waiting);
    waiting.reject(error);
  }

  #receive(message: Msg): void {
    const waiting = this.#waiting.get(message.subject);
    if (!waiting) return;
    if (!isFromNobody(message)) {
      this.#end(waiting);
      waiting.resolve(message.data);
      return;
    }
    // The receiver of the first question may still be working on it if there is none for the second.
    if (message.subject === waiting.replies[0]) this.#fail(waiting, new UnansweredError('nobody_listens'));
  }
}
