import { isNumericDate, ownMember, type JsonObject } from '@vestibule/foundation';
import { sdJwtFailure } from './failures';

/** More than this is not clock skew but another time. */
const MAX_SKEW_SECONDS = 60;

export interface ValidityPolicy {
  readonly now: Date;
  /** 0 to 60. */
  readonly skewSeconds: number;
  /** Refuse credentials without `exp`. Default: no. */
  readonly requireExpiry?: boolean;
}

/** From when to when the credential is valid, as far as it says so: `nbf`, else `iat`; and `exp`. */
export interface ValidityPeriod {
  readonly validFrom: Date | undefined;
  readonly validUntil: Date | undefined;
}

/** The clock in seconds with its tolerance; a RangeError means that the caller's policy is wrong. */
export function readClock(now: Date, skewSeconds: number): { readonly nowSeconds: number; readonly skew: number } {
  const nowSeconds = now.getTime() / 1000;
  const skewInRange = skewSeconds >= 0 && skewSeconds <= MAX_SKEW_SECONDS;
  if (!Number.isFinite(nowSeconds) || !skewInRange) throw new RangeError('a valid time and a skew of 0 to 60 s');
  return { nowSeconds, skew: skewSeconds };
}

type DateClaim = 'exp' | 'nbf' | 'iat' | 'adm_nbf' | 'adm_exp';

function optionalNumericDate(claims: JsonObject, name: DateClaim): number | undefined {
  const value = ownMember(claims, name);
  if (value === undefined || isNumericDate(value)) return value;
  throw sdJwtFailure('claim_malformed', `${name} is not a NumericDate`);
}

const toDate = (seconds: number | undefined) => (seconds === undefined ? undefined : new Date(seconds * 1000));

/**
 * Decides whether the processed claims are valid at `now` (RFC 9901 §7.1 step 6, RFC 7519 §4.1.4 to §4.1.6).
 * Throws `expired`, `not_yet_valid`, `issued_in_future`, `expiry_missing`, `claim_malformed`, and a RangeError for an
 * invalid policy.
 */
export function verifyValidity(claims: JsonObject, policy: ValidityPolicy): ValidityPeriod {
  const { nowSeconds, skew } = readClock(policy.now, policy.skewSeconds);
  const exp = optionalNumericDate(claims, 'exp');
  const nbf = optionalNumericDate(claims, 'nbf');
  const iat = optionalNumericDate(claims, 'iat');
  if (exp === undefined && policy.requireExpiry) throw sdJwtFailure('expiry_missing');
  if (exp !== undefined && nowSeconds >= exp + skew) throw sdJwtFailure('expired');
  if (nbf !== undefined && nowSeconds < nbf - skew) throw sdJwtFailure('not_yet_valid');
  if (iat !== undefined && nowSeconds < iat - skew) throw sdJwtFailure('issued_in_future');
  return { validFrom: toDate(nbf ?? iat), validUntil: toDate(exp) };
}

/**
 * Requires that what the processed claims attest holds at `now`, as far as they say so: a licence may end before the
 * credential that attests it does (ETSI TS 119 472-1 §5.2.7.2). `adm_nbf` and `adm_exp` come together, but each of them
 * counts. Throws `administratively_expired`, `administratively_not_yet_valid`, `claim_malformed`, and a RangeError for an
 * invalid policy.
 */
export function verifyAdministrativeValidity(
  claims: JsonObject,
  policy: Pick<ValidityPolicy, 'now' | 'skewSeconds'>,
): void {
  const { nowSeconds, skew } = readClock(policy.now, policy.skewSeconds);
  const begin = optionalNumericDate(claims, 'adm_nbf');
  const end = optionalNumericDate(claims, 'adm_exp');
  if (end !== undefined && nowSeconds >= end + skew) throw sdJwtFailure('administratively_expired');
  if (begin !== undefined && nowSeconds < begin - skew) throw sdJwtFailure('administratively_not_yet_valid');
}

/**
 * Requires that the issuer of the processed claims did not restrict the credential to other verifiers: without `aud` it is for
 * everybody, otherwise `audience` is one of those named, character by character (RFC 7519 §4.1.3). Not to be confused with
 * the `aud` of the key binding, which the holder sets. Throws `audience_mismatch` and `claim_malformed`.
 */
export function verifyAudience(claims: JsonObject, audience: string): void {
  const aud = ownMember(claims, 'aud');
  if (aud === undefined) return;
  const named = Array.isArray(aud) ? aud : [aud];
  if (!named.every((one) => typeof one === 'string')) {
    throw sdJwtFailure('claim_malformed', 'aud is neither a string nor an array of strings');
  }
  if (!named.includes(audience)) throw sdJwtFailure('audience_mismatch');
}
