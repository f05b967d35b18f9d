import { DomainError, ProcessingFailure, type Clock, type JsonObject, type RandomBytes } from '@vestibule/foundation';
import {
  buildRequestObject,
  encryptRequestObject,
  FLOW_TYPES,
  invalidRequest,
  parseRequestPost,
  responseUri,
  type FlowVariant,
} from '@vestibule/oid4vp';
import type { PresentationRequests, RequestSigners } from '../domain/ports';
import type { PendingRequest } from '../domain/presentation-request';
import type { Registrations } from '../domain/registration';
import type { RelyingParties, RelyingParty } from '../domain/relying-party';

export interface GetRequestObjectDeps {
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly findPending: PresentationRequests['findPending'];
  readonly random: RandomBytes;
  readonly signerOf: RequestSigners['signerOf'];
  /** What is registered, as it is now. */
  readonly registrations: () => Registrations;
  /** The relying parties beside the default one, as they are now. Default: none. */
  readonly relyingParties?: (() => RelyingParties) | undefined;
}

export interface GetRequestObjectInput {
  readonly state: string;
  readonly flowType?: string | undefined;
  /** The form of a POST; absent for a GET. */
  readonly form?: readonly (readonly [string, string])[] | undefined;
}

/** In whose name a request is signed, and what it says of them. */
interface Requester {
  readonly signerOf: RequestSigners['signerOf'];
  readonly registrations: RelyingParty['registrations'];
  readonly clientMetadata: RelyingParty['clientMetadata'];
}

/** Throws if the relying party is no longer configured: a request in another name would be another request. */
function partyOf(
  { relyingParty }: PendingRequest,
  { relyingParties, signerOf, registrations }: GetRequestObjectDeps,
): Requester {
  if (relyingParty === undefined) return { signerOf, registrations: registrations(), clientMetadata: {} };
  const party = relyingParties?.().get(relyingParty);
  if (!party)
    throw new ProcessingFailure('relying_party_removed', 'the relying party of the request is no longer configured');
  return { ...party, signerOf: (clientId, now) => party.signers.signerOf(clientId, now) };
}

function variantOf(request: PendingRequest, flowType: string): FlowVariant {
  return request.variants.find((variant) => variant.flowType === flowType) as FlowVariant;
}

/** Throws if the registration is no longer configured: a request without it would ask for something else. */
function verifierInfoOf({ registrationId }: PendingRequest, { all }: Registrations): readonly JsonObject[] {
  if (registrationId === undefined) return [];
  const registration = all.find(({ id }) => id === registrationId);
  if (registration) return registration.verifierInfo;
  throw new ProcessingFailure('registration_removed', 'the registration of the request is no longer configured');
}

/**
 * A wallet, or a link previewer, fetches the request (OpenID4VP 1.0 §5.10): this changes nothing and may be repeated.
 * The request object is signed, and then encrypted if the wallet's metadata contain a key for it.
 * Throws `invalid_request` for a wrong flow or form, `request_not_found` for an unknown, ended or expired request,
 * `registration_removed` and `relying_party_removed` if its registration or relying party is no longer configured, and
 * what the signer throws.
 */
export function getRequestObject(deps: GetRequestObjectDeps) {
  return async function getRequestObject(input: GetRequestObjectInput): Promise<{ requestObject: string }> {
    const now = deps.clock();
    const flowType = FLOW_TYPES.find((known) => known === input.flowType);
    if (!flowType) throw invalidRequest('flow_type_unknown');
    const { encryption, ...post } = input.form ? parseRequestPost(input.form) : {};
    const request = await deps.findPending(input.state, now);
    if (!request) {
      throw new DomainError({
        kind: 'not_found',
        code: 'request_not_found',
        detail: 'unknown, ended or expired request',
      });
    }
    const party = partyOf(request, deps);
    const requestObject = await buildRequestObject(
      {
        clientId: request.clientId,
        responseUri: responseUri(deps.baseUrl, request.state),
        state: request.state,
        variant: variantOf(request, flowType),
        dcqlQuery: request.dcqlQuery,
        transactionData: request.transactionData.map((datum) => datum.encoded),
        verifierInfo: verifierInfoOf(request, party.registrations),
        clientMetadata: party.clientMetadata,
        now,
        expiresAt: request.expiresAt,
        ...post,
      },
      party.signerOf(request.clientId, now),
    );
    return { requestObject: encryption ? encryptRequestObject(requestObject, encryption, deps.random) : requestObject };
  };
}
