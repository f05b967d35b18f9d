import type { WireReply } from '@vestibule/contracts';

/*
 * Bytes on the bus are JSON, written and read once on each side. The members are those of Nest's packets that matter, so
 * that versions before and after understand each other during a rolling update.
 */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A member of the JSON object in the bytes; undefined for everything that has none. */
function readMember(bytes: Uint8Array, name: 'data' | 'response'): unknown {
  let packet: unknown;
  try {
    packet = JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined;
  }
  const isObject = typeof packet === 'object' && packet !== null;
  return isObject ? (packet as Readonly<Record<string, unknown>>)[name] : undefined;
}

export const writeQuestion = (question: unknown): string => JSON.stringify({ data: question });

/** The question in a message; undefined, which no contract accepts, for bytes that are none. */
export const readQuestion = (bytes: Uint8Array): unknown => readMember(bytes, 'data');

export const writeReply = (reply: WireReply): string => JSON.stringify({ response: reply });

/** The reply in a message, of which nothing is verified; undefined for bytes that are none. */
export const readReply = (bytes: Uint8Array): unknown => readMember(bytes, 'response');
