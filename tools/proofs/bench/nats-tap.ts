import { NatsParser } from '@vestibule/dev-stack';

const LARGEST_PAYLOAD = 64 * 1024 * 1024;

/** Gives every message that clients publish a reproducible name: an answer is named after its question. */
export class BusNames {
  readonly #questions = new Map<string, string>();

  nameOf(subject: string, replyTo: string | undefined): string {
    if (replyTo !== undefined) this.#questions.set(replyTo, subject);
    const question = this.#questions.get(subject);
    if (question === undefined) return subject;
    this.#questions.delete(subject);
    return `${question} (answer)`;
  }
}

/** Parses what one client sends to NATS and reports every message that it publishes. */
export class NatsTap {
  readonly #parser = new NatsParser(LARGEST_PAYLOAD);

  constructor(
    private readonly names: BusNames,
    private readonly tell: (name: string) => void,
  ) {}

  fromClient(chunk: Buffer): void {
    for (const operation of this.#parser.feed(chunk)) {
      if (operation.name === 'publish') this.tell(this.names.nameOf(operation.subject, operation.replyTo));
    }
  }
}
