import type { ErrorKind } from './error-kind';

/** The wallet-facing endpoints that answer with OAuth errors. */
export type WalletEndpoint = 'token' | 'credential' | 'deferred_credential' | 'notification';

export interface OAuthErrorEntry {
  readonly kind: ErrorKind;
  /** Where the code may occur, with its HTTP status there. */
  readonly statuses: Partial<Record<WalletEndpoint, 400 | 401 | 403>>;
  /** The status where the request has an `Authorization` header, if that is another one (RFC 6749 §5.2). */
  readonly statusWithAuthorization?: 401;
  /** The `error_description`. */
  readonly meaning: string;
}

const RESOURCE_401 = { credential: 401, deferred_credential: 401, notification: 401 } as const;
const RESOURCE_403 = { credential: 403, deferred_credential: 403, notification: 403 } as const;
const TOKEN = { token: 400 } as const;
const CREDENTIAL = { credential: 400, deferred_credential: 400 } as const;

const error = (kind: ErrorKind, statuses: OAuthErrorEntry['statuses'], meaning: string): OAuthErrorEntry => ({
  kind,
  statuses,
  meaning,
});

/**
 * Every error code of OAuth that a wallet can meet at the issuer, and nothing else; the issuer throws them, the gateway
 * answers with them, docs/errors.md lists them: RFC 6749 §5.2, RFC 6750 §3.1, RFC 9449 §12.2, RFC 9396 §5,
 * attestation-based client authentication draft 07 §6.2, OpenID4VCI 1.0 §6.3, §8.3.1.2, §9.3 and §11.3.
 */
export const OAUTH_ERRORS = {
  invalid_request: error(
    'invalid',
    { token: 400, credential: 400, deferred_credential: 400, notification: 400 },
    'the request is malformed',
  ),
  invalid_grant: error('invalid', TOKEN, 'the code is unknown, expired or used'),
  invalid_client: { ...error('invalid', TOKEN, 'client authentication failed'), statusWithAuthorization: 401 },
  unsupported_grant_type: error('invalid', TOKEN, 'the grant type is not supported'),
  invalid_authorization_details: error('invalid', TOKEN, 'the authorization details are malformed or not offered'),
  invalid_dpop_proof: error('unauthenticated', { ...TOKEN, ...RESOURCE_401 }, 'the DPoP proof is invalid'),
  use_dpop_nonce: error(
    'unauthenticated',
    { ...TOKEN, ...RESOURCE_401 },
    'the DPoP proof needs a server-provided nonce',
  ),
  use_attestation_challenge: error('invalid', TOKEN, 'the client attestation needs a server-provided challenge'),
  use_fresh_attestation: error('invalid', TOKEN, 'the client attestation is too old'),
  invalid_token: error('unauthenticated', RESOURCE_401, 'the access token is missing, expired or bound to another key'),
  insufficient_scope: error('denied', RESOURCE_403, 'the access token does not cover this request'),
  invalid_credential_request: error('invalid', CREDENTIAL, 'the credential request is malformed'),
  unknown_credential_configuration: error('invalid', CREDENTIAL, 'the credential configuration is unknown'),
  unknown_credential_identifier: error('invalid', CREDENTIAL, 'the credential identifier is unknown'),
  invalid_proof: error('invalid', CREDENTIAL, 'the key proof is missing or invalid'),
  invalid_nonce: error('invalid', CREDENTIAL, 'the nonce of a key proof is unknown, expired or used'),
  invalid_encryption_parameters: error('invalid', CREDENTIAL, 'the encryption parameters are missing or not supported'),
  credential_request_denied: error('invalid', CREDENTIAL, 'the credential cannot be issued'),
  invalid_transaction_id: error('invalid', { deferred_credential: 400 }, 'the transaction is unknown or finished'),
  invalid_notification_id: error('invalid', { notification: 400 }, 'the notification id is unknown'),
  invalid_notification_request: error('invalid', { notification: 400 }, 'the notification is malformed'),
} as const satisfies Record<string, OAuthErrorEntry>;

export type OAuthErrorCode = keyof typeof OAUTH_ERRORS;

const MAX_DESCRIPTION_LENGTH = 300;

/** Text as `error_description` may hold it (RFC 6749 §5.2): printable ASCII without `"` and `\`, at most 300 characters. */
export function toErrorDescription(text: string): string {
  return text
    .slice(0, MAX_DESCRIPTION_LENGTH)
    .replace(/"/g, "'")
    .replace(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/g, '?');
}

/** The table's entry for any code; undefined for one that is not OAuth's. */
export function findOAuthError(code: string): OAuthErrorEntry | undefined {
  return Object.hasOwn(OAUTH_ERRORS, code) ? OAUTH_ERRORS[code as OAuthErrorCode] : undefined;
}

/** The HTTP status of a code at an endpoint; undefined where the code must not occur. */
export function oauthErrorStatus(
  code: OAuthErrorCode,
  endpoint: WalletEndpoint,
  hasAuthorization = false,
): number | undefined {
  const entry: OAuthErrorEntry = OAUTH_ERRORS[code];
  const status = entry.statuses[endpoint];
  return status !== undefined && hasAuthorization ? (entry.statusWithAuthorization ?? status) : status;
}
