import type { DomainError } from '@vestibule/foundation';
import { statusForWallet } from './status';

/** An error as a wallet gets it. */
export interface OAuthAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly error: string; readonly error_description?: string };
}

/** What a wallet may hear (RFC 6749 §5.2, RFC 9449, OpenID4VCI 1.0 §6.3, §8.3.1, OpenID4VP 1.0 §8.5). */
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
  'invalid_token',
  'insufficient_scope',
  'invalid_credential_request',
  'unknown_credential_configuration',
  'unknown_credential_identifier',
  'invalid_proof',
  'invalid_nonce',
  'invalid_encryption_parameters',
  'credential_request_denied',
  'server_error',
]);

const RETRY_AFTER_SECONDS = '5';
const ALLOWED_IN_DESCRIPTION = /[^\x20\x21\x23-\x5B\x5D-\x7E]/g;

/** `WWW-Authenticate` of a protected resource (RFC 9449 §7.1): without `error` where no credentials came at all. */
function challenge(code: string): string {
  const error = code === 'missing_token' ? '' : `error="${code}", `;
  return `DPoP ${error}algs="ES256"`;
}

function wireCode(error: DomainError): string {
  if (WIRE_CODES.has(error.code)) return error.code;
  if (error.code === 'missing_token') return 'invalid_token';
  return error.kind === 'unavailable' || error.kind === 'internal' ? 'server_error' : 'invalid_request';
}

function headersOf(error: DomainError, status: number): Record<string, string> {
  if (status === 503) return { 'retry-after': RETRY_AFTER_SECONDS };
  const challenged = status === 401 || error.code === 'insufficient_scope';
  return challenged ? { 'www-authenticate': challenge(error.code) } : {};
}

/** The OAuth JSON of an error: the standard's code and one harmless sentence (RFC 6749 §5.2 limits its characters). */
export function oauthAnswer(error: DomainError): OAuthAnswer {
  const status = statusForWallet(error);
  const hidden = status >= 500 ? 'the service cannot answer now' : error.detail;
  return {
    status,
    headers: headersOf(error, status),
    body: { error: wireCode(error), error_description: hidden.replaceAll(ALLOWED_IN_DESCRIPTION, "'") },
  };
}
