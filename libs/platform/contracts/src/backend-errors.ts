import type { ErrorEntry } from '@vestibule/foundation';

/** What a backend can receive from the management API and the wallet content API. */
export const BACKEND_ERRORS = {
  invalid_request: {
    status: 400,
    meaning: 'the request is invalid; `errors` lists every fault',
    remedy: 'correct each fault in `errors`',
  },
  invalid_json: {
    status: 400,
    meaning:
      'the body is not JSON, is nested more than 32 levels deep, repeats a member name, or has an unpaired surrogate',
    remedy: 'send strict JSON in UTF-8',
  },
  unknown_credential_configuration: {
    status: 400,
    meaning: '`credential_configuration_id` is not a credential type of this issuer',
    remedy: "use an id from the issuer's metadata, or add its Type Metadata document and restart the issuer",
  },
  api_key_missing: {
    status: 401,
    meaning: 'the request does not have exactly one `X-API-KEY` header',
    remedy: 'send exactly one `X-API-KEY` header',
  },
  api_key_invalid: {
    status: 401,
    meaning: 'the API key is unknown or revoked',
    remedy: 'use a valid key of your tenant',
  },
  management_key_missing: {
    status: 401,
    meaning:
      'the management listener requires a key, and the request does not have exactly one `Authorization: Bearer` header',
    remedy: 'send a key whose digest is in `MANAGEMENT_KEY_DIGESTS`',
  },
  management_key_invalid: {
    status: 401,
    meaning: 'the management listener does not accept this bearer key',
    remedy: 'send a key whose digest is in `MANAGEMENT_KEY_DIGESTS`',
  },
  management_token_invalid: {
    status: 401,
    meaning:
      'the management listener does not accept this access token: signature, `typ`, issuer, audience or time is wrong, or it is bound to another client',
    remedy: 'get a new token for the audience of this listener; see [management.md](management.md)',
  },
  management_token_keys_unavailable: {
    status: 503,
    meaning: 'the keys of the authorization server (`MANAGEMENT_TOKEN_JWKS_URL`) cannot be fetched',
    remedy: 'try again; check the connection of the gateway to that address',
  },
  scope_missing: {
    status: 403,
    meaning: 'the key, token or certificate does not have the scope of this call; `detail` names it',
    remedy: 'use a caller with this scope, or add it; see [management.md](management.md)',
  },
  foreign_page: {
    status: 403,
    meaning:
      'a web page of another site made a browser send this change to the management listener (`Sec-Fetch-Site`, `Origin`)',
    remedy:
      'send it from a server; if a proxy forwards the headers of browsers, let it remove `Origin` and `Sec-Fetch-Site`',
  },
  client_certificate_required: {
    status: 403,
    meaning:
      'the management listener requires a client certificate that it trusts; the connection has none, or it has expired',
    remedy: 'connect with a certificate from the authority in `MANAGEMENT_CLIENT_CA_FILE`',
  },
  client_certificate_not_allowed: {
    status: 403,
    meaning: 'the client certificate is trusted, but it belongs to none of the allowed clients',
    remedy: 'add a name of the certificate to `MANAGEMENT_CLIENT_NAMES`; do not use the certificate of the listener',
  },
  route_not_found: {
    status: 404,
    meaning: 'this listener has no such path',
    remedy: 'compare with `/openapi.json` of the management listener',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'this path does not accept the method of the request; `Allow` lists those that it accepts',
    remedy: 'use a method of `Allow`',
  },
  presentation_request_not_found: {
    status: 404,
    meaning: 'there is no presentation request with this state, or its retention has ended',
    remedy: 'use the `state` returned by `POST /oidc4vp`',
  },
  credential_offer_not_found: {
    status: 404,
    meaning: 'there is no credential offer with this id, or its retention has ended',
    remedy: 'use the `offer_id` returned by `POST /offers`',
  },
  callback_not_found: {
    status: 404,
    meaning:
      'no event with this id is pending (or, for a replay, no dead letter has it): it was delivered, or is in the other state',
    remedy:
      'list events with `GET /callbacks/{service}`; for the result of a lost event, use `GET /oidc4vp/{state}` or `GET /offers/{offer_id}`',
  },
  callback_not_replayable: {
    status: 409,
    meaning:
      'the dead letter cannot be rebuilt: it reported FULFILLED, whose claims were deleted, or it is from an older release',
    remedy:
      'for a verification, create a new request; the status is at `GET /oidc4vp/{state}` or `GET /offers/{offer_id}`',
  },
  credential_not_issued: {
    status: 409,
    meaning: 'the offer is open or ended without a credential, so there is no status to change',
    remedy: 'wait for the callback ISSUED',
  },
  credential_without_status: {
    status: 409,
    meaning:
      'the credentials have no such status: the type of the offer has no status list, or the draft was issued without this purpose in `status_purposes`',
    remedy:
      'set `status_list` of the type in `issuance.json`, or `status_purposes` when a draft is issued; credentials that were issued without it cannot be revoked',
  },
  credential_revocation_final: {
    status: 409,
    meaning: 'the credential, or one of the offer, has been revoked, which is final',
    remedy: 'issue a new credential; to be able to undo a change, use `suspended`',
  },
  entity_not_found: {
    status: 404,
    meaning: 'the tenant has no such entity',
    remedy: 'use an `EntityDid` of this tenant',
  },
  wallet_not_found: {
    status: 404,
    meaning: 'the entity has no such wallet',
    remedy: 'use `EntityDid` and `WalletDid` of one wallet of this tenant',
  },
  credential_not_found: {
    status: 404,
    meaning: 'the wallet has no such credential or revision',
    remedy: 'list the credentials of the wallet',
  },
  presentation_not_found: {
    status: 404,
    meaning: 'the wallet has no such presentation or revision',
    remedy: 'list the presentations of the wallet',
  },
  draft_not_found: {
    status: 404,
    meaning: 'the tenant has no such draft',
    remedy: 'search the drafts',
  },
  transition_forbidden: {
    status: 409,
    meaning: 'the state of the credential or presentation does not allow the operation',
    remedy: 'see the table of states in [wallet-content.md](wallet-content.md#states)',
  },
  concurrent_change: {
    status: 409,
    meaning: 'another call changed it at the same time; this call changed nothing',
    remedy: 'read it again and repeat the change if it still makes sense',
  },
  revision_mismatch: {
    status: 412,
    meaning: '`If-Match` does not match the latest revision',
    remedy: 'read it again and repeat the change with the new etag',
  },
  credential_exists: {
    status: 409,
    meaning: 'the wallet already has a credential with this DID',
    remedy: 'read the existing credential',
  },
  presentation_request_ended: {
    status: 409,
    meaning: 'the presentation request has ended and cannot be withdrawn',
    remedy: 'read how it ended with `GET /oidc4vp/{state}`',
  },
  credential_offer_ended: {
    status: 409,
    meaning: 'the credential offer has ended as ISSUED, FAILED or EXPIRED and cannot be changed',
    remedy: 'create a new offer',
  },
  credential_offer_not_deferred: {
    status: 409,
    meaning: 'the credential offer was created with all of its claims',
    remedy: 'to supply claims later, create the offer with `deferred: true`',
  },
  body_too_large: {
    status: 413,
    meaning:
      'the body exceeds 256 KiB from a backend, on either listener, or 1 MiB from a wallet; or the claims of an offer exceed 128 KiB',
    remedy: 'send a smaller body',
  },
  unsupported_media_type: {
    status: 415,
    meaning: 'the endpoint does not accept a body of this media type',
    remedy: 'send `application/json` (wallets: a form where the standard requires it)',
  },
  rate_limited: {
    status: 429,
    meaning: 'too many requests from this address to the wallet content API on the public listener',
    remedy: 'wait for the time in `Retry-After`',
  },
  internal_error: {
    status: 500,
    meaning: 'an unexpected internal error occurred',
    remedy: 'search the logs for the request id in `instance`',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

declare module '@vestibule/foundation' {
  interface ErrorTables {
    readonly backend: typeof BACKEND_ERRORS;
  }
}
