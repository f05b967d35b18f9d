/** The largest payload, including headers, that nats-server accepts by default. */
export const DEFAULT_MAX_PAYLOAD_BYTES = 2 * 1024 * 1024;
/** The longest control line, as in nats-server. */
export const MAX_CONTROL_LINE_BYTES = 4096;

/** An operation of a client. `headerBytes` is the length of the header block in `payload` (0 for PUB). */
export type ClientOperation =
  | { readonly name: 'connect'; readonly options: Readonly<Record<string, unknown>> }
  | { readonly name: 'ping' }
  | { readonly name: 'pong' }
  | { readonly name: 'subscribe'; readonly subject: string; readonly queue?: string; readonly sid: string }
  | { readonly name: 'unsubscribe'; readonly sid: string; readonly max: number }
  | {
      readonly name: 'publish';
      readonly subject: string;
      readonly replyTo?: string;
      readonly headerBytes: number;
      readonly payload: Buffer;
    };

type Publication = Omit<Extract<ClientOperation, { name: 'publish' }>, 'name' | 'payload'> & { readonly size: number };

/** Bytes that are not NATS. The connection ends with `-ERR '<reason>'`, in the words of nats-server. */
export class NatsProtocolError extends Error {
  constructor(
    readonly reason: 'Unknown Protocol Operation' | 'maximum control line exceeded' | 'Maximum Payload Violation',
  ) {
    super(reason);
  }
}

const unknownOperation = () => new NatsProtocolError('Unknown Protocol Operation');

function parseNumber(text: string | undefined): number {
  if (text === undefined || !/^\d{1,9}$/.test(text)) throw unknownOperation();
  return Number(text);
}

function parseConnect(argument: string): ClientOperation {
  let options: unknown;
  try {
    options = JSON.parse(argument);
  } catch {
    throw unknownOperation();
  }
  if (typeof options !== 'object' || options === null || Array.isArray(options)) throw unknownOperation();
  return { name: 'connect', options: options as Record<string, unknown> };
}

function parseSubscribe(args: readonly string[]): ClientOperation {
  if (args.length !== 2 && args.length !== 3) throw unknownOperation();
  const [subject, ...rest] = args as [string, ...string[]];
  const sid = rest.at(-1) as string;
  return rest.length === 2
    ? { name: 'subscribe', subject, queue: rest[0] as string, sid }
    : { name: 'subscribe', subject, sid };
}

function parseUnsubscribe(args: readonly string[]): ClientOperation {
  const [sid, max] = args;
  if (sid === undefined || args.length > 2) throw unknownOperation();
  return { name: 'unsubscribe', sid, max: max === undefined ? 0 : parseNumber(max) };
}

function parsePublish(args: readonly string[]): Publication {
  if (args.length !== 2 && args.length !== 3) throw unknownOperation();
  const size = parseNumber(args.at(-1));
  const [subject, replyTo] = args.slice(0, -1) as [string, string?];
  return { subject, ...(replyTo === undefined ? {} : { replyTo }), headerBytes: 0, size };
}

function parseHeaderPublish(args: readonly string[]): Publication {
  if (args.length !== 3 && args.length !== 4) throw unknownOperation();
  const publication = parsePublish([...args.slice(0, -2), args.at(-1) as string]);
  const headerBytes = parseNumber(args.at(-2));
  if (headerBytes > publication.size) throw unknownOperation();
  return { ...publication, headerBytes };
}

type Line = { readonly operation: ClientOperation } | { readonly publication: Publication } | Record<string, never>;

/** Parses one control line, without its line end. Operation names are case-insensitive, as in nats-server. */
function parseLine(line: string): Line {
  const trimmed = line.trimEnd();
  const space = trimmed.search(/[ \t]/);
  const word = space < 0 ? trimmed : trimmed.slice(0, space);
  const argument = space < 0 ? '' : trimmed.slice(space).trimStart();
  const args = argument === '' ? [] : argument.split(/[ \t]+/);
  switch (word.toUpperCase()) {
    case 'PUB':
      return { publication: parsePublish(args) };
    case 'HPUB':
      return { publication: parseHeaderPublish(args) };
    case 'SUB':
      return { operation: parseSubscribe(args) };
    case 'UNSUB':
      return { operation: parseUnsubscribe(args) };
    case 'PING':
      return { operation: { name: 'ping' } };
    case 'PONG':
      return { operation: { name: 'pong' } };
    case 'CONNECT':
      return { operation: parseConnect(argument) };
    case '+OK':
      return {};
    default:
      throw unknownOperation();
  }
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/**
 * Splits a client's byte stream into operations. Chunks may end anywhere. It buffers at most one control line or one
 * payload, and the work per byte is bounded however small the chunks are.
 */
export class NatsParser {
  #line: Buffer = Buffer.alloc(0);
  #publication: Publication | undefined;
  #payload: Buffer = Buffer.alloc(0);
  #filled = 0;

  constructor(private readonly maxPayloadBytes = DEFAULT_MAX_PAYLOAD_BYTES) {}

  /**
   * The operations that `chunk` completes, in order.
   * @throws NatsProtocolError; the parser must not be used afterwards
   */
  *feed(chunk: Buffer): Generator<ClientOperation> {
    let rest = chunk;
    while (rest.length > 0) {
      const taken = this.#publication ? this.#takePayload(rest, this.#publication) : this.#takeLine(rest);
      rest = rest.subarray(taken.bytes);
      if (taken.operation) yield taken.operation;
    }
  }

  #takeLine(bytes: Buffer): { bytes: number; operation?: ClientOperation } {
    const end = bytes.indexOf(LINE_FEED);
    const part = end < 0 ? bytes : bytes.subarray(0, end);
    if (this.#line.length + part.length > MAX_CONTROL_LINE_BYTES) {
      throw new NatsProtocolError('maximum control line exceeded');
    }
    const line = this.#line.length === 0 ? part : Buffer.concat([this.#line, part]);
    if (end < 0) {
      this.#line = Buffer.from(line);
      return { bytes: part.length };
    }
    this.#line = Buffer.alloc(0);
    const parsed = parseLine(line.toString('utf8'));
    if ('publication' in parsed) this.#publication = this.#accept(parsed.publication);
    return { bytes: end + 1, ...('operation' in parsed ? { operation: parsed.operation } : {}) };
  }

  /** A payload that is too large is refused by its announced size, before any of it is buffered. */
  #accept(publication: Publication | undefined): Publication | undefined {
    if (publication && publication.size <= this.maxPayloadBytes) return publication;
    throw new NatsProtocolError('Maximum Payload Violation');
  }

  #takePayload(bytes: Buffer, publication: Publication): { bytes: number; operation?: ClientOperation } {
    const framedSize = publication.size + 2;
    if (this.#filled === 0) this.#payload = Buffer.allocUnsafe(framedSize);
    const taken = bytes.copy(this.#payload, this.#filled);
    this.#filled += taken;
    if (this.#filled < framedSize) return { bytes: taken };
    const framed = this.#payload;
    this.#filled = 0;
    this.#payload = Buffer.alloc(0);
    this.#publication = undefined;
    const { size, ...head } = publication;
    if (framed[size] !== CARRIAGE_RETURN || framed[size + 1] !== LINE_FEED) throw unknownOperation();
    return { bytes: taken, operation: { name: 'publish', ...head, payload: framed.subarray(0, size) } };
  }
}
