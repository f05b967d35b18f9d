import type { OAuthErrorCode } from '@vestibule/foundation';
import { OAuthError, parseForm } from '@vestibule/oauth';
import { parseAuthorizationDetails } from './authorization-details';
import { PRE_AUTHORIZED_CODE_GRANT } from './credential-offer';

/** A well-formed token request; nothing in it has been looked up. */
export interface TokenRequest {
  readonly preAuthorizedCode: string;
  readonly txCode: string | undefined;
  readonly clientId: string | undefined;
  /** It has a `scope`: whichever it is, the answer must say that of the token (RFC 6749 §3.3). */
  readonly namesScope: boolean;
  /** The form authenticates the client in a way that this server does not offer: by a secret or an assertion. */
  readonly usesUnknownAuthentication: boolean;
  /** Credential configurations that the wallet named in `authorization_details`; undefined when it sent none. */
  readonly authorizationDetails: readonly string[] | undefined;
}

/** The code for a wrong transaction code: 1.0 Final §6.3; drafts of 1.1 call it `invalid_tx_code`. */
export const WRONG_TX_CODE: OAuthErrorCode = 'invalid_grant';

/** RFC 6749 §2.3.1, RFC 7521 §4.2: ways to authenticate in the form, of which this server knows none. */
const AUTHENTICATION_PARAMETERS = ['client_secret', 'client_assertion', 'client_assertion_type'] as const;
const PARAMETERS = [
  'grant_type',
  'pre-authorized_code',
  'tx_code',
  'client_id',
  'scope',
  'authorization_details',
  ...AUTHENTICATION_PARAMETERS,
] as const;

/**
 * Parses a token request of the pre-authorized code flow (OpenID4VCI 1.0 §6.1); unknown parameters are ignored.
 * Throws `invalid_request`, `unsupported_grant_type` or `invalid_authorization_details`.
 */
export function parseTokenRequest(form: readonly (readonly [string, string])[], issuerUrl: string): TokenRequest {
  const parameters = parseForm(form, PARAMETERS);
  const grantType = parameters.get('grant_type');
  if (grantType === undefined) throw new OAuthError('invalid_request', 'grant_type_missing');
  if (grantType !== PRE_AUTHORIZED_CODE_GRANT) throw new OAuthError('unsupported_grant_type', 'grant_type_unsupported');
  const preAuthorizedCode = parameters.get('pre-authorized_code');
  if (preAuthorizedCode === undefined) throw new OAuthError('invalid_request', 'pre_authorized_code_missing');
  const details = parameters.get('authorization_details');
  return {
    preAuthorizedCode,
    txCode: parameters.get('tx_code'),
    clientId: parameters.get('client_id'),
    namesScope: parameters.has('scope'),
    usesUnknownAuthentication: AUTHENTICATION_PARAMETERS.some((name) => parameters.has(name)),
    authorizationDetails: details === undefined ? undefined : parseAuthorizationDetails(details, issuerUrl),
  };
}

/** Throws `invalid_request` when a transaction code is missing or was not asked for (OpenID4VCI 1.0 §6.3). */
export function requireTxCodeAsOffered(request: TokenRequest, offeredWithTxCode: boolean): void {
  const sent = request.txCode !== undefined;
  if (offeredWithTxCode && !sent) throw new OAuthError('invalid_request', 'tx_code_missing');
  if (!offeredWithTxCode && sent) throw new OAuthError('invalid_request', 'tx_code_unexpected');
}
