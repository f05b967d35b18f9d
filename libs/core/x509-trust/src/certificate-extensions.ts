import {
  AuthorityKeyIdentifier,
  BasicConstraints,
  ExtendedKeyUsage,
  KeyUsage as KeyUsageBits,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  type Extension as ParsedExtension,
} from '@peculiar/asn1-x509';
import { parseDer } from './asn1';
import { readCrlDistributionPoints } from './distribution-points';
import { readExtensions, type Extension } from './extensions';
import { x509Failure } from './failures';
import { areKnownPolicies, readPolicies, readQcStatements } from './stated-uses';

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
  /** Object identifiers of the policies and the QcType of a certificate that is no authority's. */
  readonly statedUses: readonly string[];
  readonly authorityKeyIdentifier: Buffer | undefined;
  readonly subjectKeyIdentifier: Buffer | undefined;
  readonly subjectAltName: { readonly dnsNames: readonly string[]; readonly uris: readonly string[] };
  /**
   * http and https addresses of the complete revocation list of the issuer, at most eight: empty if the certificate
   * names only others, undefined if it names none (RFC 5280 §4.2.1.13).
   */
  readonly crlDistributionPoints: readonly string[] | undefined;
  /** Critical extensions that this library does not process, and constraints of names and policies of any criticality. */
  readonly unprocessedExtensions: readonly string[];
}

const OID = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  policyConstraints: '2.5.29.36',
  crlDistributionPoints: '2.5.29.31',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  certificatePolicies: '2.5.29.32',
  qcStatements: '1.3.6.1.5.5.7.1.3',
} as const;
/** What makes paths invalid that would be valid without it: a validator must know it (RFC 5280 §4.2), however it is marked. */
const CONSTRAINTS: readonly string[] = [OID.nameConstraints, OID.policyConstraints];
/** Read, but an issuer that makes one of them critical requires more than is done here. */
const UNPROCESSED: readonly string[] = [
  ...CONSTRAINTS,
  OID.subjectKeyIdentifier,
  OID.authorityKeyIdentifier,
  OID.crlDistributionPoints,
  OID.qcStatements,
];
const PROCESSED: readonly string[] = Object.values(OID).filter((oid) => !UNPROCESSED.includes(oid));

/**
 * No policy is demanded of a path, and constraints that would demand one are refused: so any policies do, as long as their
 * qualifiers are known (RFC 5280 §4.2.1.4, §6.1).
 */
function isUnprocessed({ oid, critical, value }: Extension): boolean {
  if (CONSTRAINTS.includes(oid)) return true;
  if (!critical) return false;
  return oid === OID.certificatePolicies ? !areKnownPolicies(value) : !PROCESSED.includes(oid);
}

const VISIBLE_ASCII = /^[\x21-\x7e]*$/;
const MAX_PATH_LENGTH = 2 ** 31 - 1;

function readBasicConstraints(value: Buffer): { isCa: boolean; pathLength: number | undefined } {
  const { cA: isCa, pathLenConstraint } = parseDer(value, BasicConstraints);
  if (pathLenConstraint === undefined) return { isCa, pathLength: undefined };
  const pathLength = Number(pathLenConstraint);
  if (!(pathLength >= 0 && pathLength <= MAX_PATH_LENGTH)) throw x509Failure('certificate_malformed');
  return { isCa, pathLength };
}

function readKeyUsage(value: Buffer): KeyUsage[] {
  const { value: content, unusedBits } = parseDer(value, KeyUsageBits);
  const bits = Buffer.from(content);
  // Bits of zero at the end, which DER leaves out (X.690 §11.2.2), are in roots that are trusted everywhere.
  const padding = (bits.at(-1) ?? 0) & ((1 << unusedBits) - 1);
  if (padding !== 0) throw x509Failure('certificate_malformed', 'a bit string is not DER');
  return KEY_USAGES.filter((_, index) => ((bits[index >> 3] ?? 0) & (0x80 >> (index & 7))) !== 0);
}

function readAuthorityKeyIdentifier(value: Buffer): Buffer | undefined {
  const { keyIdentifier } = parseDer(value, AuthorityKeyIdentifier);
  return keyIdentifier && Buffer.from(keyIdentifier.buffer);
}

function requireVisibleAscii(name: string): string {
  if (!VISIBLE_ASCII.test(name)) throw x509Failure('certificate_malformed', 'a name is not visible ASCII');
  return name;
}

function readSubjectAltName(value: Buffer): CertificateExtensions['subjectAltName'] {
  const names = [...parseDer(value, SubjectAlternativeName)];
  if (names.length === 0) throw x509Failure('certificate_malformed', 'an extension contains no names');
  return {
    dnsNames: names.flatMap(({ dNSName }) => dNSName ?? []).map(requireVisibleAscii),
    uris: names.flatMap(({ uniformResourceIdentifier: uri }) => uri ?? []).map(requireVisibleAscii),
  };
}

/**
 * Reads the extensions of a certificate; `undefined` when it has none.
 * Throws `certificate_malformed`, also for an extension that occurs twice (RFC 5280 §4.2).
 */
export function parseExtensions(extensions: readonly ParsedExtension[] | undefined): CertificateExtensions {
  const all = readExtensions(extensions);
  const read = <T>(oid: string, reader: (value: Buffer) => T): T | undefined => {
    const extension = all.get(oid);
    return extension && reader(extension.value);
  };
  const purposes = read(OID.extendedKeyUsage, (value) => [...parseDer(value, ExtendedKeyUsage)]);
  const unprocessed = [...all.values()].filter(isUnprocessed);
  const constraints = read(OID.basicConstraints, readBasicConstraints) ?? { isCa: false, pathLength: undefined };
  const stated = () => [
    ...(read(OID.certificatePolicies, readPolicies) ?? []),
    ...(read(OID.qcStatements, readQcStatements) ?? []),
  ];
  return {
    ...constraints,
    statedUses: constraints.isCa ? [] : stated(),
    keyUsage: read(OID.keyUsage, readKeyUsage),
    extendedKeyUsage: purposes && { critical: all.get(OID.extendedKeyUsage)?.critical ?? false, purposes },
    authorityKeyIdentifier: read(OID.authorityKeyIdentifier, readAuthorityKeyIdentifier),
    subjectKeyIdentifier: read(OID.subjectKeyIdentifier, (value) =>
      Buffer.from(parseDer(value, SubjectKeyIdentifier).buffer),
    ),
    subjectAltName: read(OID.subjectAltName, readSubjectAltName) ?? { dnsNames: [], uris: [] },
    crlDistributionPoints: read(OID.crlDistributionPoints, readCrlDistributionPoints),
    unprocessedExtensions: unprocessed.map(({ oid }) => oid),
  };
}
