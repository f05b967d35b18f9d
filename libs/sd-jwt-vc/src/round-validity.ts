import { toNumericDate } from '@vestibule/foundation';

const ROUNDING_SECONDS = 3600;

export interface IssuanceTime {
  readonly now: Date;
  readonly validitySeconds: number;
  /** `notBefore` of the issuer's certificate: no credential may be older. */
  readonly certificateNotBefore: Date;
}

/**
 * `iat` rounded down and `exp` rounded up to the hour, so that neither links the credentials of one issuance nor
 * shortens a validity (RFC 9901 §10.1). In the first hour of a certificate `iat` is the certificate's start.
 * Throws a RangeError for a time before the certificate's, and for a validity that is not positive.
 */
export function roundValidity(time: IssuanceTime): { readonly iat: number; readonly exp: number } {
  const now = toNumericDate(time.now);
  const notBefore = Math.ceil(time.certificateNotBefore.getTime() / 1000);
  if (!(time.validitySeconds > 0) || !(now >= notBefore)) throw new RangeError('a time in the life of the certificate');
  return {
    iat: Math.max(Math.floor(now / ROUNDING_SECONDS) * ROUNDING_SECONDS, notBefore),
    exp: Math.ceil((now + time.validitySeconds) / ROUNDING_SECONDS) * ROUNDING_SECONDS,
  };
}
