import { OAuthError } from './oauth-error';

const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*$/;
const MAX_TOKEN_LENGTH = 4_096;

/**
 * The access token of a protected request, from every value of its `Authorization` header (RFC 9449 §7.1): the scheme in
 * any case, then one or more spaces (RFC 9110 §11.1 and §11.4).
 * Throws `invalid_token` when there is none or its scheme is not DPoP (a DPoP-bound token as `Bearer` included, §7.2),
 * `invalid_request` for two header fields or a malformed one.
 */
export function parseDpopAuthorization(values: readonly string[]): string {
  const [value, ...rest] = values;
  if (value === undefined) throw new OAuthError('invalid_token', 'access_token_missing');
  if (rest.length > 0) throw new OAuthError('invalid_request', 'authorization_repeated');
  const [scheme = ''] = value.split(' ', 1);
  if (scheme.toLowerCase() !== 'dpop') throw new OAuthError('invalid_token', 'authorization_scheme_unsupported');
  const token = value.slice(scheme.length).replace(/^ +/, '');
  const wellFormed = token.length <= MAX_TOKEN_LENGTH && TOKEN68.test(token);
  if (!wellFormed) throw new OAuthError('invalid_request', 'access_token_malformed');
  return token;
}

/** The one value of the `DPoP` header; throws `invalid_dpop_proof` when it is missing or repeated (RFC 9449 §4.3). */
export function requireDpopHeader(values: readonly string[]): string {
  const [value, ...rest] = values;
  if (value === undefined) throw new OAuthError('invalid_dpop_proof', 'dpop_header_missing');
  if (rest.length > 0) throw new OAuthError('invalid_dpop_proof', 'dpop_header_repeated');
  return value;
}
