import {
  findOAuthError,
  oauthErrorStatus,
  toErrorDescription,
  type DomainError,
  type ErrorKind,
  type OAuthErrorCode,
  type ErrorCode,
} from '@vestibule/foundation';
import type { ErrorAnswer } from '../http/error-answer';
import type { OAuthTraits } from './oauth-endpoint';

/** The request that an error answers: some codes have different statuses at different endpoints. */
export interface WalletPlace {
  /** What the route declares; empty where there is none. */
  readonly traits: OAuthTraits;
  /** The first `Authorization` header; undefined if there is none. */
  readonly authorization: string | undefined;
}

/** OAuth uses 400 for every refusal that concerns neither tokens nor the address. */
const STATUSES: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  denied: 400,
  not_found: 404,
  conflict: 400,
  precondition_failed: 400,
  gone: 410,
  too_large: 413,
  unavailable: 503,
  internal: 500,
};

/** Codes with a status that their kind does not have. */
const STATUSES_OF_CODES: Readonly<Partial<Record<ErrorCode, number>>> = {
  rate_limited: 429,
  status_format_unsupported: 406,
  status_time_unsupported: 501,
};

const RETRY_AFTER_SECONDS = '5';

/** The status in the table for this code at this endpoint; sizes, outages and the like keep their own. */
function listedStatus({ code, kind }: DomainError, { traits, authorization }: WalletPlace): number | undefined {
  const { endpoint } = traits;
  if (endpoint === undefined || !findOAuthError(code) || STATUSES[kind] > 401) return undefined;
  return oauthErrorStatus(code as OAuthErrorCode, endpoint, authorization !== undefined);
}

function statusOf(error: DomainError, place: WalletPlace): number {
  const { code, kind } = error;
  const fixed = STATUSES_OF_CODES[code];
  if (fixed !== undefined) return fixed;
  if (code === 'unsupported_media_type' && place.traits.refusesMediaTypes) return 415;
  return listedStatus(error, place) ?? STATUSES[kind];
}

/** The OAuth code for an error; internal codes are never sent. */
function wireCode({ code, kind }: DomainError): ErrorCode {
  if (code === 'server_error' || findOAuthError(code)) return code;
  if (code === 'rate_limited') return 'temporarily_unavailable';
  return kind === 'unavailable' || kind === 'internal' ? 'server_error' : 'invalid_request';
}

/** RFC 9449 §7.1; without `error` if no credentials were sent (RFC 6750 §3.1). */
function challenge(code: string, hasCredentials: boolean): string {
  return hasCredentials ? `DPoP error="${code}", algs="ES256"` : 'DPoP algs="ES256"';
}

const SCHEME = /^[A-Za-z][A-Za-z0-9-]{0,31}(?= |$)/;

/** A challenge in the scheme that the client authenticated with (RFC 6749 §5.2); `Basic` if none can be read. */
function clientChallenge(authorization: string): string {
  const [scheme = 'Basic'] = SCHEME.exec(authorization) ?? [];
  return `${scheme} realm="token"`;
}

/**
 * The header with a fresh nonce for the wallet's next attempt (RFC 9449 §8, attestation-based client authentication
 * §8).
 */
const NONCE_HEADERS: Readonly<Partial<Record<ErrorCode, string>>> = {
  use_dpop_nonce: 'dpop-nonce',
  use_attestation_challenge: 'oauth-client-attestation-challenge',
};

function nonceHeader({ code, freshNonce }: DomainError): Record<string, string> {
  const name = NONCE_HEADERS[code];
  return name === undefined || freshNonce === undefined ? {} : { [name]: freshNonce };
}

function headersOf(code: string, status: number, { traits, authorization }: WalletPlace): Record<string, string> {
  if (status === 503) return { 'retry-after': RETRY_AFTER_SECONDS };
  if (status !== 401 && status !== 403) return {};
  if (traits.endpoint === 'token') return { 'www-authenticate': clientChallenge(authorization ?? '') };
  return { 'www-authenticate': challenge(code, authorization !== undefined) };
}

/** The OAuth JSON of an error: the standard's code and one harmless sentence (RFC 6749 §5.2 limits its characters). */
export function oauthAnswer(error: DomainError, place: WalletPlace): ErrorAnswer {
  const status = statusOf(error, place);
  const code = wireCode(error);
  const isOutage = status >= 500 && status !== 501;
  const sentence = isOutage ? 'the service is temporarily unavailable' : error.detail;
  return {
    status,
    headers: { ...headersOf(code, status, place), ...nonceHeader(error) },
    body: { error: code, error_description: toErrorDescription(sentence) },
  };
}
