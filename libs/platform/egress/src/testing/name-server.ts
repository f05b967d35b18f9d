import { createSocket } from 'node:dgram';

/** A DNS server on 127.0.0.1, for this library's tests. */
export interface NameServer {
  /** `address:port`. */
  readonly address: string;
  close(): Promise<void>;
}

const HEADER_BYTES = 12;
const TYPE_AND_CLASS_BYTES = 4;

/** One resource record (RFC 1035 §4.1.3) for the name of the question. */
function record(type: number, value: Buffer): Buffer {
  const head = Buffer.from('c00c0000000100000000', 'hex');
  head.writeUInt16BE(type, 2);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(value.byteLength);
  return Buffer.concat([head, length, value]);
}

function answer(query: Buffer, records: Readonly<Record<number, readonly Buffer[]>>): Buffer {
  const endOfName = query.indexOf(0, HEADER_BYTES) + 1;
  const type = query.readUInt16BE(endOfName);
  const values = records[type] ?? [];
  const header = Buffer.from('000081800001000000000000', 'hex');
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(values.length, 6);
  const question = query.subarray(HEADER_BYTES, endOfName + TYPE_AND_CLASS_BYTES);
  return Buffer.concat([header, question, ...values.map((value) => record(type, value))]);
}

/** Starts a name server that answers every name with the given record values by record type (1: A, 28: AAAA). */
export async function startNameServer(records: Readonly<Record<number, readonly Buffer[]>>): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (query, sender) => socket.send(answer(query, records), sender.port, sender.address));
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
