import type { WireValue } from './wire-values';

/*
 * The messages of a prepared statement in the protocol of Postgres (53.7): one buffer, so one write, for all of them. The
 * driver writes each of them separately, and asks for the columns each time.
 */
const CODE = { parse: 0x50, bind: 0x42 };
const [TEXT, BYTES] = [0, 1];
const NULL_LENGTH = -1;
const LENGTH_BYTES = 4;
const COUNT_BYTES = 2;
const FORMAT_BYTES = 2;

/** Describe (of the unnamed portal), Execute (all rows), Sync. */
const DESCRIBE = Buffer.from([0x44, 0, 0, 0, 6, 0x50, 0]);
const EXECUTE_AND_SYNC = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4]);

const lengthOf = (value: WireValue): number =>
  typeof value === 'string' ? Buffer.byteLength(value) : (value?.length ?? 0);

/** Parse: the text of the statement, whose parameters have the types that Postgres infers. */
export function parseMessage(name: string, text: string): Buffer {
  const length = LENGTH_BYTES + Buffer.byteLength(name) + 1 + Buffer.byteLength(text) + 1 + COUNT_BYTES;
  const message = Buffer.alloc(1 + length);
  message[0] = CODE.parse;
  message.writeInt32BE(length, 1);
  const end = 1 + LENGTH_BYTES + message.write(name, 1 + LENGTH_BYTES) + 1;
  message.write(text, end);
  return message;
}

/** Writes the length and the bytes of a parameter; returns the offset after it. */
function writeValue(message: Buffer, start: number, value: WireValue): number {
  if (value === null) return message.writeInt32BE(NULL_LENGTH, start);
  const first = start + LENGTH_BYTES;
  const length = typeof value === 'string' ? message.write(value, first) : value.copy(message, first);
  message.writeInt32BE(length, start);
  return first + length;
}

function writeFormats(message: Buffer, start: number, values: readonly WireValue[]): number {
  let offset = message.writeInt16BE(values.length, start);
  for (const value of values) {
    offset = message.writeInt16BE(value !== null && typeof value !== 'string' ? BYTES : TEXT, offset);
  }
  return offset;
}

/** Bind, Describe if `describes`, Execute and Sync; results are text. */
export function bindMessages(name: string, values: readonly WireValue[], describes: boolean): Buffer {
  let length = LENGTH_BYTES + 1 + Buffer.byteLength(name) + 1 + COUNT_BYTES + COUNT_BYTES + COUNT_BYTES + FORMAT_BYTES;
  for (const value of values) length += FORMAT_BYTES + LENGTH_BYTES + lengthOf(value);
  const tail = describes ? DESCRIBE.length : 0;
  const message = Buffer.allocUnsafe(1 + length + tail + EXECUTE_AND_SYNC.length);
  message[0] = CODE.bind;
  let offset = message.writeInt32BE(length, 1);
  message[offset] = 0;
  offset += 1 + message.write(name, offset + 1);
  message[offset] = 0;
  offset = writeFormats(message, offset + 1, values);
  offset = message.writeInt16BE(values.length, offset);
  for (const value of values) offset = writeValue(message, offset, value);
  offset = message.writeInt16BE(1, offset);
  offset = message.writeInt16BE(TEXT, offset);
  if (describes) offset += DESCRIBE.copy(message, offset);
  EXECUTE_AND_SYNC.copy(message, offset);
  return message;
}
