import { randomBytes } from '@vestibule/process';
import type { Msg, MsgHdrs, NatsConnection } from '@nats-io/transport-node';
import { encodeBase64url } from '@vestibule/foundation';
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

interface Waiting {
  readonly resolve: (data: Uint8Array) => void;
  readonly reject: (error: Error) => void;
  /** The receiver of the first question may still be working on it if there is none for the second. */
  readonly isSecond: boolean;
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

/** Headers of an answer are read only if it has no body; unreadable ones are ignored. */
function isFromNobody(message: Msg): boolean {
  if (message.data.byteLength > 0) return false;
  try {
    return message.headers?.code === 503;
  } catch {
    // Treated as an empty answer, which breaks every contract, whatever its headers are.
    return false;
  }
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
  async request(subject: string, question: Uint8Array | string, sending: Sending): Promise<Uint8Array> {
    const { timeout, headers, again } = sending;
    const replies: string[] = [];
    const timers: NodeJS.Timeout[] = [];
    try {
      return await new Promise<Uint8Array>((resolve, reject) => {
        // Each attempt has its own reply subject: NATS lets a replica that receives both answer each of them.
        const send = (isSecond: boolean): void => {
          const reply = `${this.#prefix}.${secret()}`;
          replies.push(reply);
          if (isSecond) this.#seconds += 1;
          this.#waiting.set(reply, { resolve, reject, isSecond });
          this.connection.publish(subject, question, { reply, headers });
        };
        timers.push(setTimeout(() => reject(new UnansweredError('late')), timeout));
        if (again !== undefined) timers.push(setTimeout(() => this.#sendAgain(send), again));
        send(false);
      });
    } finally {
      for (const timer of timers) clearTimeout(timer);
      for (const reply of replies) this.#waiting.delete(reply);
      if (replies.length > 1) this.#seconds -= 1;
    }
  }

  /** All pending questions fail. */
  close(): void {
    for (const { reject } of this.#waiting.values()) reject(new UnansweredError('closed'));
  }

  /** Skipped while there is no connection, and bounded, so that slow services do not get twice the questions. */
  #sendAgain(send: (isSecond: boolean) => void): void {
    if (!this.listening.confirmed || this.#seconds >= MOST_SECOND_TRIES) return;
    try {
      send(true);
    } catch {
      // The connection was closed meanwhile. The first question still waits, and ends with its time or its answer.
    }
  }

  #receive(message: Msg): void {
    const waiting = this.#waiting.get(message.subject);
    if (!waiting) return;
    if (isFromNobody(message)) {
      if (!waiting.isSecond) waiting.reject(new UnansweredError('nobody_listens'));
    } else waiting.resolve(message.data);
  }
}
