import { randomBytes } from 'node:crypto';
import type { Msg, MsgHdrs, NatsConnection } from '@nats-io/transport-node';
import { encodeBase64url } from '@vestibule/foundation';
import type { Listening } from './listening';

export interface Sending {
  /** Milliseconds to wait for the answer. */
  readonly timeout: number;
  readonly headers: MsgHdrs;
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
}

/** 128 bits: whoever can publish on the bus but not read this connection's messages finds no subject that is waited on. */
const secret = (): string => encodeBase64url(randomBytes(16));

/** Where answers to this user come. */
const inboxPrefix = (name: string): string => `_INBOX_${name}`;

/** Headers of an answer are looked at only where it has no body; unreadable ones say nothing. */
function isFromNobody(message: Msg): boolean {
  if (message.data.byteLength > 0) return false;
  try {
    return message.headers?.code === 503;
  } catch {
    // An empty answer, which breaks every contract, whatever its headers are.
    return false;
  }
}

/**
 * One subscription for all answers to a connection. Each question has a reply subject of its own, which nobody can guess
 * and which counts once. The client library's own `request` numbers its reply subjects, so that those to come follow from
 * three that were seen, and stops reading the connection at a header that it can't parse.
 */
export class Inbox {
  readonly #prefix: string;
  readonly #waiting = new Map<string, Waiting>();

  /** `name` is that of the user: NATS lets it listen below `_INBOX_<name>` alone (deploy/nats.conf). */
  constructor(
    private readonly connection: NatsConnection,
    { listening, name }: { readonly listening: Listening; readonly name: string },
  ) {
    this.#prefix = `${inboxPrefix(name)}.${secret()}`;
    const receive = (message: Msg): void => this.#receive(message);
    listening.listen({ subject: `${this.#prefix}.*`, label: `${inboxPrefix(name)}.>`, receive });
  }

  /** Rejects with {@link UnansweredError}, or with what the client library throws where the question can't be sent. */
  async request(subject: string, question: Uint8Array | string, { timeout, headers }: Sending): Promise<Uint8Array> {
    const reply = `${this.#prefix}.${secret()}`;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Uint8Array>((resolve, reject) => {
        timer = setTimeout(() => reject(new UnansweredError('late')), timeout);
        this.#waiting.set(reply, { resolve, reject });
        this.connection.publish(subject, question, { reply, headers });
      });
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(reply);
    }
  }

  /** Whatever waits for an answer gets none. */
  close(): void {
    for (const { reject } of this.#waiting.values()) reject(new UnansweredError('closed'));
  }

  #receive(message: Msg): void {
    const waiting = this.#waiting.get(message.subject);
    if (!waiting) return;
    if (isFromNobody(message)) waiting.reject(new UnansweredError('nobody_listens'));
    else waiting.resolve(message.data);
  }
}
