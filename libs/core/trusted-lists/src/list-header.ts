import { ownMember, type JsonObject, type JsonValue } from '@vestibule/foundation';
import type { Certificate } from '@vestibule/x509-trust';
import { trustedListFailure } from './failures';
import { readListTime } from './list-time';

/**
 * Extensions that may be marked as critical, because they are judged here: the signing time of JAdES, in both of its
 * forms. Names of RFC 7515 itself must not be listed (§4.1.11).
 */
const UNDERSTOOD: readonly JsonValue[] = ['sigT', 'iat'];
/** Both say that something else is signed than the payload as it stands. */
const OTHER_PAYLOADS = ['sigD', 'b64'];

function isUnderstood(header: JsonObject): boolean {
  if (OTHER_PAYLOADS.some((name) => ownMember(header, name) !== undefined)) return false;
  const critical = ownMember(header, 'crit');
  if (critical === undefined) return true;
  const names = Array.isArray(critical) ? critical : [];
  const isSet = names.length > 0 && new Set(names).size === names.length;
  return isSet && names.every((name) => UNDERSTOOD.includes(name) && ownMember(header, name as string) !== undefined);
}

/** When the list was signed, as its signer claims: `iat` (JAdES 1.2.1) or `sigT` (before). */
function signingTimes(header: JsonObject): readonly (Date | undefined)[] {
  const [iat, sigT] = [ownMember(header, 'iat'), ownMember(header, 'sigT')];
  return [
    ...(iat === undefined ? [] : [Number.isSafeInteger(iat) ? new Date(Number(iat) * 1000) : undefined]),
    ...(sigT === undefined ? [] : [readListTime(sigT)]),
  ];
}

/**
 * Judges the members of a JAdES header (ETSI TS 119 182-1) against the certificate that signed: what is critical, the
 * hash of the certificate, and the signing time, which must not be later than `latest`.
 * Throws `trusted_list_critical_header` and `trusted_list_header_invalid`.
 */
export function requireListHeader(header: JsonObject, signer: Certificate, latest: Date): void {
  if (!isUnderstood(header)) throw trustedListFailure('trusted_list_critical_header');
  const hash = ownMember(header, 'x5t#S256');
  const isNamed = hash === undefined || hash === signer.fingerprint;
  const isPast = signingTimes(header).every((time) => time !== undefined && time <= latest);
  if (!isNamed || !isPast) throw trustedListFailure('trusted_list_header_invalid');
}
