import type { DomainError, ErrorKind } from '@vestibule/foundation';
import type { ErrorAnswer } from './error-answer';

/** The request that an error answers: some codes have different statuses at different endpoints. */
export interface WalletPlace {
  /** The route's path, as if every URL had none. */
  readonly path: string;
  /** The first `Authorization` header; undefined where none came at all. */
  readonly authorization: string | undefined;
}

/**
 * What a wallet may hear: RFC 6749 §5.2, RFC 6750 §3.1, RFC 9449, attestation-based client authentication §6.2,
 * OpenID4VCI 1.0 §6.3, §8.3.1, §9.3 and §11.3, OpenID4VP 1.0 §8.5.
 */
const WIRE_CODES: ReadonlySet<string> = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_authorization_details',
  'invalid_dpop_proof',
  'use_dpop_nonce',
  'use_attestation_challenge',
  'use_fresh_attestation',
  'invalid_client_attestation',
  'invalid_token',
  'insufficient_scope',
  'invalid_credential_request',
  'unknown_credential_configuration',
  'unknown_credential_identifier',
  'invalid_proof',
  'invalid_nonce',
  'invalid_encryption_parameters',
  'credential_request_denied',
  'invalid_transaction_id',
  'invalid_notification_id',
  'invalid_notification_request',
  'server_error',
]);

/** The OAuth documents know 400 for every refusal that is neither about tokens nor about an address. */
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

const TOKEN_ENDPOINT = '/oidc4vci/token';
const REQUEST_OBJECT = /^\/oidc4vp\/[^/]+\/request$/;
const RETRY_AFTER_SECONDS = '5';
const MAX_DESCRIPTION_LENGTH = 300;
const NOT_ALLOWED_IN_DESCRIPTION = /[^\x20\x21\x23-\x5B\x5D-\x7E]/g;

function statusOf({ code, kind }: DomainError, { path, authorization }: WalletPlace): number {
  if (code === 'rate_limited') return 429;
  if (code === 'insufficient_scope') return 403;
  if (code === 'status_time_unsupported') return 501;
  if (code === 'unsupported_media_type' && REQUEST_OBJECT.test(path)) return 415;
  // The authorization server answers 400, also to wallets that read nothing else; only who authenticated by the
  // Authorization header must hear 401 (RFC 6749 §5.2, RFC 9449 §5).
  if (path === TOKEN_ENDPOINT && code === 'invalid_client') return authorization === undefined ? 400 : 401;
  if (path === TOKEN_ENDPOINT && kind === 'unauthenticated') return 400;
  return STATUSES[kind];
}

/** The code of OAuth for an error; one of our own never leaves. */
function wireCode({ code, kind }: DomainError): string {
  if (WIRE_CODES.has(code)) return code;
  if (code === 'rate_limited') return 'temporarily_unavailable';
  return kind === 'unavailable' || kind === 'internal' ? 'server_error' : 'invalid_request';
}

/** RFC 9449 §7.1; without `error` where no credentials came at all (RFC 6750 §3.1). */
function challenge(code: string, hasCredentials: boolean): string {
  return hasCredentials ? `DPoP error="${code}", algs="ES256"` : 'DPoP algs="ES256"';
}

const SCHEME = /^[A-Za-z][A-Za-z0-9-]{0,31}(?= |$)/;

/** A challenge in the scheme that the client authenticated with (RFC 6749 §5.2); `Basic` where none can be read. */
function clientChallenge(authorization: string): string {
  const [scheme = 'Basic'] = SCHEME.exec(authorization) ?? [];
  return `${scheme} realm="token"`;
}

/** What a wallet shall repeat its request with (RFC 9449 §8, attestation-based client authentication §8). */
const NONCE_HEADERS: Readonly<Record<string, string>> = {
  use_dpop_nonce: 'dpop-nonce',
  use_attestation_challenge: 'oauth-client-attestation-challenge',
};

function nonceHeader({ code, freshNonce }: DomainError): Record<string, string> {
  const name = NONCE_HEADERS[code];
  return name === undefined || freshNonce === undefined ? {} : { [name]: freshNonce };
}

function headersOf(code: string, status: number, { path, authorization }: WalletPlace): Record<string, string> {
  if (status === 503) return { 'retry-after': RETRY_AFTER_SECONDS };
  if (status !== 401 && status !== 403) return {};
  if (path === TOKEN_ENDPOINT) return { 'www-authenticate': clientChallenge(authorization ?? '') };
  return { 'www-authenticate': challenge(code, authorization !== undefined) };
}

function describe(text: string): string {
  return text.slice(0, MAX_DESCRIPTION_LENGTH).replaceAll(NOT_ALLOWED_IN_DESCRIPTION, "'");
}

/** The OAuth JSON of an error: the standard's code and one harmless sentence (RFC 6749 §5.2 limits its characters). */
export function oauthAnswer(error: DomainError, place: WalletPlace): ErrorAnswer {
  const status = statusOf(error, place);
  const code = wireCode(error);
  const sentence = status >= 500 ? 'the service cannot answer now' : error.detail;
  return {
    status,
    headers: { ...headersOf(code, status, place), ...nonceHeader(error) },
    body: { error: code, error_description: describe(sentence) },
  };
}
