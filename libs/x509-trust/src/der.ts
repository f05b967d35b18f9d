import { x509Failure } from './failures';

/** One element of DER (X.690): its identifier octet, its content and all of its bytes. */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  readonly raw: Buffer;
}

/** Identifier octets that certificates and revocation lists use. */
export const DER_TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  enumerated: 0x0a,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
} as const;

const MAX_LENGTH_OCTETS = 3;
const MAX_OID_BYTES = 64;

const malformed = (detail?: string) => x509Failure('certificate_malformed', detail);

/** Content length and where the content starts; lengths must be definite and as short as possible (X.690 §10.1). */
function readLength(bytes: Buffer, at: number): { length: number; start: number } {
  const first = bytes[at];
  if (first === undefined || first === 0x80) throw malformed();
  if (first < 0x80) return { length: first, start: at + 1 };
  const octets = first & 0x7f;
  if (octets > MAX_LENGTH_OCTETS || at + 1 + octets > bytes.length) throw malformed();
  const length = bytes.readUIntBE(at + 1, octets);
  if (length < 0x80 || length < 2 ** (8 * (octets - 1))) throw malformed('a length is not DER');
  return { length, start: at + 1 + octets };
}

/** Where an element lies in the bytes around it: its content is from `start` up to, not including, `end`. */
export interface DerHeader {
  readonly tag: number;
  readonly start: number;
  readonly end: number;
}

/**
 * The element that begins at `at` and ends at `limit` at the latest, without a copy or a view of its content: for lists
 * that are too long to have an object for each element. Throws `certificate_malformed`.
 */
export function readHeader(bytes: Buffer, at: number, limit: number): DerHeader {
  const tag = bytes[at];
  if (tag === undefined || (tag & 0x1f) === 0x1f) throw malformed();
  const { length, start } = readLength(bytes, at + 1);
  const end = start + length;
  if (end > limit) throw malformed('a value is truncated');
  return { tag, start, end };
}

function readElement(bytes: Buffer, at: number): DerElement {
  const { tag, start, end } = readHeader(bytes, at, bytes.length);
  return { tag, content: bytes.subarray(start, end), raw: bytes.subarray(at, end) };
}

/** The elements that follow one another in `bytes`, up to their end. Throws `certificate_malformed`, also beyond `most`. */
export function readElements(bytes: Buffer, most = Infinity): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length;) {
    if (elements.length >= most) throw malformed();
    const element = readElement(bytes, at);
    elements.push(element);
    at += element.raw.length;
  }
  return elements;
}

/** `element` if it has the tag; throws `certificate_malformed` otherwise, also when it is absent. */
export function requireTag(element: DerElement | undefined, tag: number): DerElement {
  if (element?.tag !== tag) throw malformed();
  return element;
}

/** The elements inside a constructed element of this tag. Throws `certificate_malformed`, also beyond `most`. */
export function readInside(element: DerElement | undefined, tag: number, most = Infinity): DerElement[] {
  return readElements(requireTag(element, tag).content, most);
}

/** The only element in `bytes`. Throws `certificate_malformed` when there are none or several. */
export function readOnly(bytes: Buffer): DerElement {
  const element = readElement(bytes, 0);
  if (element.raw.length !== bytes.length) throw malformed('bytes follow a value');
  return element;
}

/** An object identifier in dotted form. Throws `certificate_malformed`. */
export function readOid(element: DerElement | undefined): string {
  const { content } = requireTag(element, DER_TAG.oid);
  const last = content.at(-1);
  if (last === undefined || last >= 0x80 || content.length > MAX_OID_BYTES) throw malformed();
  const arcs: bigint[] = [];
  let arc = 0n;
  for (const octet of content) {
    if (arc === 0n && octet === 0x80) throw malformed('an object identifier is not DER');
    arc = (arc << 7n) | BigInt(octet & 0x7f);
    if (octet < 0x80) {
      arcs.push(arc);
      arc = 0n;
    }
  }
  const [first = 0n, ...rest] = arcs;
  const root = first < 80n ? first / 40n : 2n;
  return [root, first - root * 40n, ...rest].join('.');
}

/** A BOOLEAN, or an implicit `tag` of one: all bits or none (X.690 §11.1). Throws `certificate_malformed`. */
export function readBoolean(element: DerElement, tag: number = DER_TAG.boolean): boolean {
  const { content } = requireTag(element, tag);
  if (content.length !== 1 || (content[0] !== 0xff && content[0] !== 0)) throw malformed();
  return content[0] === 0xff;
}

/** True for the content of an INTEGER, from `start` to `end`, as short as possible (X.690 §8.3.2). */
export function isShortestInteger(bytes: Buffer, start: number, end: number): boolean {
  if (end - start < 2) return end - start === 1;
  const [first, isHigh] = [bytes[start], (bytes[start + 1] ?? 0) >= 0x80];
  return !(first === 0 && !isHigh) && !(first === 0xff && isHigh);
}

/** The content of an INTEGER: equal for equal numbers and for no others. Throws `certificate_malformed`. */
export function readInteger(element: DerElement | undefined): Buffer {
  const { content } = requireTag(element, DER_TAG.integer);
  if (!isShortestInteger(content, 0, content.length)) throw malformed('an integer is not DER');
  return content;
}

/** An INTEGER from 0 to 2^31-1. Throws `certificate_malformed`. */
export function readSmallInteger(element: DerElement): number {
  const content = readInteger(element);
  const value = content.length > 4 ? -1 : content.readIntBE(0, content.length);
  if (value < 0) throw malformed();
  return value;
}

/** The octets of a BIT STRING and how many of the last one's bits are unused. Throws `certificate_malformed`. */
export function readBitString(element: DerElement | undefined): { bits: Buffer; unused: number } {
  const { content } = requireTag(element, DER_TAG.bitString);
  const unused = content[0] ?? 8;
  if (unused > 7 || (content.length === 1 && unused > 0)) throw malformed();
  return { bits: content.subarray(1), unused };
}

const TIME = /^(\d{2,4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/;
const TIME_LENGTH: Partial<Record<number, number>> = { [DER_TAG.utcTime]: 13, [DER_TAG.generalizedTime]: 15 };

/** A UTCTime or GeneralizedTime in the only form that certificates may use: seconds, `Z` (RFC 5280 §4.1.2.5). */
export function readTime(element: DerElement | undefined): Date {
  const text = element?.content.toString('latin1') ?? '';
  const match = element && TIME_LENGTH[element.tag] === text.length ? TIME.exec(text) : null;
  if (!match) throw malformed('a time is not in the form that certificates use');
  const [yearText = '', ...rest] = match.slice(1);
  const century = yearText.length === 4 ? '' : Number(yearText) < 50 ? '20' : '19';
  const [month, day, hour, minute, second] = rest;
  const iso = `${century}${yearText}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const instant = new Date(iso);
  if (Number.isNaN(instant.getTime()) || instant.toISOString() !== iso) throw malformed('a time does not exist');
  return instant;
}
