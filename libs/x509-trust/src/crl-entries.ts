import { DER_TAG, isShortestInteger, readHeader, type DerHeader } from './der';
import { x509Failure } from './failures';

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
  readonly serial: DerHeader;
  readonly extensions: DerHeader | undefined;
  readonly end: number;
}

interface EntryExtension {
  /** Last octet of an identifier below 2.5.29; undefined for all others. */
  readonly kind: number | undefined;
  readonly critical: boolean;
  readonly value: DerHeader;
  readonly end: number;
}

const malformed = () => x509Failure('crl_malformed', 'a revocation list has an entry that is not well-formed');

/** Day and hour of a revocation decide nothing, so that only their shape is looked at: whoever is listed is revoked. */
function isTime({ tag, start, end }: DerHeader): boolean {
  if (tag === DER_TAG.utcTime) return end - start === UTC_TIME_LENGTH;
  return tag === DER_TAG.generalizedTime && end - start === GENERALIZED_TIME_LENGTH;
}

function readEntry(list: Buffer, at: number): Entry {
  const { tag, start, end } = readHeader(list, at, list.length);
  if (tag !== DER_TAG.sequence) throw malformed();
  const serial = readHeader(list, start, end);
  if (serial.tag !== DER_TAG.integer || !isShortestInteger(list, serial.start, serial.end)) throw malformed();
  const date = readHeader(list, serial.end, end);
  if (!isTime(date)) throw malformed();
  if (date.end === end) return { serial, extensions: undefined, end };
  const extensions = readHeader(list, date.end, end);
  if (extensions.tag !== DER_TAG.sequence || extensions.end !== end) throw malformed();
  return { serial, extensions, end };
}

function readCritical(list: Buffer, { start, end }: DerHeader): boolean {
  const octet = list[start];
  if (end - start !== 1 || (octet !== 0xff && octet !== 0)) throw malformed();
  return octet === 0xff;
}

function readEntryExtension(list: Buffer, at: number, limit: number): EntryExtension {
  const { tag, start, end } = readHeader(list, at, limit);
  if (tag !== DER_TAG.sequence) throw malformed();
  const oid = readHeader(list, start, end);
  if (oid.tag !== DER_TAG.oid) throw malformed();
  const next = readHeader(list, oid.end, end);
  const isMarked = next.tag === DER_TAG.boolean;
  const value = isMarked ? readHeader(list, next.end, end) : next;
  if (value.tag !== DER_TAG.octetString || value.end !== end) throw malformed();
  const isBelow = oid.end - oid.start === 3 && list[oid.start] === 0x55 && list[oid.start + 1] === 0x1d;
  const kind = isBelow ? list[oid.start + 2] : undefined;
  return { kind, critical: isMarked && readCritical(list, next), value, end };
}

function checkExtensions(list: Buffer, { start, end }: DerHeader): void {
  for (let at = start; at < end;) {
    const extension = readEntryExtension(list, at, end);
    if (extension.kind === EXTENSION.certificateIssuer) {
      throw x509Failure('crl_unsupported', 'a revocation list has entries of other authorities');
    }
    if (extension.critical && extension.kind !== EXTENSION.reasonCode) {
      throw x509Failure('crl_unsupported', 'an entry has a critical extension that is not understood');
    }
    at = extension.end;
  }
}

/**
 * Checks every entry of revokedCertificates, whose content `list` is, in one pass that keeps nothing (RFC 5280 §5.1.2.6,
 * §5.3). Throws `crl_malformed`, also beyond {@link MAX_CRL_ENTRIES} and for extensions where the version has none, and
 * `crl_unsupported` for an entry of another authority or with an unknown critical extension.
 */
export function checkEntries(list: Buffer, { mayHaveExtensions }: { readonly mayHaveExtensions: boolean }): void {
  let count = 0;
  for (let at = 0; at < list.length;) {
    count += 1;
    if (count > MAX_CRL_ENTRIES) throw x509Failure('crl_malformed', 'a revocation list has too many entries');
    const { extensions, end } = readEntry(list, at);
    if (extensions && !mayHaveExtensions) throw malformed();
    if (extensions) checkExtensions(list, extensions);
    at = end;
  }
}

function readReason(list: Buffer, { start, end }: DerHeader): RevocationReason | undefined {
  for (let at = start; at < end;) {
    const extension = readEntryExtension(list, at, end);
    at = extension.end;
    if (extension.kind !== EXTENSION.reasonCode) continue;
    const reason = readHeader(list, extension.value.start, extension.value.end);
    const isNumber = reason.tag === DER_TAG.enumerated && reason.end - reason.start === 1;
    return isNumber ? REASONS[list[reason.start] ?? REASONS.length] : undefined;
  }
  return undefined;
}

/** True when the content at `place` is `octets`. Compared here: a call of Buffer for each of 100,000 entries costs more. */
function isAt(list: Buffer, { start, end }: DerHeader, octets: Uint8Array): boolean {
  if (end - start !== octets.length) return false;
  for (let index = octets.length - 1; index >= 0; index -= 1) {
    if (list[start + index] !== octets[index]) return false;
  }
  return true;
}

/**
 * Looks a serial number (the octets of its DER INTEGER) up in a parsed list, along the list's own bytes. Undefined when
 * it is not listed; an entry counts from now on, whatever its date and reason, a hold included.
 */
export function findRevocation(
  { entries }: { readonly entries: Buffer },
  serialNumber: Uint8Array,
): Revocation | undefined {
  for (let at = 0; at < entries.length;) {
    const { serial, extensions, end } = readEntry(entries, at);
    if (isAt(entries, serial, serialNumber)) return { reason: extensions && readReason(entries, extensions) };
    at = end;
  }
  return undefined;
}

/** True when the list names the serial number: see {@link findRevocation}. */
export function isRevoked(crl: { readonly entries: Buffer }, serialNumber: Uint8Array): boolean {
  return findRevocation(crl, serialNumber) !== undefined;
}
