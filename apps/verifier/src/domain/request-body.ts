import { presentationRequestBody, schemaFaults } from '@vestibule/contracts';
import { DEFAULT_DCQL_LIMITS, parseDcqlQuery, requiresHolderBinding, type DcqlQuery } from '@vestibule/dcql';
import { ApiError, type Fault, type JsonObject } from '@vestibule/foundation';
import {
  parseTransactionData,
  redirectUriFault,
  type RedirectUriRules,
  type TransactionDatum,
} from '@vestibule/oid4vp';

/** A backend's request that can be made into a presentation request. */
export interface AcceptedBody {
  readonly query: DcqlQuery;
  readonly expiresInSeconds: number;
  readonly transactionData: readonly TransactionDatum[];
  readonly redirectUri?: string;
}

const MEMBERS = Object.keys(presentationRequestBody.shape);

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

function redirectFaults(body: JsonObject, rules: RedirectUriRules): Fault[] {
  const redirectUri = body['redirect_uri'];
  const message = typeof redirectUri === 'string' ? redirectUriFault(redirectUri, rules) : undefined;
  return message === undefined ? [] : [{ path: 'redirect_uri', message }];
}

/**
 * Judges the body of `POST /oidc4vp`: all of DCQL, transaction data and the redirect address. Throws `invalid_request`
 * with every fault by its path.
 */
export function parseRequestBody(body: JsonObject, rules: RedirectUriRules): AcceptedBody {
  const parsed = presentationRequestBody.safeParse(body);
  const query = parseDcqlQuery(body['dcql_query'], DEFAULT_DCQL_LIMITS, 'dcql_query');
  const faults = [
    ...schemaFaults(parsed.error, MEMBERS).filter((fault) => fault.path !== 'dcql_query'),
    ...(query.ok ? [] : query.faults),
    ...redirectFaults(body, rules),
  ];
  if (!parsed.success || !query.ok || faults.length > 0) return refuse(faults);
  const transaction = parseTransactionData(parsed.data.transaction_data ?? [], targetsOf(query.query));
  if (transaction.faults.length > 0) return refuse(transaction.faults);
  const { expires_in: expiresInSeconds, redirect_uri: redirectUri } = parsed.data;
  return {
    query: query.query,
    expiresInSeconds,
    transactionData: transaction.data,
    ...(redirectUri === undefined ? {} : { redirectUri }),
  };
}
