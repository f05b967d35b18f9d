import {
  DER_TAG,
  readBitString,
  readBoolean,
  readInside,
  readOid,
  readOnly,
  readSmallInteger,
  requireTag,
  type DerElement,
} from './der';
import { x509Failure } from './failures';

/** The bits of keyUsage in their order (RFC 5280 §4.2.1.3). */
const KEY_USAGES = [
  'digitalSignature',
  'nonRepudiation',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
  'encipherOnly',
  'decipherOnly',
] as const;
export type KeyUsage = (typeof KEY_USAGES)[number];

/** What the extensions of a certificate say; absent extensions are undefined or empty. */
export interface CertificateExtensions {
  readonly isCa: boolean;
  readonly pathLength: number | undefined;
  readonly keyUsage: readonly KeyUsage[] | undefined;
  /** Object identifiers, with whether the extension is critical. */
  readonly extendedKeyUsage: { readonly critical: boolean; readonly purposes: readonly string[] } | undefined;
  readonly authorityKeyIdentifier: Buffer | undefined;
  readonly subjectKeyIdentifier: Buffer | undefined;
  readonly subjectAltName: { readonly dnsNames: readonly string[]; readonly uris: readonly string[] };
  /** Critical extensions that this library does not process, and name constraints of any criticality. */
  readonly unprocessedExtensions: readonly string[];
}

const OID = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const;
const PROCESSED: readonly string[] = Object.values(OID).filter((oid) => oid !== OID.nameConstraints);

const CONTEXT = { keyIdentifier: 0x80, dnsName: 0x82, uri: 0x86 } as const;
const VISIBLE_ASCII = /^[\x21-\x7e]*$/;
const MAX_EXTENSIONS = 64;

interface Extension {
  readonly oid: string;
  readonly critical: boolean;
  readonly value: Buffer;
}

function readExtension(element: DerElement): Extension {
  const parts = readInside(element, DER_TAG.sequence);
  const oid = readOid(parts[0]);
  const critical = parts.length === 3 ? readBoolean(parts[1] as DerElement) : false;
  if (parts.length < 2 || parts.length > 3) throw x509Failure('certificate_malformed');
  return { oid, critical, value: requireTag(parts.at(-1), DER_TAG.octetString).content };
}

function readBasicConstraints(value: Buffer): { isCa: boolean; pathLength: number | undefined } {
  const parts = readInside(readOnly(value), DER_TAG.sequence);
  const [first] = parts;
  const isCa = first?.tag === DER_TAG.boolean && readBoolean(first);
  const rest = first?.tag === DER_TAG.boolean ? parts.slice(1) : parts;
  if (rest.length > 1) throw x509Failure('certificate_malformed');
  return { isCa, pathLength: rest[0] && readSmallInteger(rest[0]) };
}

function readKeyUsage(value: Buffer): KeyUsage[] {
  const { bits } = readBitString(readOnly(value));
  return KEY_USAGES.filter((_, index) => ((bits[index >> 3] ?? 0) & (0x80 >> (index & 7))) !== 0);
}

function readAuthorityKeyIdentifier(value: Buffer): Buffer | undefined {
  const parts = readInside(readOnly(value), DER_TAG.sequence);
  return parts.find((part) => part.tag === CONTEXT.keyIdentifier)?.content;
}

function readSubjectAltName(value: Buffer): CertificateExtensions['subjectAltName'] {
  const names = readInside(readOnly(value), DER_TAG.sequence);
  const textsOf = (tag: number): string[] =>
    names
      .filter((name) => name.tag === tag)
      .map(({ content }) => {
        const text = content.toString('latin1');
        if (!VISIBLE_ASCII.test(text)) throw x509Failure('certificate_malformed', 'a name is not visible ASCII');
        return text;
      });
  return { dnsNames: textsOf(CONTEXT.dnsName), uris: textsOf(CONTEXT.uri) };
}

function readAll(elements: readonly DerElement[]): Map<string, Extension> {
  if (elements.length > MAX_EXTENSIONS) throw x509Failure('certificate_malformed');
  const extensions = elements.map(readExtension);
  const byOid = new Map(extensions.map((extension) => [extension.oid, extension]));
  if (byOid.size !== extensions.length) throw x509Failure('certificate_malformed', 'an extension occurs twice');
  return byOid;
}

/**
 * Reads the content of a certificate's extensions field; `undefined` when the certificate has none.
 * Throws `certificate_malformed`, also for an extension that occurs twice (RFC 5280 §4.2).
 */
export function parseExtensions(field: Buffer | undefined): CertificateExtensions {
  const all = readAll(field ? readInside(readOnly(field), DER_TAG.sequence) : []);
  const read = <T>(oid: string, reader: (value: Buffer) => T): T | undefined => {
    const extension = all.get(oid);
    return extension && reader(extension.value);
  };
  const purposes = read(OID.extendedKeyUsage, (value) => readInside(readOnly(value), DER_TAG.sequence).map(readOid));
  const unprocessed = [...all.values()].filter(
    ({ oid, critical }) => oid === OID.nameConstraints || (critical && !PROCESSED.includes(oid)),
  );
  return {
    ...(read(OID.basicConstraints, readBasicConstraints) ?? { isCa: false, pathLength: undefined }),
    keyUsage: read(OID.keyUsage, readKeyUsage),
    extendedKeyUsage: purposes && { critical: all.get(OID.extendedKeyUsage)?.critical ?? false, purposes },
    authorityKeyIdentifier: read(OID.authorityKeyIdentifier, readAuthorityKeyIdentifier),
    subjectKeyIdentifier: read(
      OID.subjectKeyIdentifier,
      (value) => requireTag(readOnly(value), DER_TAG.octetString).content,
    ),
    subjectAltName: read(OID.subjectAltName, readSubjectAltName) ?? { dnsNames: [], uris: [] },
    unprocessedExtensions: unprocessed.map(({ oid }) => oid),
  };
}
