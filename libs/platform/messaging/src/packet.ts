import type { WireReply } from '@vestibule/contracts';

/*
 * Messages on the bus are JSON, written and parsed once on each side. The members are those of Nest's packets that
 * matter, so that versions before and after this one understand each other during a rolling update.
 */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

interface Packet {
  readonly data?: unknown;
  readonly response?: unknown;
  readonly version?: unknown;
}

/** The JSON object in the bytes; an empty one for anything else. */
function readPacket(bytes: Uint8Array): Packet {
  try {
    const packet: unknown = JSON.parse(utf8.decode(bytes));
    return typeof packet === 'object' && packet !== null ? packet : {};
  } catch {
    return {};
  }
}

/** From the pool of Node.js: the client library would allocate memory of its own for a string. */
const bytesOf = (message: object): Uint8Array => Buffer.from(JSON.stringify(message));

export const writeQuestion = (question: unknown): Uint8Array => bytesOf({ data: question });

/** The question in a message; undefined, which no contract accepts, if there is none. */
export const readQuestion = (bytes: Uint8Array): unknown => readPacket(bytes).data;

/** A reply, and the contract version that it was written for. */
export const writeReply = (reply: WireReply, version: number): Uint8Array => bytesOf({ version, response: reply });

/** The reply and version in a message, not validated; undefined if absent. */
export function readReply(bytes: Uint8Array): { readonly reply: unknown; readonly version: unknown } {
  const { response, version } = readPacket(bytes);
  return { reply: response, version };
}
