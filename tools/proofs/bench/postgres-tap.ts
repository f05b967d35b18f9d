/** A statement that a service ran. */
export interface Statement {
  /** Which connection ran it. */
  readonly connection: number;
  /** One line, as it was sent, without parameters. */
  readonly text: string;
  /** How many rows it returned or changed; absent for commands without a count, such as BEGIN. */
  readonly rows?: number;
}

const TYPE_BYTES = 1;
const LENGTH_BYTES = 4;
const LARGEST_MESSAGE = 64 * 1024 * 1024;
const STARTUP_CODES = { protocol3: 196_608 };

interface Message {
  readonly type: string;
  readonly body: Buffer;
}

/** Splits what one side sends into messages of the Postgres protocol 3. */
class MessageReader {
  #rest: Buffer = Buffer.alloc(0);

  /** @param startsUntyped true for the client's side, whose first message has no type */
  constructor(private startsUntyped: boolean) {}

  *feed(chunk: Buffer): Generator<Message> {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (let message = this.#next(); message; message = this.#next()) yield message;
  }

  #next(): Message | undefined {
    const head = this.startsUntyped ? 0 : TYPE_BYTES;
    if (this.#rest.length < head + LENGTH_BYTES) return undefined;
    const length = this.#rest.readInt32BE(head);
    if (length < LENGTH_BYTES || length > LARGEST_MESSAGE) throw new TypeError('this is not the Postgres protocol');
    if (this.#rest.length < head + length) return undefined;
    const type = this.startsUntyped ? 'startup' : String.fromCharCode(this.#rest[0] as number);
    const body = this.#rest.subarray(head + LENGTH_BYTES, head + length);
    this.#rest = this.#rest.subarray(head + length);
    this.startsUntyped = false;
    return { type, body };
  }
}

/** The zero-terminated strings at the beginning of a body. */
function textsIn(body: Buffer, count: number): string[] {
  const texts: string[] = [];
  let from = 0;
  for (let index = 0; index < count; index += 1) {
    const end = body.indexOf(0, from);
    texts.push(body.toString('utf8', from, end === -1 ? body.length : end));
    from = end + 1;
  }
  return texts;
}

/** The number of rows is the last word of a command tag: `INSERT 0 1`, `SELECT 3`; some commands have none: `BEGIN`. */
function rowsIn(tag: string): number | undefined {
  const last = tag.split(' ').at(-1) ?? '';
  return /^\d+$/.test(last) ? Number(last) : undefined;
}

const oneLine = (text: string) => text.trim().replace(/\s+/g, ' ');

/**
 * Parses both sides of one connection between a service and Postgres and reports every executed statement, with the
 * number of its rows. Statements of the simple and of the extended protocol count alike.
 */
export class PostgresTap {
  readonly #client = new MessageReader(true);
  readonly #server = new MessageReader(false);
  readonly #prepared = new Map<string, string>();
  readonly #portals = new Map<string, string>();
  /**
   * Executed and not answered yet, in order; each list ends with a Sync or a simple query, which ReadyForQuery answers.
   */
  readonly #open: string[][] = [];
  /** The list that the client has not ended yet. */
  #growing: string[] | undefined;

  constructor(
    private readonly connection: number,
    private readonly tell: (statement: Statement) => void,
  ) {}

  fromClient(chunk: Buffer): void {
    for (const { type, body } of this.#client.feed(chunk)) this.#ask(type, body);
  }

  fromServer(chunk: Buffer): void {
    for (const { type, body } of this.#server.feed(chunk)) this.#answer(type, body);
  }

  #ask(type: string, body: Buffer): void {
    const [first = '', second = ''] = textsIn(body, 2);
    if (type === 'startup' && body.readInt32BE(0) !== STARTUP_CODES.protocol3) {
      throw new TypeError('the connection to Postgres is encrypted: its statements cannot be counted');
    }
    if (type === 'P') this.#prepared.set(first, second);
    else if (type === 'B') this.#portals.set(first, this.#prepared.get(second) ?? '');
    else if (type === 'E') this.#list().push(this.#portals.get(first) ?? '');
    else if (type === 'Q') this.#open.push([first]);
    else if (type === 'S') this.#endList();
  }

  #list(): string[] {
    if (!this.#growing) this.#open.push((this.#growing = []));
    return this.#growing;
  }

  #endList(): void {
    this.#list();
    this.#growing = undefined;
  }

  #answer(type: string, body: Buffer): void {
    // C: done; I: empty; s: suspended; E: failed, and everything up to the next Sync is skipped.
    if (type === 'C') this.#done(rowsIn(textsIn(body, 1)[0] ?? ''));
    else if (type === 'I' || type === 's' || type === 'E') this.#done();
    else if (type === 'Z') this.#open.shift();
  }

  #done(rows?: number): void {
    // A simple query of several statements is answered once for each of them.
    const [list = []] = this.#open;
    const text = list.length > 1 ? list.shift() : list[0];
    if (text === undefined) return;
    this.tell({ connection: this.connection, text: oneLine(text), ...(rows === undefined ? {} : { rows }) });
  }
}
