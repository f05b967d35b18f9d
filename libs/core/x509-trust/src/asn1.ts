import { AsnConvert } from '@peculiar/asn1-schema';
import type { Time } from '@peculiar/asn1-x509';
import { x509Failure } from './failures';
import { requireDerHeaders } from './der-headers';

/**
 * The maximum number of values in one name, extension or other part: several times what real ones have, to bound the
 * cost.
 */
const MAX_VALUES = 128;
const MAX_DEPTH = 20;

/** The DER of a parsed structure. */
export function encodeDer(structure: object): Buffer {
  return Buffer.from(AsnConvert.serialize(structure));
}

/**
 * Parses exactly one DER structure of this type. Throws `certificate_malformed` for another type, for more than `most`
 * values or 1,024 octets of object identifiers in it, for names of more than 1,024 octets, and for everything that does
 * not encode to the same bytes again: BER, trailing bytes, numbers and times in other forms (X.690 §10, §11). The
 * content of an OCTET STRING is not parsed.
 */
export function parseDer<Structure extends object>(
  bytes: Uint8Array,
  type: new () => Structure,
  most = MAX_VALUES,
): Structure {
  try {
    const berOptions = { maxNodes: most, maxDepth: MAX_DEPTH, parseEmbedded: false };
    requireDerHeaders(bytes, { maxValues: most, maxDepth: MAX_DEPTH });
    const structure = AsnConvert.parse(bytes, type, { berOptions });
    if (encodeDer(structure).equals(bytes)) return structure;
  } catch (error) {
    throw x509Failure('certificate_malformed', undefined, error);
  }
  throw x509Failure('certificate_malformed', 'a value is not DER, or bytes follow it');
}

/** The time, in whole seconds (RFC 5280 §4.1.2.5.2). Throws `certificate_malformed` for fractions of one. */
export function readTime(time: Time): Date {
  const instant = time.getTime();
  if (instant.getMilliseconds() !== 0) throw x509Failure('certificate_malformed', 'a time has fractions of a second');
  return instant;
}
