/** The bytes of R and of S on P-256. */
const PART_BYTES = 32;
const SEQUENCE = 0x30;
const INTEGER = 0x02;
/** No signature on P-256 needs a length of more than one byte. */
const LONGEST = 0x7f;

interface Integer {
  readonly value: Buffer;
  readonly end: number;
}

/** True for a positive number without a leading zero that it does not need. */
function isShortest([first = 0, second = 0]: Buffer): boolean {
  return first === 0 ? second >= 0x80 : first < 0x80;
}

/** A positive integer in its shortest form that fits into 32 bytes (X.690 §8.3); undefined for anything else. */
function integerAt(der: Buffer, at: number): Integer | undefined {
  const length = der[at + 1];
  if (der[at] !== INTEGER || length === undefined || length === 0 || length > PART_BYTES + 1) return undefined;
  const end = at + 2 + length;
  const bytes = der.subarray(at + 2, end);
  if (bytes.byteLength !== length || !isShortest(bytes)) return undefined;
  const value = bytes[0] === 0 ? bytes.subarray(1) : bytes;
  return value.byteLength > PART_BYTES ? undefined : { value, end };
}

const padded = (value: Buffer): Buffer => Buffer.concat([Buffer.alloc(PART_BYTES - value.byteLength), value]);

/**
 * R and S, 32 bytes each, of an ECDSA signature on P-256 in DER (RFC 3279 §2.2.3), as cloud services return it;
 * undefined for anything but that, such as other encodings of the same numbers.
 */
export function rawSignature(signature: Uint8Array): Uint8Array | undefined {
  const der = Buffer.from(signature.buffer, signature.byteOffset, signature.byteLength);
  const [tag, length = LONGEST + 1] = der;
  if (tag !== SEQUENCE || length > LONGEST || length !== der.byteLength - 2) return undefined;
  const r = integerAt(der, 2);
  const s = r && integerAt(der, r.end);
  return r && s?.end === der.byteLength ? Buffer.concat([padded(r.value), padded(s.value)]) : undefined;
}

/** A positive integer in its shortest form (X.690 §8.3). */
function integerOf(part: Buffer): Buffer {
  const first = part.findIndex((byte) => byte !== 0);
  const value = part.subarray(first === -1 ? part.byteLength - 1 : first);
  const sign = (value[0] ?? 0) >= 0x80 ? [0] : [];
  return Buffer.from([INTEGER, sign.length + value.byteLength, ...sign, ...value]);
}

/**
 * The ECDSA signature with this R and S, 32 bytes each, in DER (RFC 3279 §2.2.3), as X.509 has it: the inverse of {@link
 * rawSignature}.
 */
export function derSignature(raw: Uint8Array): Uint8Array {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const parts = Buffer.concat([integerOf(bytes.subarray(0, PART_BYTES)), integerOf(bytes.subarray(PART_BYTES))]);
  return Buffer.concat([Buffer.from([SEQUENCE, parts.byteLength]), parts]);
}
