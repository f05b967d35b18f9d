import { CRLReason, id_ce_cRLReasons, RevokedCertificate } from '@peculiar/asn1-x509';
import { Integer } from 'asn1js';
import { VerificationFailure } from '@vestibule/foundation';
import { parseDer } from './asn1';
import { x509Failure } from './failures';
import { headerReader, TAG, type Header, type ReadHeader, isShortestInteger } from './der-headers';

/** Certificates that one revocation list may name. */
export const MAX_CRL_ENTRIES = 200_000;

/** Why a certificate was revoked, by number (RFC 5280 §5.3.1). */
const REASONS = [
  'unspecified',
  'keyCompromise',
  'cACompromise',
  'affiliationChanged',
  'superseded',
  'cessationOfOperation',
  'certificateHold',
  undefined,
  'removeFromCRL',
  'privilegeWithdrawn',
  'aACompromise',
] as const;
export type RevocationReason = NonNullable<(typeof REASONS)[number]>;

/** What a revocation list says about a certificate on it. */
export interface Revocation {
  /** Undefined when the list gives none, or one that RFC 5280 does not know. */
  readonly reason: RevocationReason | undefined;
}

/** Last octet of the identifiers of entry extensions, all of which begin with 2.5.29 (`55 1d`). */
const EXTENSION = { reasonCode: 0x15, certificateIssuer: 0x1d } as const;
const UTC_TIME_LENGTH = 13;
const GENERALIZED_TIME_LENGTH = 15;

interface Entry {
  readonly serial: Header;
  readonly extensions: Header | undefined;
  readonly end: number;
}

interface EntryExtension {
  /** Last octet of an identifier below 2.5.29; undefined for all others. */
  readonly kind: number | undefined;
  readonly critical: boolean;
  readonly end: number;
}

/** The content of revokedCertificates, and how its headers are read. */
interface EntryList {
  readonly bytes: Buffer;
  readonly readHeader: ReadHeader;
}

const listOf = (bytes: Buffer): EntryList => ({ bytes, readHeader: headerReader(bytes) });
const malformed = () => x509Failure('crl_malformed', 'a revocation list has an entry that is not well-formed');

/** The time of a revocation decides nothing, so only its form is checked: a listed certificate is revoked. */
function isTime({ tag, start, end }: Header): boolean {
  if (tag === TAG.utcTime) return end - start === UTC_TIME_LENGTH;
  return tag === TAG.generalizedTime && end - start === GENERALIZED_TIME_LENGTH;
}

function readEntry({ bytes, readHeader }: EntryList, at: number): Entry {
  const { tag, start, end } = readHeader(at, bytes.length);
  if (tag !== TAG.sequence) throw malformed();
  const serial = readHeader(start, end);
  if (serial.tag !== TAG.integer || !isShortestInteger(bytes, serial.start, serial.end)) throw malformed();
  const date = readHeader(serial.end, end);
  if (!isTime(date)) throw malformed();
  if (date.end === end) return { serial, extensions: undefined, end };
  const extensions = readHeader(date.end, end);
  if (extensions.tag !== TAG.sequence || extensions.end !== end) throw malformed();
  return { serial, extensions, end };
}

/** Only true may be written: false is the default (X.690 §11.5). */
function requireTrue(bytes: Buffer, { start, end }: Header): void {
  if (end - start !== 1 || bytes[start] !== 0xff) throw malformed();
}

function readEntryExtension({ bytes, readHeader }: EntryList, at: number, limit: number): EntryExtension {
  const { tag, start, end } = readHeader(at, limit);
  if (tag !== TAG.sequence) throw malformed();
  const oid = readHeader(start, end);
  if (oid.tag !== TAG.oid) throw malformed();
  const next = readHeader(oid.end, end);
  const isMarked = next.tag === TAG.boolean;
  const value = isMarked ? readHeader(next.end, end) : next;
  if (value.tag !== TAG.octetString || value.end !== end) throw malformed();
  if (isMarked) requireTrue(bytes, next);
  const isBelow = oid.end - oid.start === 3 && bytes[oid.start] === 0x55 && bytes[oid.start + 1] === 0x1d;
  const kind = isBelow ? bytes[oid.start + 2] : undefined;
  return { kind, critical: isMarked, end };
}

function checkExtensions(list: EntryList, { start, end }: Header): void {
  for (let at = start; at < end;) {
    const extension = readEntryExtension(list, at, end);
    if (extension.kind === EXTENSION.certificateIssuer) {
      throw x509Failure('crl_unsupported', 'a revocation list has entries of other authorities');
    }
    if (extension.critical && extension.kind !== EXTENSION.reasonCode) {
      throw x509Failure('crl_unsupported', 'an entry has an unsupported critical extension');
    }
    at = extension.end;
  }
}

/**
 * Checks every entry of revokedCertificates, whose content `bytes` is, in one pass that keeps nothing (RFC 5280 §5.1.2.6,
 * §5.3). Throws `crl_malformed`, also beyond {@link MAX_CRL_ENTRIES} and for extensions where the version has none, and
 * `crl_unsupported` for an entry of another authority or with an unknown critical extension.
 */
export function checkEntries(bytes: Buffer, { mayHaveExtensions }: { readonly mayHaveExtensions: boolean }): void {
  const list = listOf(bytes);
  let count = 0;
  for (let at = 0; at < bytes.length;) {
    count += 1;
    if (count > MAX_CRL_ENTRIES) throw x509Failure('crl_malformed', 'a revocation list has too many entries');
    const { extensions, end } = readEntry(list, at);
    if (extensions && !mayHaveExtensions) throw malformed();
    if (extensions) checkExtensions(list, extensions);
    at = end;
  }
}

/** The reason in one entry; undefined where it gives none that can be read: the certificate is revoked all the same. */
function readReason(entry: Uint8Array): RevocationReason | undefined {
  try {
    const { crlEntryExtensions = [] } = parseDer(entry, RevokedCertificate);
    const reason = crlEntryExtensions.find(({ extnID }) => extnID === id_ce_cRLReasons);
    return reason && REASONS[parseDer(new Uint8Array(reason.extnValue.buffer), CRLReason).reason];
  } catch (error) {
    if (error instanceof VerificationFailure) return undefined;
    throw error;
  }
}

/**
 * Looks a serial number (the octets of its DER INTEGER) up in a parsed list, along the list's own bytes. Undefined when
 * it is not listed; an entry counts from now on, whatever its date and reason, a hold included.
 */
export function findRevocation(
  { entries }: { readonly entries: Buffer },
  serialNumber: Uint8Array,
): Revocation | undefined {
  const integer = Buffer.from(new Integer({ valueHex: Uint8Array.from(serialNumber).buffer }).toBER());
  // If a serial number is listed, its bytes are in the list: only then is every entry compared.
  if (!entries.includes(integer)) return undefined;
  const list = listOf(entries);
  for (let at = 0; at < entries.length;) {
    const { serial, end } = readEntry(list, at);
    const isSameLength = serial.end - serial.start === serialNumber.length;
    if (isSameLength && entries.subarray(serial.start, serial.end).equals(serialNumber)) {
      return { reason: readReason(entries.subarray(at, end)) };
    }
    at = end;
  }
  return undefined;
}

/** True when the list names the serial number: see {@link findRevocation}. */
export function isRevoked(crl: { readonly entries: Buffer }, serialNumber: Uint8Array): boolean {
  return findRevocation(crl, serialNumber) !== undefined;
}
