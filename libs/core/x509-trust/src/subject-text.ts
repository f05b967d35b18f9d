import type { AttributeTypeAndValue, Name } from '@peculiar/asn1-x509';

/** Short names of attributes, as OpenSSL writes them; others stand with their object identifier. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
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

const CONTROL = /[\u0000-\u001f\u007f]/g;

/** Escapes as RFC 4514 §2.4 does, and control characters as two hexadecimal digits: nobody's name can look like two. */
function escape(text: string): string {
  return text
    .replace(/[,+"\\<>;]/g, '\\$&')
    .replace(/^[ #]|(?<=.) $/g, '\\$&')
    .replace(CONTROL, (character) => `\\${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`);
}

const attributeText = ({ type, value }: AttributeTypeAndValue): string =>
  `${SHORT_NAMES[type] ?? type}=${escape(value.toString())}`;

/** A distinguished name for people, in its order: `CN=…, O=…`. */
export function subjectText(name: Name): string {
  return [...name].map((set) => [...set].map(attributeText).join(' + ')).join(', ');
}
