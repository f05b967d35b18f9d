import { createHash, type X509Certificate } from 'node:crypto';
import { ApiError, DomainError } from '@vestibule/foundation';
import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload } from 'jose';
import { SCOPES, type Scope } from '../http/scopes';

/** The algorithms that access tokens may have: all with a public key. */
export const TOKEN_ALGORITHMS = ['ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256', 'EdDSA'] as const;
export type TokenAlgorithm = (typeof TOKEN_ALGORITHMS)[number];

export interface TokenSettings {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  readonly algorithms: readonly TokenAlgorithm[];
}

/** What a valid access token says. */
export interface VerifiedToken {
  /** Its `sub`. */
  readonly subject: string;
  readonly scopes: readonly Scope[];
}

/**
 * Verifies an access token, and that it is for who shows the client certificate, which is read only for tokens that are bound
 * to something; throws an error for the caller.
 */
export type VerifyToken = (token: string, certificate: ShownCertificate) => Promise<VerifiedToken>;

/** What the caller has shown on its connection, if it is one with a certificate of the configured authority. */
export type ShownCertificate = () => X509Certificate | undefined;

/** The tolerated difference between clocks. */
const SKEW_SECONDS = 30;
/** No authorization server issues tokens that live longer. */
const LONGEST_LIFE_SECONDS = 86_400;
const FETCH_MILLISECONDS = 3_000;
/** An unknown `kid` may mean that the server has new keys, but untrusted parties must not cause a request each time. */
const COOLDOWN_MILLISECONDS = 30_000;
const CACHE_MILLISECONDS = 600_000;

function refused(cause: unknown): ApiError {
  const detail = 'this listener does not accept this access token';
  return new ApiError({ kind: 'unauthenticated', code: 'management_token_invalid', detail, cause });
}

function keysUnavailable(cause: unknown): DomainError {
  const detail = 'the keys of the authorization server cannot be fetched';
  return new DomainError({ kind: 'unavailable', code: 'management_token_keys_unavailable', detail, cause });
}

/** What is wrong with the token itself, as opposed to its issuer's keys being away. */
const OF_THE_TOKEN = [
  errors.JWTExpired,
  errors.JWTClaimValidationFailed,
  errors.JWTInvalid,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
];

/** The claim `sub` (RFC 7519 §4.1.2), under which the audit trail records what the caller does. */
function subjectOf(payload: JWTPayload): string {
  const subject: unknown = payload.sub;
  if (typeof subject === 'string' && subject !== '') return subject;
  throw new errors.JWTClaimValidationFailed('"sub" must be a string that is not empty', payload, 'sub');
}

/**
 * A token that is bound to a certificate (RFC 8705 §3.1) is for the connection with this certificate; one that is bound to
 * anything else (RFC 9449 §6) is for nobody, since what proves that is not looked at.
 */
function requireHolder(payload: JWTPayload, findCertificate: ShownCertificate): void {
  const bound: unknown = payload['cnf'];
  if (bound === undefined) return;
  const certificate = findCertificate();
  const shown = certificate && createHash('sha256').update(certificate.raw).digest('base64url');
  const [binding, ...others] = Object.entries(bound ?? {});
  if (shown !== undefined && others.length === 0 && binding?.[0] === 'x5t#S256' && binding[1] === shown) return;
  throw new errors.JWTClaimValidationFailed('"cnf" names something else than the caller has shown', payload, 'cnf');
}

/** The known scopes of the claim `scope` (RFC 9068 §2.2.3); others are for other resources. */
function scopesOf({ scope }: JWTPayload): readonly Scope[] {
  const named = typeof scope === 'string' ? scope.split(' ') : [];
  return SCOPES.filter((known) => named.includes(known));
}

/**
 * Verifies access tokens (RFC 9068) with the keys at `jwksUrl`, which are cached: `typ`, algorithm, issuer, audience,
 * time, a life of a day at most, and what the token is bound to. Throws `management_token_invalid`, and
 * `management_token_keys_unavailable` while the keys cannot be fetched.
 */
export function createTokenVerifier(
  { issuer, audience, jwksUrl, algorithms }: TokenSettings,
  clock: () => Date,
): VerifyToken {
  const keys = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: FETCH_MILLISECONDS,
    cooldownDuration: COOLDOWN_MILLISECONDS,
    cacheMaxAge: CACHE_MILLISECONDS,
  });
  return async function verifyToken(token, certificate) {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: [...algorithms],
        typ: 'at+jwt',
        clockTolerance: SKEW_SECONDS,
        maxTokenAge: LONGEST_LIFE_SECONDS,
        requiredClaims: ['exp', 'iat', 'sub'],
        currentDate: clock(),
      });
      requireHolder(payload, certificate);
      return { subject: subjectOf(payload), scopes: scopesOf(payload) };
    } catch (error) {
      throw OF_THE_TOKEN.some((kind) => error instanceof kind) ? refused(error) : keysUnavailable(error);
    }
  };
}
