import { ownMember, type JsonObject } from '@vestibule/foundation';
import { sdJwtFailure } from './failures';
import { DEFAULT_SD_JWT_LIMITS, parseSdJwt, parseX5cHeader, type SdJwt, type SdJwtLimits } from './parse-sd-jwt';

export const SD_JWT_VC_TYPE = 'dc+sd-jwt';
const LEGACY_TYPE = 'vc+sd-jwt';

export interface ParseOptions {
  readonly limits?: SdJwtLimits;
  /** Credential types (`vct`) that may also have `typ` `vc+sd-jwt`, as early drafts had it. Default: none. */
  readonly legacyTypes?: readonly string[] | undefined;
}

/** A parsed SD-JWT VC: shape, type and algorithm are right, nothing is verified yet. */
export interface SdJwtVc extends SdJwt {
  /** The certificate chain of the protected header as sent; undefined when there is none. */
  readonly x5c: readonly string[] | undefined;
}

/** W3C credentials have had the legacy type too (VC-JOSE-COSE), so it counts only beside a `vct` that the operator lists. */
function requireType(header: JsonObject, payload: JsonObject, legacyTypes: readonly string[]): void {
  const type = ownMember(header, 'typ');
  if (type === SD_JWT_VC_TYPE) return;
  const isListed = () => legacyTypes.some((vct) => vct === ownMember(payload, 'vct'));
  if (type !== LEGACY_TYPE || !isListed()) throw sdJwtFailure('type_header_wrong');
}

/**
 * Parses a presented or issued SD-JWT VC in compact form (RFC 9901 §4, SD-JWT VC §3.2.1); verifies nothing.
 * Throws what {@link parseSdJwt} throws, `type_header_wrong` and `x5c_malformed`.
 */
export function parseSdJwtVc(text: string, options: ParseOptions = {}): SdJwtVc {
  const sdJwt = parseSdJwt(text, options.limits ?? DEFAULT_SD_JWT_LIMITS);
  requireType(sdJwt.header, sdJwt.payload, options.legacyTypes ?? []);
  return { ...sdJwt, x5c: parseX5cHeader(sdJwt.header) };
}

/** The certificate chain of the protected header; throws `x5c_missing` when there is none (HAIP 1.0 §6.1.1). */
export function getX5c(sdJwt: SdJwtVc): readonly string[] {
  if (!sdJwt.x5c) throw sdJwtFailure('x5c_missing');
  return sdJwt.x5c;
}
