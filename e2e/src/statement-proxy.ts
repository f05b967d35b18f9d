import type { Socket } from 'node:net';
import { startRelay } from '@vestibule/dev-stack';

/** What happens to one statement. */
export type StatementFault =
  /** The connection breaks before Postgres receives it, or when Postgres has carried it out. */
  | { readonly kind: 'cut'; readonly when: 'before' | 'after' }
  /** It does not reach Postgres: the answer is an error of that SQLSTATE. */
  | { readonly kind: 'refuse'; readonly sqlState: string }
  /** Postgres has carried it out; then the answer is that of a pooler which has lost its server, and the connection ends. */
  | { readonly kind: 'crash' };

/** A proxy that understands as much of the protocol of Postgres as it takes to fail one statement. */
export interface StatementProxy {
  readonly port: number;
  /** The texts of all statements since the last call. */
  takeTexts(): ReadonlySet<string>;
  /** The next statement with this text fails. */
  failNext(text: string, fault: StatementFault): void;
  /** The texts of the statements that failed. */
  readonly failed: readonly string[];
  stop(): Promise<void>;
}

interface Message {
  /** Empty for the first message of a client. */
  readonly type: string;
  readonly bytes: Buffer;
  readonly body: Buffer;
}

/** Splits a stream into messages: a type, except for the first one of a client, then a length that counts itself. */
function createSplitter(isClient: boolean): (chunk: Buffer) => Message[] {
  let rest: Buffer = Buffer.alloc(0);
  let head = isClient ? 0 : 1;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const found: Message[] = [];
    while (rest.byteLength >= head + 4 && rest.byteLength >= head + rest.readUInt32BE(head)) {
      const bytes = rest.subarray(0, head + rest.readUInt32BE(head));
      rest = rest.subarray(bytes.byteLength);
      found.push({ type: bytes.toString('latin1', 0, head), bytes, body: bytes.subarray(head + 4) });
      head = 1;
    }
    return found;
  };
}

const textAt = (body: Buffer, from: number): string => body.toString('utf8', from, body.indexOf(0, from));

function errorMessage(severity: string, sqlState: string): Buffer {
  const fields = Buffer.from(`S${severity}\0V${severity}\0C${sqlState}\0Mmade by a test\0\0`, 'latin1');
  return Buffer.concat([Buffer.from([0x45, 0, 0, 0, fields.byteLength + 4]), fields]);
}
const readyForQuery = (status: string): Buffer => Buffer.from(`Z\0\0\0\x05${status}`, 'latin1');

/** What Postgres does when it refuses to commit. */
const ROLLBACK = Buffer.from('Q\0\0\0\x0dROLLBACK\0', 'latin1');

/** The messages of a statement up to Sync, which ends it. */
const WITHIN_STATEMENT = ['P', 'B', 'D', 'E', 'H', 'C'];

/** One connection. What a client sends is passed on statement by statement. */
class Line {
  /** Of the prepared statements, by name. */
  readonly #texts = new Map<string, string>();
  #sent: Buffer[] = [];
  #text = '';
  /** `I` outside of a transaction. */
  #status = 'I';
  /** Of the statement that is being carried out. */
  #fault: StatementFault | undefined;

  constructor(
    private readonly near: Socket,
    private readonly far: Socket,
    private readonly faultOf: (text: string) => StatementFault | undefined,
  ) {
    const [asked, answered] = [createSplitter(true), createSplitter(false)];
    near.on('data', (chunk: Buffer) => asked(chunk).forEach((message) => this.#ask(message)));
    far.on('data', (chunk: Buffer) => answered(chunk).forEach((message) => this.#answer(message)));
  }

  #ask(message: Message): void {
    const { type, bytes } = message;
    this.#note(message);
    this.#sent.push(bytes);
    if (WITHIN_STATEMENT.includes(type)) return;
    this.#fault = type === 'S' || type === 'Q' ? this.faultOf(this.#text) : undefined;
    this.#pass(Buffer.concat(this.#sent.splice(0)));
  }

  /** Parse (`P`) has a name and a text, Bind (`B`) a portal and a name, a simple query (`Q`) a text. */
  #note({ type, body }: Message): void {
    const second = () => textAt(body, body.indexOf(0) + 1);
    if (type === 'P') this.#texts.set(textAt(body, 0), second());
    if (type === 'B') this.#text = this.#texts.get(second()) ?? '';
    if (type === 'Q') this.#text = textAt(body, 0);
  }

  #pass(sent: Buffer): void {
    if (this.#fault?.kind === 'cut' && this.#fault.when === 'before') this.near.resetAndDestroy();
    else if (this.#fault?.kind === 'refuse' && this.#text !== 'COMMIT') this.#refuse(this.#fault.sqlState);
    else this.far.write(this.#fault?.kind === 'refuse' ? ROLLBACK : sent);
  }

  #answer({ type, bytes, body }: Message): void {
    if (type === 'Z') this.#status = body.toString('latin1');
    if (this.#fault === undefined) this.near.write(bytes);
    else if (type !== 'Z') return;
    else if (this.#fault.kind === 'refuse') this.#refuse(this.#fault.sqlState);
    else if (this.#fault.kind === 'crash') this.near.end(errorMessage('FATAL', '08P01'));
    else this.near.resetAndDestroy();
  }

  #refuse(sqlState: string): void {
    this.#fault = undefined;
    this.near.write(Buffer.concat([errorMessage('ERROR', sqlState), readyForQuery(this.#status === 'I' ? 'I' : 'E')]));
  }
}

const LOOPBACK = '127.0.0.1';

/** Starts one for the Postgres at this port. */
export async function startStatementProxy(targetPort: number): Promise<StatementProxy> {
  let texts = new Set<string>();
  let doomed: { readonly text: string; readonly fault: StatementFault } | undefined;
  const failed: string[] = [];
  const faultOf = (text: string): StatementFault | undefined => {
    texts.add(text);
    if (doomed?.text !== text) return undefined;
    const { fault } = doomed;
    doomed = undefined;
    failed.push(text);
    return fault;
  };
  const relay = await startRelay(
    { host: LOOPBACK, port: targetPort },
    (near, far) => void new Line(near, far, faultOf),
  );
  return {
    port: relay.port,
    takeTexts() {
      const taken = texts;
      texts = new Set();
      return taken;
    },
    failNext: (text, fault) => void (doomed = { text, fault }),
    failed,
    stop: () => relay.stop(),
  };
}
