import type { WireReply } from '@vestibule/contracts';

/*
 * Bytes on the bus are JSON, written and read once on each side. The members are those of Nest's packets that matter, so
 * that versions before and after understand each other during a rolling update.
 */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

interface Packet {
  readonly data?: unknown;
  readonly response?: unknown;
  readonly version?: unknown;
}

/** The JSON object in the bytes; an empty one for everything that is none. */
function readPacket(bytes: Uint8Array): Packet {
  try {
    const packet: unknown = JSON.parse(utf8.decode(bytes));
    return typeof packet === 'object' && packet !== null ? packet : {};
  } catch {
    return {};
  }
}

export const writeQuestion = (question: unknown): string => JSON.stringify({ data: question });

/** The question in a message; undefined, which no contract accepts, for bytes that are none. */
export const readQuestion = (bytes: Uint8Array): unknown => readPacket(bytes).data;

/** A reply, and the version of the contracts that it was written by. */
export const writeReply = (reply: WireReply, version: number): string => JSON.stringify({ version, response: reply });

/** Reply and version in a message, of which nothing is verified; undefined what is not there. */
export function readReply(bytes: Uint8Array): { readonly reply: unknown; readonly version: unknown } {
  const { response, version } = readPacket(bytes);
  return { reply: response, version };
}
