import { AttributeTypeAndValue, AttributeValue, Name, RelativeDistinguishedName } from '@peculiar/asn1-x509';
import { certificateRequestFault } from './certificate-request-fault';
import { SHORT_NAMES, UNSEEN } from './subject-text';

const MOST_CHARACTERS = 4_096;
const MOST_ATTRIBUTES = 20;
const MOST_VALUE_CHARACTERS = 256;

/** Upper bounds of values (RFC 5280 appendix A.1), by the short name of the attribute. */
const BOUNDS: Readonly<Record<string, number>> = {
  CN: 64,
  O: 64,
  OU: 64,
  title: 64,
  serialNumber: 64,
  postalCode: 40,
  L: 128,
  ST: 128,
  emailAddress: 255,
};
/** These may occur more than once. */
const REPEATABLE: readonly string[] = ['OU', 'DC'];

const COUNTRY = /^[A-Z]{2}$/;
const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?]*$/;
const ASCII = /^[\x21-\x7e]*$/;
/** Half a character, and the one that stands for bytes that were none. */
const BROKEN = /\p{Cs}|\uFFFD/u;

const OIDS = new Map(Object.entries(SHORT_NAMES).map(([oid, name]) => [name.toLowerCase(), { oid, name }]));

/** Splits at commas that are not escaped. */
function splitAttributes(text: string): readonly string[] {
  const parts: string[] = [];
  let part = '';
  for (const piece of text.match(/\\[^]|[^\\,]+|,|\\$/gu) ?? []) {
    if (piece !== ',') part += piece;
    else {
      parts.push(part);
      part = '';
    }
  }
  return [...parts, part];
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Removes escapes (RFC 4514 §2.4) and the spaces at the end that are not escaped; undefined if it is not UTF-8. */
function removeEscapes(raw: string, fail: (reason: string) => Error): string | undefined {
  const pieces: Buffer[] = [];
  let kept = 0;
  for (const [, hex, escaped, plain] of raw.matchAll(/\\([0-9A-Fa-f]{2})|\\([ "#+,;<=>\\])|([^])/gu)) {
    if (plain === '\\') throw fail('has a \\ before a character that needs none: write \\\\ for the character itself');
    if (plain !== undefined && '"+;<>'.includes(plain))
      throw fail('needs a \\ before each of the characters " + ; < >');
    pieces.push(hex === undefined ? Buffer.from(escaped ?? plain ?? '', 'utf8') : Buffer.from(hex, 'hex'));
    if (plain !== ' ') kept = pieces.length;
  }
  return decodeUtf8(Buffer.concat(pieces.slice(0, kept)));
}

/** Why an attribute cannot have this value. */
function valueFault(name: string, value: string): string | undefined {
  const most = BOUNDS[name] ?? MOST_VALUE_CHARACTERS;
  if (value === '') return 'is empty';
  if (value.search(UNSEEN) >= 0 || BROKEN.test(value)) return 'has characters that cannot be seen, or is not UTF-8';
  if ([...value].length > most) return `has more than ${most} characters`;
  if (name === 'C' && !COUNTRY.test(value)) return 'must be two capital letters (ISO 3166-1)';
  if (name === 'serialNumber' && !PRINTABLE.test(value)) return 'has characters other than those of a PrintableString';
  if (['DC', 'emailAddress'].includes(name) && !ASCII.test(value)) return 'has characters other than ASCII';
  return undefined;
}

/** The string type of an attribute (RFC 5280 §4.1.2.4, appendix A.1). */
function attributeValue(name: string, text: string): AttributeValue {
  if (['C', 'serialNumber'].includes(name)) return new AttributeValue({ printableString: text });
  if (['DC', 'emailAddress'].includes(name)) return new AttributeValue({ ia5String: text });
  return new AttributeValue({ utf8String: text });
}

interface Attribute {
  readonly oid: string;
  readonly name: string;
  readonly text: string;
}

function parseAttribute(part: string, position: number): Attribute {
  const [, word = '', raw = ''] = /^\s*([\w.-]*)\s*=\s*([^]*)$/u.exec(part) ?? [];
  const known = OIDS.get(word.toLowerCase());
  const names = [...OIDS.values()].map(({ name }) => name).join(', ');
  if (!known) throw certificateRequestFault(`--subject: part ${position} must be NAME=value; names: ${names}`);
  const fail = (reason: string) => certificateRequestFault(`--subject: ${known.name} ${reason}`);
  if (raw.startsWith('#')) throw fail('begins with #: write \\# for the character itself');
  const text = removeEscapes(raw, fail);
  const fault = text === undefined ? 'is not UTF-8' : valueFault(known.name, text);
  if (text === undefined || fault !== undefined) throw fail(fault ?? '');
  return { ...known, text };
}

/**
 * Parses a subject such as `CN=Shop, O=Shop\, Inc., C=DE`: escapes are those of RFC 4514 §2.4, and the order is the one
 * of the certificate. Throws `command_invalid`, which names the attribute and holds no value.
 */
export function parseSubject(text: string): Name {
  if (text.length > MOST_CHARACTERS)
    throw certificateRequestFault(`--subject has more than ${MOST_CHARACTERS} characters`);
  const parts = splitAttributes(text);
  if (parts.length > MOST_ATTRIBUTES) throw certificateRequestFault(`--subject has more than ${MOST_ATTRIBUTES} parts`);
  const attributes = parts.map((part, index) => parseAttribute(part, index + 1));
  attributes.forEach(({ name }, index) => {
    const isRepeated = attributes.findIndex((other) => other.name === name) < index;
    if (isRepeated && !REPEATABLE.includes(name)) throw certificateRequestFault(`--subject: ${name} is there twice`);
  });
  return new Name(
    attributes.map(
      ({ oid: type, name, text: value }) =>
        new RelativeDistinguishedName([new AttributeTypeAndValue({ type, value: attributeValue(name, value) })]),
    ),
  );
}
