import type { AttributeTypeAndValue, Name } from '@peculiar/asn1-x509';
import { encodeDer } from './asn1';
import { x509Failure } from './failures';

/** Short names of attributes, as in OpenSSL; others are shown as their object identifier. */
export const SHORT_NAMES: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.4': 'SN',
  '2.5.4.5': 'serialNumber',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.9': 'street',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '2.5.4.12': 'title',
  '2.5.4.15': 'businessCategory',
  '2.5.4.17': 'postalCode',
  '2.5.4.42': 'GN',
  '2.5.4.97': 'organizationIdentifier',
  '0.9.2342.19200300.100.1.1': 'UID',
  '0.9.2342.19200300.100.1.25': 'DC',
  '1.2.840.113549.1.9.1': 'emailAddress',
};

/** Control characters, the separators of lines, and what changes the direction or is not seen (Unicode: Cc, Cf, Zl, Zp). */
export const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const HALF_CHARACTER = /\p{Cs}/u;

const hexPairs = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => `\\${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');

/**
 * Escapes as in RFC 4514 §2.4, and invisible characters as the hexadecimal digits of their UTF-8, so that no name can
 * imitate another.
 */
function escape(text: string): string {
  return text
    .replace(/[,+"\\<>;]/g, '\\$&')
    .replace(/^[ #]|(?<=.) $/g, '\\$&')
    .replace(UNSEEN, (character) => hexPairs(Buffer.from(character, 'utf8')));
}

/** A value that is not a string is shown as `#` and its DER (RFC 4514 §2.4), so that it cannot imitate one. */
function attributeText({ type, value }: AttributeTypeAndValue): string {
  const isText = value.anyValue === undefined;
  const text = isText ? escape(value.toString()) : `#${encodeDer(value).toString('hex').toUpperCase()}`;
  return `${SHORT_NAMES[type] ?? type}=${text}`;
}

/**
 * Throws `certificate_malformed` for a name that DER writes otherwise, its sets not being in order (X.690 §11.6) or empty
 * (RFC 5280 §4.1.2.4), or whose text has half a character in it, which no other writing of it keeps.
 */
export function requireDerName(name: Name): void {
  for (const set of name) {
    const parts = [...set].map((attribute) => encodeDer(attribute));
    const isInOrder = parts.every(
      (part, index) => index === 0 || Buffer.compare(parts[index - 1] as Buffer, part) <= 0,
    );
    const isText = [...set].every(
      ({ value }) => value.anyValue !== undefined || !HALF_CHARACTER.test(value.toString()),
    );
    if (parts.length > 0 && isInOrder && isText) continue;
    throw x509Failure('certificate_malformed', 'a name is not DER or not a string');
  }
}

/** A distinguished name for people, in its order: `CN=…, O=…`. */
export function subjectText(name: Name): string {
  return [...name].map((set) => [...set].map(attributeText).join(' + ')).join(', ');
}
