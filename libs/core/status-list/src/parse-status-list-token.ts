import {
  ES256_ALONE,
  parseCompactJws,
  requireAlgorithm,
  type CompactJws,
  type EcdsaAlgorithm,
} from '@vestibule/crypto';
import {
  VerificationFailure,
  decodeBase64url,
  isJsonObject,
  isNumericDate,
  ownMember,
  readClaimsSet,
  type JsonObject,
} from '@vestibule/foundation';
import { statusFailure, type StatusFailureCode } from './failures';
import { isStatusBits, type StatusBits } from './status-list';

/** The `typ` of a status list token (TSL §5.1). */
export const STATUS_LIST_TOKEN_TYPE = 'statuslist+jwt';
/** The media type to request and to require when a status list is fetched (TSL §8.1, §8.2). */
export const STATUS_LIST_MEDIA_TYPE = 'application/statuslist+jwt';
/** Characters of the largest status list token that is read. */
export const MAX_STATUS_TOKEN_LENGTH = 4_194_304;

/** A status list token whose form is right; neither its signature nor its times are verified. */
export interface StatusListToken {
  readonly jws: CompactJws;
  /** `sub`: the uri that the list is about. */
  readonly uri: string | undefined;
  readonly issuedAt: Date;
  readonly notBeforeAt: Date | undefined;
  readonly expiresAt: Date | undefined;
  readonly ttlSeconds: number | undefined;
  readonly bits: StatusBits;
  /** The compressed list, as it was sent. */
  readonly compressed: Uint8Array;
}

const MAX_HEADER_LENGTH = 65_536;
const CLAIMS_LIMITS = { maxDepth: 32, maxLength: MAX_STATUS_TOKEN_LENGTH };

const JOSE_TO_STATUS: Record<string, StatusFailureCode> = {
  jws_algorithm_not_allowed: 'status_token_algorithm_not_allowed',
  jws_signature_invalid: 'status_token_signature_invalid',
};

/** The failure of a JOSE step, named after the status list token; other errors as they are. */
export function ofStatusToken(error: unknown): unknown {
  if (!(error instanceof VerificationFailure)) return error;
  const detail = error.code === 'jws_number_not_exact' ? error.detail : undefined;
  return statusFailure(JOSE_TO_STATUS[error.code] ?? 'status_token_malformed', detail, error);
}

function parseJws(text: string, algorithms: readonly EcdsaAlgorithm[]): CompactJws {
  try {
    const jws = parseCompactJws(text, { maxLength: MAX_STATUS_TOKEN_LENGTH, maxHeaderLength: MAX_HEADER_LENGTH });
    requireAlgorithm(jws, algorithms);
    return jws;
  } catch (error) {
    throw ofStatusToken(error);
  }
}

function parseClaims(jws: CompactJws): JsonObject {
  const read = readClaimsSet(jws.payload, CLAIMS_LIMITS);
  if ('claims' in read) return read.claims;
  throw read.inexact === undefined
    ? statusFailure('status_token_malformed')
    : statusFailure('status_token_claims_malformed', read.inexact);
}

function parseInstant(claims: JsonObject, name: string): Date | undefined {
  const value = ownMember(claims, name);
  if (value === undefined) return undefined;
  if (!isNumericDate(value) || value < 0) {
    throw statusFailure('status_token_claims_malformed');
  }
  return new Date(value * 1000);
}

function parseIssuedAt(claims: JsonObject): Date {
  const issuedAt = parseInstant(claims, 'iat');
  if (!issuedAt) throw statusFailure('status_token_claims_malformed');
  return issuedAt;
}

function parseTtl(claims: JsonObject): number | undefined {
  const value = ownMember(claims, 'ttl');
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
    throw statusFailure('status_token_claims_malformed');
  }
  return value;
}

function parseList(claims: JsonObject): Pick<StatusListToken, 'bits' | 'compressed'> {
  const list = ownMember(claims, 'status_list');
  const [bits, lst] = isJsonObject(list) ? [ownMember(list, 'bits'), ownMember(list, 'lst')] : [];
  const compressed = typeof lst === 'string' ? decodeBase64url(lst) : undefined;
  if (!isStatusBits(bits) || !compressed) throw statusFailure('status_list_malformed');
  return { bits, compressed };
}

/**
 * Reads a status list token in JWT form (TSL §4.2, §5.1) of at most 4 MiB, without verifying it or inflating its list.
 * Its algorithm must be one of `algorithms`, by default ES256.
 * A token for certain recipients is none for this program, which has no name that its issuer could know.
 * Throws `status_token_malformed`, `status_token_algorithm_not_allowed`, `status_token_type`, `status_token_audience`,
 * `status_token_claims_malformed` or `status_list_malformed`.
 */
export function parseStatusListToken(
  text: string,
  algorithms: readonly EcdsaAlgorithm[] = ES256_ALONE,
): StatusListToken {
  const jws = parseJws(text, algorithms);
  if (ownMember(jws.header, 'typ') !== STATUS_LIST_TOKEN_TYPE) throw statusFailure('status_token_type');
  const claims = parseClaims(jws);
  if (Object.hasOwn(claims, 'aud')) throw statusFailure('status_token_audience');
  const subject = ownMember(claims, 'sub');
  return {
    jws,
    uri: typeof subject === 'string' ? subject : undefined,
    issuedAt: parseIssuedAt(claims),
    notBeforeAt: parseInstant(claims, 'nbf'),
    expiresAt: parseInstant(claims, 'exp'),
    ttlSeconds: parseTtl(claims),
    ...parseList(claims),
  };
}
