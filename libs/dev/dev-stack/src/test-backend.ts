import type {
  credentialOfferBody,
  credentialOfferCreated,
  presentationRequestBody,
  presentationRequestCreated,
} from '@vestibule/contracts';
import type { z } from 'zod';
import type { CallbackReceiver, ReceivedCallback } from './callback-receiver';
import { StackFailure } from './stack-failure';

/** The credential type of every stack, and valid claims for it. */
export const SAMPLE_TYPE = 'identity-card';
export const SAMPLE_CLAIMS = { given_name: 'Ada', family_name: 'Example', birthdate: '1990-01-31' };

/** The `vct` of the sample credential. */
export const sampleVct = (issuerUrl: string): string => `${issuerUrl}/oidc4vci/types/${SAMPLE_TYPE}`;

/**
 * The DCQL query for one claim of the sample credential; `credential` changes members of its credential query `card`.
 */
export function sampleQuery(issuerUrl: string, credential: object = {}) {
  const claims = [{ path: ['family_name'] }];
  const meta = { vct_values: [sampleVct(issuerUrl)] };
  return { credentials: [{ id: 'card', format: 'dc+sd-jwt' as const, meta, claims, ...credential }] };
}

/**
 * Members of `POST /offers` and of `POST /oidc4vp`; members that a credential type or the verifier validates may be any
 * object here.
 */
export type OfferMembers = Partial<Omit<z.input<typeof credentialOfferBody>, 'claims'>> & { readonly claims?: object };
export type RequestMembers = Partial<
  Omit<z.input<typeof presentationRequestBody>, 'dcql_query' | 'transaction_data'>
> & {
  readonly dcql_query?: object;
  readonly transaction_data?: readonly (object | string)[];
};

export interface ManagementAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Empty if the answer has no body. */
  readonly body: Record<string, unknown>;
}

/** One call of the management API. */
export type Management = (
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
  headers?: Readonly<Record<string, string>>,
) => Promise<ManagementAnswer>;

/** The addresses of a stack for a backend, and its issuer. */
export interface BackendAddresses {
  readonly managementUrl: string;
  readonly issuerUrl: string;
}

/** What a backend needs to start flows. */
export interface Backend {
  readonly issuerUrl: string;
  /** Creates an offer or a request and returns the body of the 201 answer. Rejects on any other answer. */
  create(path: '/offers' | '/oidc4vp', body: object): Promise<object>;
}

export function createManagement(managementUrl: string): Management {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(`${managementUrl}${path}`, {
      method,
      headers: body ? { 'content-type': 'application/json', ...headers } : headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    const { status } = response;
    return {
      status,
      headers: response.headers,
      body: text === '' ? {} : (JSON.parse(text) as ManagementAnswer['body']),
    };
  };
}

/** A backend that calls the management API. @throws StackFailure `backend_refused` from `create`, with the answer */
export function createBackend(
  { issuerUrl, managementUrl }: BackendAddresses,
  management: Management = createManagement(managementUrl),
): Backend {
  return {
    issuerUrl,
    async create(path, body) {
      const answer = await management('POST', path, body);
      if (answer.status === 201) return answer.body;
      throw new StackFailure(
        'backend_refused',
        `POST ${path} answers ${answer.status}: ${JSON.stringify(answer.body)}`,
      );
    },
  };
}

export interface Offer {
  readonly offerId: string;
  readonly uri: string;
  readonly txCode: string | undefined;
}

/** Offers the sample credential; `members` are added to the body or replace its members. */
export async function offerSample({ create }: Backend, members: OfferMembers = {}): Promise<Offer> {
  const body = { credential_configuration_id: SAMPLE_TYPE, claims: SAMPLE_CLAIMS, ...members };
  const made = (await create('/offers', body)) as z.infer<typeof credentialOfferCreated>;
  return { offerId: made.offer_id, uri: made.credential_offer_uri, txCode: made.tx_code_value };
}

export interface PresentationRequest {
  readonly state: string;
  readonly sameDevice: string;
  readonly crossDevice: string;
}

/** Requests the sample credential; `members` are added to the body or replace its members. */
export async function requestSample(
  { create, issuerUrl }: Backend,
  members: RequestMembers = {},
): Promise<PresentationRequest> {
  const body = { dcql_query: sampleQuery(issuerUrl), ...members };
  const made = (await create('/oidc4vp', body)) as z.infer<typeof presentationRequestCreated>;
  return {
    state: made.state,
    sameDevice: made.same_device_request_uri,
    crossDevice: made.cross_device_request_uri,
  };
}

/** The subject of a callback: the `state` of a request or the `offerId` of an offer; undefined for anything else. */
export function subjectOf(body: unknown): string | undefined {
  const { state, offerId } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const subject = state ?? offerId;
  return typeof subject === 'string' ? subject : undefined;
}

/** The callback with this status of a request or an offer. @throws StackFailure `callback_missing` */
export function waitForStatus(
  receiver: CallbackReceiver,
  id: string,
  status: string,
  milliseconds?: number,
): Promise<ReceivedCallback> {
  const tells = ({ body }: ReceivedCallback) =>
    subjectOf(body) === id && (body as { readonly status?: unknown }).status === status;
  return receiver.waitFor(tells, milliseconds);
}
