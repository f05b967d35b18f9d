import {
  addressFaults,
  callbackUrlOf,
  judge,
  presentationRequestBody,
  type CallbackUrlFault,
  type Hints,
} from '@vestibule/contracts';
import { DEFAULT_DCQL_LIMITS, parseDcqlQuery, requiresHolderBinding, type DcqlQuery } from '@vestibule/dcql';
import { jsonPathFaults } from './json-path-faults';
import { chooseRegistration, NO_REGISTRATIONS, type Registrations } from './registration';
import { registrationsOf, relyingPartyFaults, type RelyingParties } from './relying-party';
import { ApiError, type Fault, type JsonObject } from '@vestibule/foundation';
import {
  parseTransactionData,
  redirectUriFault,
  type RedirectUriRules,
  type ScaRules,
  type TransactionDatum,
} from '@vestibule/oid4vp';

/** A valid body, from which a presentation request can be made. */
export interface AcceptedBody {
  readonly query: DcqlQuery;
  readonly expiresInSeconds: number;
  readonly transactionData: readonly TransactionDatum[];
  readonly redirectUri?: string;
  readonly callbackUrl?: string;
  readonly registrationId?: string;
  /** In whose name; the default relying party if absent. */
  readonly relyingParty?: string;
  /** What is asked for beyond the registration, where that is only reported. */
  readonly unregistered: readonly Fault[];
  /** The wallet to invoke; the configured one if absent. */
  readonly authorizationEndpoint?: string;
}

/** Judges the addresses that a body may name, and its payments. */
export interface BodyRules {
  readonly sca: ScaRules;
  /** Those of the default relying party. */
  readonly registrations: Registrations;
  readonly relyingParties: RelyingParties;
  readonly redirectUri: RedirectUriRules;
  readonly callbackUrlFault: CallbackUrlFault;
  readonly authorizationEndpointFault: (text: string) => string | undefined;
}

function refuse(faults: readonly Fault[]): never {
  throw new ApiError({
    kind: 'invalid',
    code: 'invalid_request',
    detail: 'the presentation request is not valid',
    faults,
  });
}

function targetsOf(query: DcqlQuery) {
  return query.credentials.map(({ id }) => ({ id, holderBinding: requiresHolderBinding(query, id) }));
}

/** Elements are checked even if their list is too long or the query is faulty, so that every fault is listed. */
function transactionDataOf(body: JsonObject, query: DcqlQuery | undefined, rules: ScaRules) {
  const elements = body['transaction_data'];
  return parseTransactionData(Array.isArray(elements) ? elements : [], query && targetsOf(query), rules);
}

/** Chosen even if the query is faulty, so that every fault is listed; a name that is not a string is a fault already. */
function registrationOf(body: JsonObject, query: DcqlQuery | undefined, registrations: Registrations) {
  const named = body['intended_use'];
  return named === undefined || typeof named === 'string'
    ? chooseRegistration(registrations, named, query)
    : chooseRegistration(NO_REGISTRATIONS, undefined, query);
}

/** A name that is not a string is a fault already. */
function partyOf(body: JsonObject): string | undefined {
  const named = body['relying_party'];
  return typeof named === 'string' ? named : undefined;
}

const QUERY_PLACE = 'is not a known member here; its place is dcql_query.';
const OWN = 'is set by this service for each request: leave it out';

/** What backends write that come from DCQL, from OpenID4VP itself, or from its earlier drafts. */
const HINTS: Hints = {
  about: {
    credentials: `${QUERY_PLACE}credentials`,
    credential_sets: `${QUERY_PLACE}credential_sets`,
    claims: `${QUERY_PLACE}credentials[].claims`,
    format: `${QUERY_PLACE}credentials[].format`,
    meta: `${QUERY_PLACE}credentials[].meta`,
    vct_values: `${QUERY_PLACE}credentials[].meta.vct_values`,
    require_cryptographic_holder_binding: `${QUERY_PLACE}credentials[].require_cryptographic_holder_binding`,
    nonce: OWN,
    state: OWN,
    client_id: OWN,
    client_metadata: OWN,
    response_mode: OWN,
    response_type: OWN,
    response_uri: OWN,
    presentation_definition: 'is not supported: OpenID4VP 1.0 has dcql_query in its place',
  },
};

/** The query, whose faults are those of DCQL; that it is missing is said plainly. */
function queryOf(body: JsonObject) {
  const query = parseDcqlQuery(body['dcql_query'], DEFAULT_DCQL_LIMITS, 'dcql_query');
  if (query.ok || Object.hasOwn(body, 'dcql_query')) return query;
  return { ok: false as const, faults: [{ path: 'dcql_query', message: 'is required' }] };
}

const isJudgedElsewhere = ({ path }: Fault) => path === 'dcql_query' || path.startsWith('transaction_data[');

/**
 * Checks the body of `POST /oidc4vp`: all of DCQL, transaction data, the redirect address, the wallet to invoke, the
 * event's own receiver, the relying party, and whether everything that is asked for is registered.
 * Throws `invalid_request` with the path of every fault.
 */
export function parseRequestBody(body: JsonObject, rules: BodyRules): AcceptedBody {
  const judged = judge(presentationRequestBody, body, HINTS);
  const query = queryOf(body);
  const { callbackUrl, faults: callbackFaults } = callbackUrlOf(body, rules.callbackUrlFault);
  const transaction = transactionDataOf(body, query.ok ? query.query : undefined, rules.sca);
  const party = partyOf(body);
  const registrations = registrationsOf(rules.relyingParties, party, rules.registrations);
  const use = registrationOf(body, query.ok ? query.query : undefined, registrations);
  const faults = [
    ...judged.faults.filter((fault) => !isJudgedElsewhere(fault)),
    ...(query.ok ? [] : query.faults),
    ...jsonPathFaults(body),
    ...transaction.faults,
    ...relyingPartyFaults(rules.relyingParties, party),
    ...use.faults,
    ...addressFaults(body, 'redirect_uri', (text) => redirectUriFault(text, rules.redirectUri)),
    ...addressFaults(body, 'authorization_endpoint', rules.authorizationEndpointFault),
    ...callbackFaults,
  ];
  if (!judged.value || !query.ok || faults.length > 0) return refuse(faults);
  const {
    expires_in: expiresInSeconds,
    redirect_uri: redirectUri,
    authorization_endpoint: authorizationEndpoint,
  } = judged.value;
  return {
    query: query.query,
    expiresInSeconds,
    transactionData: transaction.data,
    unregistered: use.unregistered,
    ...(use.registration === undefined ? {} : { registrationId: use.registration.id }),
    ...(party === undefined ? {} : { relyingParty: party }),
    ...(redirectUri === undefined ? {} : { redirectUri }),
    ...(callbackUrl === undefined ? {} : { callbackUrl }),
    ...(authorizationEndpoint === undefined ? {} : { authorizationEndpoint }),
  };
}
