import { Sequence } from 'asn1js';
import { x509Failure } from './failures';

/** The position of a value in the surrounding bytes: its content is from `start` up to, not including, `end`. */
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
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  enumerated: 0x0a,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** The constructed context-specific tag 0. */
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

/** What one structure may hold. The parser behind it makes objects of all values, and of each part of an identifier. */
export interface DerBounds {
  readonly maxValues: number;
  readonly maxDepth: number;
}

/** Octets that one object identifier may have, and all of a structure together: real ones have a dozen. */
const MAX_IDENTIFIER_OCTETS = 64;
const MAX_IDENTIFIERS_OCTETS = 1_024;
/** Octets of any other value that is not a string of bits or octets: names, numbers, times. */
const MAX_VALUE_OCTETS = 1_024;
/** Object identifiers, relative ones, and registeredID of a GeneralName (RFC 5280 §4.2.1.6). */
const IDENTIFIERS: readonly number[] = [TAG.oid, 0x0d, 0x88];
const isString = (tag: number): boolean => tag === TAG.bitString || tag === TAG.octetString || tag >= 0x40;

/** Counts what has been read of a structure; throws `crl_malformed` above the bounds. */
function boundsChecker({ maxValues, maxDepth }: DerBounds) {
  let [values, identifierOctets] = [0, 0];
  return ({ tag, start, end }: Header, depth: number): void => {
    const octets = end - start;
    const isIdentifier = IDENTIFIERS.includes(tag);
    values += 1;
    identifierOctets += isIdentifier ? octets : 0;
    const most = isIdentifier ? MAX_IDENTIFIER_OCTETS : MAX_VALUE_OCTETS;
    const isTooLong = octets > most && !isConstructed(tag) && (isIdentifier || !isString(tag));
    if (isTooLong || values > maxValues || depth > maxDepth || identifierOctets > MAX_IDENTIFIERS_OCTETS) {
      throw x509Failure('crl_malformed', 'a value is too long, or a structure has too many elements');
    }
  };
}

/** True for the content of an INTEGER, from `start` to `end`, in as few octets as possible (X.690 §8.3.2). */
export function isShortestInteger(bytes: Uint8Array, start = 0, end = bytes.length): boolean {
  if (end - start < 2) return end - start === 1;
  const [first, isHigh] = [bytes[start], (bytes[start + 1] ?? 0) >= 0x80];
  return !(first === 0 && !isHigh) && !(first === 0xff && isHigh);
}

/** What a value of these kinds may hold in DER (X.690 §8.2, §8.8, §8.19, §11.1); what is inside others is for a schema. */
function isDerContent(bytes: Uint8Array, { tag, start, end }: Header): boolean {
  switch (tag) {
    case TAG.boolean:
      return end - start === 1 && (bytes[start] === 0 || bytes[start] === 0xff);
    case TAG.null:
      return end === start;
    case TAG.oid:
      return end > start;
    case TAG.integer:
    case TAG.enumerated:
      return isShortestInteger(bytes, start, end);
    default:
      return true;
  }
}

/**
 * Throws `crl_malformed` unless everything in `bytes`, at any depth, has headers as DER requires and no string is in
 * segments (X.690 §10), because values that a schema accepts unchanged are not compared with their encoding. Also
 * throws it for anything above the bounds, after no more work than the bounds allow.
 */
export function requireDerHeaders(bytes: Uint8Array, bounds: DerBounds): void {
  const readHeader = headerReader(bytes);
  const requireBounded = boundsChecker(bounds);
  const open = [{ at: 0, limit: bytes.length, depth: 1 }];
  for (let part = open.pop(); part; part = open.pop()) {
    const { at, limit, depth } = part;
    if (at >= limit) continue;
    const header = readHeader(at, limit);
    requireBounded(header, depth);
    if (!isDerContent(bytes, header)) throw x509Failure('crl_malformed', 'a value is not DER');
    open.push({ at: header.end, limit, depth });
    if (!isConstructed(header.tag)) continue;
    if (!mayBeConstructed(header.tag)) throw x509Failure('crl_malformed', 'a value is not DER');
    open.push({ at: header.start, limit: header.end, depth: depth + 1 });
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
