import { Sequence } from 'asn1js';
import { x509Failure } from './failures';

/** Where a value lies in the bytes around it: its content is from `start` up to, not including, `end`. */
export interface Header {
  /** The identifier octet. */
  readonly tag: number;
  readonly start: number;
  readonly end: number;
}

/** Reads the header of the value that begins at `at` and ends at `limit` at the latest. */
export type ReadHeader = (at: number, limit: number) => Header;

/** Identifier octets in revocation lists. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  octetString: 0x04,
  oid: 0x06,
  enumerated: 0x0a,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** What stands in brackets with this number. */
  explicit0: 0xa0,
} as const;

/** Octets of the shortest form of a length (X.690 §10.1). */
function octetsOf(length: number): number {
  if (length < 0x80) return 1;
  let octets = 2;
  for (let rest = length; rest > 0xff; rest = Math.floor(rest / 0x100)) octets += 1;
  return octets;
}

/** Identifier octets of what is made of other values: sequences, sets, and whatever a context defines. */
const isConstructed = (tag: number): boolean => (tag & 0x20) !== 0;
const mayBeConstructed = (tag: number): boolean => tag >= 0x40 || tag === TAG.sequence || tag === TAG.set;

/**
 * Throws `crl_malformed` unless everything in `bytes`, however deep, has headers as DER wants them and no string is in
 * pieces (X.690 §10): what a schema takes as it is was compared with nothing.
 */
export function requireDerHeaders(bytes: Uint8Array): void {
  const readHeader = headerReader(bytes);
  const open = [{ at: 0, limit: bytes.length }];
  for (let part = open.pop(); part; part = open.pop()) {
    if (part.at >= part.limit) continue;
    const { tag, start, end } = readHeader(part.at, part.limit);
    open.push({ at: end, limit: part.limit });
    if (!isConstructed(tag)) continue;
    if (!mayBeConstructed(tag)) throw x509Failure('crl_malformed', 'a value is not DER');
    open.push({ at: start, limit: end });
  }
}

/**
 * Makes a reader of headers by asn1js, which makes no object for each value: an object model of 5 MiB of entries costs
 * seconds and a gigabyte. The reader throws `crl_malformed` for what is not DER: long tags, lengths that are indefinite or
 * longer than they need to be, values that do not end in time.
 */
export function headerReader(bytes: Uint8Array): ReadHeader {
  const view = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { idBlock, lenBlock } = new Sequence();
  return (at, limit) => {
    const lengthAt = idBlock.fromBER(view, at, limit - at);
    const start = lengthAt < 0 ? -1 : lenBlock.fromBER(view, lengthAt, limit - lengthAt);
    const { isIndefiniteForm, length, blockLength } = lenBlock;
    const isDer = start >= 0 && lengthAt === at + 1 && !isIndefiniteForm && blockLength === octetsOf(length);
    const end = start + length;
    if (!isDer || end > limit) throw x509Failure('crl_malformed', 'a value in a revocation list is not DER');
    return { tag: view[at] ?? 0, start, end };
  };
}
