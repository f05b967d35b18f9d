import { BACKEND_ERRORS, SCHEMA_ERRORS, SERVICE_ERRORS } from '@vestibule/contracts';
import { BUS_ERRORS } from '@vestibule/messaging';

const STATUSES: Readonly<Record<string, { readonly status?: number }>> = {
  ...BACKEND_ERRORS,
  ...SCHEMA_ERRORS,
  ...SERVICE_ERRORS,
  ...BUS_ERRORS,
  // In the table of the library that talks to Postgres, which the gateway does not use.
  idempotency_conflict: { status: 409 },
};

/** A code that backends receive. */
type FailureCode = keyof typeof BACKEND_ERRORS | keyof typeof SCHEMA_ERRORS | 'idempotency_conflict';

const PRESENTATION_CHANGE: readonly FailureCode[] = [
  'wallet_not_found',
  'presentation_not_found',
  'transition_forbidden',
  'revision_mismatch',
  'concurrent_change',
];
const SCHEMA_CHANGE: readonly FailureCode[] = [
  'schema_not_found',
  'schema_published',
  'revision_mismatch',
  'concurrent_change',
];
const DRAFT_CHANGE: readonly FailureCode[] = [
  'draft_not_found',
  'transition_forbidden',
  'revision_mismatch',
  'concurrent_change',
];

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'The request is not valid: `errors` lists every fault',
  401: 'A key is missing or wrong',
  403: 'The client certificate is missing or not allowed, a scope is missing, or a page of another site is behind it',
  404: 'There is no such resource',
  409: 'The request conflicts with the current state',
  410: 'This version of the API has ended',
  412: 'The resource has changed since it was read',
  413: 'The body is too large',
  415: 'The media type of the body is not supported',
  429: 'Too many requests from this address',
  500: 'An internal error',
  503: 'A component is unavailable: try again after `Retry-After`',
};

/** What an operation fails with, beyond what every operation of its listener and method does. */
const OWN: Readonly<Record<string, readonly FailureCode[]>> = {
  createPresentationRequest: ['idempotency_conflict'],
  getPresentationRequest: ['presentation_request_not_found'],
  listPresentationRequests: [],
  cancelPresentationRequest: ['presentation_request_not_found', 'presentation_request_ended'],
  createCredentialOffer: ['unknown_credential_configuration', 'idempotency_conflict'],
  listCredentialOffers: [],
  getCredentialOffer: ['credential_offer_not_found'],
  changeCredentialOffer: ['credential_offer_not_found', 'credential_offer_ended', 'credential_offer_not_deferred'],
  cancelCredentialOffer: ['credential_offer_not_found', 'credential_offer_ended'],
  changeCredentialStatus: [
    'credential_offer_not_found',
    'credential_not_issued',
    'credential_without_status',
    'credential_revocation_final',
  ],
  isLive: [],
  isReady: [],
  listCallbackKeys: [],
  listCallbacks: [],
  retryCallbacks: [],
  testCallbacks: [],
  replayCallbacks: [],
  retryCallback: ['callback_not_found'],
  replayCallback: ['callback_not_found', 'callback_not_replayable'],
  dropCallback: ['callback_not_found'],
  EntityCreateV1: ['idempotency_conflict'],
  EntityListV1: [],
  WalletListV1: ['entity_not_found'],
  WalletCreateV1: ['entity_not_found', 'idempotency_conflict'],
  CredentialGetV1: ['wallet_not_found', 'credential_not_found'],
  CredentialListV1: ['wallet_not_found'],
  CredentialImportV1: ['wallet_not_found', 'credential_exists', 'idempotency_conflict'],
  PresentationGetV1: ['wallet_not_found', 'presentation_not_found'],
  PresentationListV1: ['wallet_not_found'],
  PresentationCreateV1: ['wallet_not_found', 'credential_not_found', 'transition_forbidden', 'idempotency_conflict'],
  PresentationUpdateV1: [...PRESENTATION_CHANGE, 'credential_not_found'],
  PresentationIssueV1: PRESENTATION_CHANGE,
  PresentationAbandonV1: PRESENTATION_CHANGE,
  PresentationPresentV1: ['wallet_not_found', 'presentation_not_found', 'transition_forbidden', 'credential_exists'],
  SchemaCreate: ['idempotency_conflict'],
  SchemaGet: ['schema_not_found'],
  SchemaUpdate: SCHEMA_CHANGE,
  SchemaPublish: [...SCHEMA_CHANGE, 'entity_not_found', 'schema_version_taken', 'schema_version_outdated'],
  SchemaSearch: [],
  PublishedSchemaSearch: [],
  DraftCreate: ['wallet_not_found', 'idempotency_conflict'],
  DraftGet: ['draft_not_found'],
  DraftUpdate: DRAFT_CHANGE,
  DraftSearch: [],
  DraftIssue: [...DRAFT_CHANGE, 'draft_incomplete', 'json_schema_violated', 'json_schema_unknown'],
  DraftAbandon: DRAFT_CHANGE,
  GetCredentialClaimValues: ['credential_not_found'],
  CredentialStatusGet: ['credential_not_found', 'credential_without_status'],
  CredentialStatusChange: ['credential_not_found', 'credential_without_status', 'credential_revocation_final'],
};

/** Operations that judge W3C documents, and so fail with the codes `vc_…` too. */
const JUDGE_DOCUMENTS: ReadonlySet<string> = new Set([
  'CredentialImportV1',
  'PresentationCreateV1',
  'PresentationIssueV1',
  'PresentationPresentV1',
  'DraftCreate',
  'DraftUpdate',
  'DraftIssue',
]);

/** Answer without problem details: probes. */
const PROBES: ReadonlySet<string> = new Set(['isLive', 'isReady']);

const UNAVAILABLE = [
  'management_token_keys_unavailable',
  'service_unavailable',
  'service_timeout',
  'contract_version_mismatch',
  'database_unavailable',
  'database_not_writable',
  'database_outcome_unknown',
  'database_timeout',
  'tenant_busy',
  'search_timeout',
  'canonicalizer_busy',
  'canonicalizer_failed',
];
/** Only what reads status lists fails with it. */
const LIST_UNAVAILABLE = 'vc_status_unavailable';
const READ_STATUS_LISTS: ReadonlySet<string> = new Set(['CredentialImportV1']);
const OF_MANAGEMENT = [
  'management_key_missing',
  'management_key_invalid',
  'management_token_invalid',
  'scope_missing',
  'client_certificate_required',
  'client_certificate_not_allowed',
];

/** What the rules of the listeners say about an operation. */
export interface Judged {
  readonly operationId: string;
  readonly method: string;
  /** In the path. */
  readonly hasParameters: boolean;
  /** Needs `X-API-KEY`, and is on the public listener too. */
  readonly ofTenant: boolean;
  /** Of the schema and draft API, which has versions. */
  readonly versioned: boolean;
}

function codesOf({ operationId, method, hasParameters, ofTenant, versioned }: Judged): readonly string[] {
  const own = OWN[operationId];
  if (own === undefined) throw new RangeError(`it is not said what ${operationId} fails with`);
  const takesBody = method !== 'get';
  return [
    'invalid_request',
    ...own,
    ...OF_MANAGEMENT,
    ...(hasParameters ? ['route_not_found'] : []),
    ...(takesBody
      ? ['foreign_page', 'invalid_json', 'body_too_large', 'message_too_large', 'unsupported_media_type']
      : []),
    ...(ofTenant ? ['api_key_missing', 'api_key_invalid', 'rate_limited'] : []),
    ...(versioned ? ['api_version_unknown', 'api_version_gone'] : []),
    'internal_error',
    ...UNAVAILABLE,
    ...(READ_STATUS_LISTS.has(operationId) ? [LIST_UNAVAILABLE] : []),
  ];
}

/** The status of a code, as in the table that has it. Throws a RangeError for a code that no table has. */
function statusOf(code: string): number {
  const status = UNAVAILABLE.includes(code) ? 503 : STATUSES[code]?.status;
  if (status === undefined) throw new RangeError(`no table has the code ${code}`);
  return status;
}

/** A way in which an operation fails. */
export interface Failure {
  readonly description: string;
  readonly codes: readonly string[];
}

/**
 * Every status that an operation fails with, with the codes of its problem details. They are no part of the schema: a
 * client whose type of `code` were an enumeration could not read an error that a newer version has added.
 */
export function failuresOf(operation: Judged): ReadonlyMap<string, Failure> {
  if (PROBES.has(operation.operationId)) return new Map();
  const byStatus = new Map<number, string[]>();
  for (const code of codesOf(operation)) {
    const status = statusOf(code);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map(
    [...byStatus]
      .sort(([one], [other]) => one - other)
      .map(([status, codes]) => {
        const judges = status === 400 && JUDGE_DOCUMENTS.has(operation.operationId);
        const names = [...codes.map((code) => `\`${code}\``), ...(judges ? ['those that begin with `vc_`'] : [])];
        const description = `${DESCRIPTIONS[status] ?? 'A failure'}. Codes: ${names.join(', ')}`;
        return [String(status), { description, codes }];
      }),
  );
}
