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
    meaning: 'the request is not valid; `errors` lists every wrong place',
    remedy: 'correct each place that `errors` names',
  },
  invalid_json: {
    status: 400,
    meaning: 'the body is not JSON, nests deeper than 32 levels or has a member name twice',
    remedy: 'send strict JSON in UTF-8',
  },
  unknown_credential_configuration: {
    status: 400,
    meaning: '`credential_configuration_id` names no credential type of this issuer',
    remedy: "use an id from the issuer's metadata, or add its Type Metadata document and restart the issuer",
  },
  api_key_missing: {
    status: 401,
    meaning: 'there is not exactly one `X-API-KEY` header',
    remedy: 'send one `X-API-KEY` header',
  },
  api_key_invalid: {
    status: 401,
    meaning: 'the API key is unknown or revoked',
    remedy: 'use a key of your tenant',
  },
  management_key_missing: {
    status: 401,
    meaning: 'the management listener asks for a key, and there is not exactly one `Authorization: Bearer` header',
    remedy: 'send one of the keys whose digests are in `MANAGEMENT_KEY_DIGESTS`',
  },
  management_key_invalid: {
    status: 401,
    meaning: 'the bearer key is not one of the management listener',
    remedy: 'send one of the keys whose digests are in `MANAGEMENT_KEY_DIGESTS`',
  },
  client_certificate_required: {
    status: 403,
    meaning: 'the management listener asks for a client certificate, and the connection has none that it trusts',
    remedy: 'connect with a certificate of the authority in `MANAGEMENT_CLIENT_CA_FILE`',
  },
  route_not_found: {
    status: 404,
    meaning: 'this listener has no such address',
    remedy: 'compare with `/openapi.json` of the management listener',
  },
  presentation_request_not_found: {
    status: 404,
    meaning: 'no presentation request has this state, or its retention is over',
    remedy: 'use the `state` of the answer to `POST /oidc4vp`',
  },
  credential_offer_not_found: {
    status: 404,
    meaning: 'no credential offer has this id, or its retention is over',
    remedy: 'use the `offer_id` of the answer to `POST /offers`',
  },
  callback_not_found: {
    status: 404,
    meaning: 'no event with this id waits: it was delivered, or is a dead letter, which has no payload any more',
    remedy:
      'list `GET /callbacks/{service}`; ask for the state of a lost one with `GET /oidc4vp/{state}` or `GET /offers/{offer_id}`',
  },
  credential_not_issued: {
    status: 409,
    meaning: 'the offer is open or ended without a credential, so that there is no status to change',
    remedy: 'change the status after the callback ISSUED',
  },
  credential_without_status: {
    status: 409,
    meaning: 'the credentials of the offer name no status list: their type has none, or had none when they were issued',
    remedy: 'set `status_list` of the type in `issuance.json`; what was issued without it cannot be revoked',
  },
  credential_revocation_final: {
    status: 409,
    meaning: 'a credential of the offer is revoked, which is final',
    remedy: 'issue a new credential; use `suspended` for what may be taken back',
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
    meaning: 'another call changed it at the same time; this one changed nothing',
    remedy: 'read it again and repeat the change if it still makes sense',
  },
  revision_mismatch: {
    status: 412,
    meaning: '`If-Match` names a revision that is not the latest',
    remedy: 'read it again and repeat the change with the new etag',
  },
  credential_exists: {
    status: 409,
    meaning: 'the wallet has a credential with this DID already',
    remedy: 'read the credential that is there',
  },
  credential_offer_ended: {
    status: 409,
    meaning: 'the credential offer has ended as ISSUED, FAILED or EXPIRED, and nothing changes it any more',
    remedy: 'make a new offer',
  },
  credential_offer_not_deferred: {
    status: 409,
    meaning: 'the credential offer was made with all of its claims',
    remedy: 'make an offer with `deferred: true` where the claims come later',
  },
  idempotency_conflict: {
    status: 409,
    meaning: 'this `Idempotency-Key` was used with another request within the last 24 hours',
    remedy: 'use a new key for a new request',
  },
  body_too_large: {
    status: 413,
    meaning: 'the body is larger than the listener takes: 256 KiB management, 1 MiB wallet-facing',
    remedy: 'send less',
  },
  message_too_large: {
    status: 413,
    meaning: 'the message does not fit into the bus',
    remedy: 'send less; operators: `max_payload` of NATS must be at least 2 MB',
  },
  unsupported_media_type: {
    status: 415,
    meaning: 'the address does not take a body of this media type',
    remedy: 'send `application/json` (wallets: a form where the standard says so)',
  },
  rate_limited: {
    status: 429,
    meaning: 'too many requests from this address on the public listener (the wallet content API there)',
    remedy: 'wait as long as `Retry-After` says',
  },
  internal_error: {
    status: 500,
    meaning: 'something went wrong inside',
    remedy: 'look for the request id of `instance` in the logs',
  },
  service_unavailable: {
    status: 503,
    meaning: 'the service behind the gateway cannot be reached: nobody listens, or there is no connection to NATS',
    remedy: 'try again; operators: `/health/ready` of the management listener names the service',
  },
  service_timeout: {
    status: 503,
    meaning: 'the service did not answer in time; whether it acted is unknown',
    remedy: 'repeat creating calls with the same `Idempotency-Key`',
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
    remedy: 'wait as long as `Retry-After` says',
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
      'HTTP 404: there is no such status list, or every credential in it has expired; on the wire `invalid_request`',
    remedy: 'use the `uri` of the credential',
  },
  status_time_unsupported: {
    meaning:
      'HTTP 501: a status list of the past was asked for (`time`), and none is kept; on the wire `invalid_request`',
    remedy: 'ask without `time`',
  },
  type_metadata_not_found: {
    meaning: 'HTTP 404: there is no such credential type; on the wire `invalid_request`',
    remedy: 'use the `vct` of the issuer metadata',
  },
};

/** What operators meet in logs; towards callers they are 503 or 500. */
export const INFRASTRUCTURE_CODES: Codes = {
  database_unavailable: {
    status: 503,
    meaning:
      'Postgres cannot be reached, restarts or has no connection left; or none of the `DATABASE_POOL_SIZE` connections of the process came free within 5 s',
    remedy: 'check Postgres and its load, and `DATABASE_POOL_SIZE` of all processes against its `max_connections`',
  },
  database_timeout: {
    status: 503,
    meaning: 'a statement took longer than 10 s',
    remedy: 'check the load of Postgres',
  },
  database_error: {
    status: 500,
    meaning: 'Postgres refused a statement; the log has its SQLSTATE, never a value',
    remedy: 'check that migrations ran and that the role owns its schema',
  },
  status_list_unavailable: {
    status: 503,
    meaning: 'a status list has changed or is too old, and cannot be signed now',
    remedy: "look for the issuer's line `a credential or a status list could not be signed`",
  },
  canonicalizer_busy: {
    status: 503,
    meaning: 'too many W3C documents wait to be canonicalized, or one waited too long',
    remedy: 'try again; if it stays, look for a tenant who sends large documents, or add a replica of the wallet store',
  },
  canonicalizer_failed: {
    status: 503,
    meaning: 'the thread that canonicalizes W3C documents ended or could not be started',
    remedy: "look for the wallet store's lines about a thread; try again",
  },
  seal_broken: {
    status: 503,
    meaning: 'a sealed record does not open: its key is not configured, or it was changed',
    remedy: 'put the key that sealed it back into `SEALING_KEYS`',
  },
  sealed_column_unknown: {
    status: 503,
    meaning:
      '`main.js reseal`: the schema has a byte column that the registry of sealed columns does not name, or lacks one',
    remedy: 'run the version of the service that made the schema; report it when it did',
  },
  reseal_incomplete: {
    status: 503,
    meaning: '`main.js reseal`: records do not open, or replicas still seal with another key than the first',
    remedy: 'see "Key rotation" in [operations.md](operations.md#key-rotation)',
  },
  invalid_message: {
    status: 400,
    meaning: 'a question on the bus breaks its contract',
    remedy: 'run one version of gateway and services',
  },
  invalid_answer: {
    status: 500,
    meaning: 'an answer on the bus breaks its contract',
    remedy: 'run one version of gateway and services',
  },
  answer_not_sent: {
    status: 500,
    meaning: 'an answer does not fit into the bus',
    remedy: '`max_payload` of NATS must be at least 2 MB',
  },
  not_found: {
    status: 404,
    meaning: 'the health listener of a service has only `/health/live` and `/health/ready`',
    remedy: 'ask for one of these',
  },
};
