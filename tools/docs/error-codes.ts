import { DATABASE_CODES } from './database-error-codes';
import { SCHEMA_CODES } from './schema-error-codes';

/** A code that stands in no table of the libraries: it is thrown in one or two places. */
export interface CodeEntry {
  /** HTTP status towards a backend, where the code can get there. */
  readonly status?: number;
  readonly meaning: string;
  readonly remedy: string;
}

export type Codes = Readonly<Record<string, CodeEntry>>;

/** What a backend can meet on the management API and the wallet content API. */
export const API_CODES: Codes = {
  ...SCHEMA_CODES,
  invalid_request: {
    status: 400,
    meaning: 'the request is invalid; `errors` lists every fault',
    remedy: 'correct each fault in `errors`',
  },
  invalid_json: {
    status: 400,
    meaning: 'the body is not JSON, is nested more than 32 levels deep, or repeats a member name',
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
    meaning: 'the credentials of the offer have no status list: their type has none, or had none when they were issued',
    remedy:
      'set `status_list` of the type in `issuance.json`; credentials that were issued without it cannot be revoked',
  },
  credential_revocation_final: {
    status: 409,
    meaning: 'a credential of the offer has been revoked, which is final',
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
  idempotency_conflict: {
    status: 409,
    meaning: 'this `Idempotency-Key` was used for a different request within the last 24 hours',
    remedy: 'use a new key for a new request',
  },
  body_too_large: {
    status: 413,
    meaning: 'the body exceeds the limit of the listener: 256 KiB (management) or 1 MiB (public)',
    remedy: 'send a smaller body',
  },
  message_too_large: {
    status: 413,
    meaning: 'the message is too large for the bus',
    remedy: 'send a smaller body; operators: set `max_payload` of NATS to at least 2 MB',
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
  service_unavailable: {
    status: 503,
    meaning: 'the service behind the gateway is unavailable: it is not running, or there is no connection to NATS',
    remedy: 'try again; operators: `/health/ready` of the management listener shows which service is affected',
  },
  service_timeout: {
    status: 503,
    meaning: 'the service did not respond in time; it may or may not have acted',
    remedy: 'repeat the call with the same `Idempotency-Key`',
  },
};

/** What only wallets hear, besides the codes of the OAuth table. */
export const WALLET_CODES: Codes = {
  server_error: {
    meaning: 'HTTP 500 or 503 with the OAuth code `server_error`: the response could not be processed',
    remedy: 'the wallet may try again while the request is open',
  },
  temporarily_unavailable: {
    meaning: 'HTTP 429: too many requests from this address',
    remedy: 'wait for the time in `Retry-After`',
  },
  request_not_found: {
    meaning: 'HTTP 404: the presentation request is unknown, ended or expired; on the wire `invalid_request`',
    remedy: 'ask the backend for a new request',
  },
  offer_not_found: {
    meaning: 'HTTP 404: the credential offer is unknown, ended or expired; on the wire `invalid_request`',
    remedy: 'ask the backend for a new offer',
  },
  status_list_not_found: {
    meaning:
      'HTTP 404: there is no such status list, or all its credentials have expired; on the wire `invalid_request`',
    remedy: 'use the `uri` in the credential',
  },
  status_time_unsupported: {
    meaning:
      'HTTP 501: the request asks for a historical status list (`time`), and none are kept; on the wire `invalid_request`',
    remedy: 'omit `time`',
  },
  type_metadata_not_found: {
    meaning: 'HTTP 404: there is no such credential type; on the wire `invalid_request`',
    remedy: 'use the `vct` from the issuer metadata',
  },
};

/** What operators meet in logs; towards callers they are 503 or 500. */
export const INFRASTRUCTURE_CODES: Codes = {
  ...DATABASE_CODES,
  status_list_unavailable: {
    status: 503,
    meaning: 'a status list has changed or is too old, and cannot currently be signed',
    remedy: "search the issuer's log for `a credential or a status list could not be signed`",
  },
  canonicalizer_busy: {
    status: 503,
    meaning: 'too many W3C documents are waiting to be canonicalized, or one has waited too long',
    remedy:
      'try again; if the error persists, look for a tenant that sends large documents, or add a replica of the wallet store',
  },
  canonicalizer_failed: {
    status: 503,
    meaning: 'the thread that canonicalizes W3C documents stopped or could not be started',
    remedy: "search the wallet store's log for messages about a thread; try again",
  },
  seal_broken: {
    status: 503,
    meaning: 'a sealed record cannot be opened: its key is not configured, or the record was modified',
    remedy: 'add the key that sealed it back to `SEALING_KEYS`',
  },
  sealed_column_unknown: {
    status: 503,
    meaning: '`main.js reseal`: the byte columns of the schema do not match the registry of sealed columns',
    remedy: 'run the version of the service that created the schema; if you did, report a bug',
  },
  reseal_incomplete: {
    status: 503,
    meaning: '`main.js reseal`: some records cannot be opened, or replicas still seal with a key other than the first',
    remedy: 'see [key-rotation.md](key-rotation.md#sealing-keys)',
  },
  invalid_message: {
    status: 400,
    meaning: 'a request on the bus violates its contract',
    remedy: 'run the same version of the gateway and all services',
  },
  invalid_answer: {
    status: 500,
    meaning: 'a reply on the bus violates its contract',
    remedy: 'run the same version of the gateway and all services',
  },
  answer_not_sent: {
    status: 500,
    meaning: 'a reply is too large for the bus',
    remedy: 'set `max_payload` of NATS to at least 2 MB',
  },
  not_found: {
    status: 404,
    meaning: 'the health listener of a service serves only `/health/live`, `/health/ready` and `/metrics`',
    remedy: 'request one of these paths',
  },
};
