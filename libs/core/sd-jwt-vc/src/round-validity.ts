import { DomainError, toNumericDate } from '@vestibule/foundation';

const ROUNDING_SECONDS = 3600;

function chainEnds(): DomainError {
  const detail = 'the chain of the issuer certificate ends within the hour: renew it';
  return new DomainError({ kind: 'internal', code: 'signing_certificate_expired', detail });
}

export interface IssuanceTime {
  readonly now: Date;
  readonly validitySeconds: number;
  /** `notBefore` of the issuer's certificate: no credential may be older. */
  readonly certificateNotBefore: Date;
  /** The first end in the issuer's chain: no credential lives longer. */
  readonly chainEndsAt: Date;
}

/** When a credential begins and ends, in NumericDates. */
export interface RoundedValidity {
  readonly iat: number;
  readonly exp: number;
  /** True where `exp` is the end of the chain, and earlier than the validity asked for. */
  readonly isShortened: boolean;
}

function lastHour(chainEndsAt: Date): number {
  return Math.floor(chainEndsAt.getTime() / 1000 / ROUNDING_SECONDS) * ROUNDING_SECONDS;
}

/** The last `exp` below a chain that ends then: nothing can be issued from that time on. */
export function lastExpiry(chainEndsAt: Date): Date {
  return new Date(lastHour(chainEndsAt) * 1000);
}

function wantedEnd({ now, validitySeconds }: Pick<IssuanceTime, 'now' | 'validitySeconds'>): number {
  return Math.ceil((toNumericDate(now) + validitySeconds) / ROUNDING_SECONDS) * ROUNDING_SECONDS;
}

/**
 * The end of credentials that are issued at `now`, if it is that of the chain; undefined if their validity is shorter.
 */
export function shortenedValidity(time: Omit<IssuanceTime, 'certificateNotBefore'>): Date | undefined {
  const last = lastHour(time.chainEndsAt);
  return last < wantedEnd(time) ? new Date(last * 1000) : undefined;
}

/**
 * `iat` rounded down and `exp` rounded up to the hour, so that neither links the credentials of one issuance nor
 * shortens a validity (RFC 9901 §10.1). In the first hour of a certificate `iat` is the certificate's start. If the
 * chain ends first, `exp` is its end rounded down to the hour, because the credential could not be verified after that.
 * Throws `signing_certificate_expired` if not even that hour is left, and a RangeError for a time before the
 * certificate's, and for a validity that is not positive.
 */
export function roundValidity(time: IssuanceTime): RoundedValidity {
  const now = toNumericDate(time.now);
  const notBefore = Math.ceil(time.certificateNotBefore.getTime() / 1000);
  if (!(time.validitySeconds > 0) || !(now >= notBefore)) throw new RangeError('a time in the life of the certificate');
  const iat = Math.max(Math.floor(now / ROUNDING_SECONDS) * ROUNDING_SECONDS, notBefore);
  const wanted = wantedEnd(time);
  const last = lastHour(time.chainEndsAt);
  if (last <= now) throw chainEnds();
  return { iat, exp: Math.min(wanted, last), isShortened: last < wanted };
}
