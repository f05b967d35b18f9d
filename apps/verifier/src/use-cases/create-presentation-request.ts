import { createTimedId } from '@vestibule/crypto';
import {
  answerAgain,
  schemeOf,
  type Clock,
  type JsonObject,
  type Fault,
  type RandomBytes,
} from '@vestibule/foundation';
import {
  authorizationEndpointFault,
  authorizationRequestUri,
  createFlowVariant,
  FLOW_TYPES,
  requestUri,
  type FrontChannelRequest,
  type ScaRules,
} from '@vestibule/oid4vp';
import type { CreatedAnswer, PresentationRequests, Repeatable, RequestSigners } from '../domain/ports';
import type { PendingRequest } from '../domain/presentation-request';
import { NO_REGISTRATIONS, type Registrations } from '../domain/registration';
import { NO_RELYING_PARTIES, type RelyingParties } from '../domain/relying-party';
import { parseRequestBody, type AcceptedBody, type BodyRules } from '../domain/request-body';

export interface CreatePresentationRequestDeps {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly baseUrl: string;
  /** What bodies may name. */
  readonly accepted: Pick<BodyRules, 'redirectUri' | 'callbackUrlFault'> & {
    /** Further types of transactions that need strong customer authentication. Default: none. */
    readonly scaTypes?: ScaRules['types'] | undefined;
    /** What is registered, as it is now. Default: nothing. */
    readonly registrations?: (() => Registrations) | undefined;
    /** The relying parties beside the default one, as they are now. Default: none. */
    readonly relyingParties?: (() => RelyingParties) | undefined;
  };
  /** The wallets to invoke where the backend names none, and how they fetch. */
  readonly frontChannel: Pick<FrontChannelRequest, 'authorizationEndpoint' | 'requestUriMethod'>;
  readonly currentClientId: RequestSigners['currentClientId'];
  readonly requests: Pick<PresentationRequests, 'insert' | 'recall'>;
  /** Is told what was requested although it is not registered. */
  readonly reportUnregistered: (registrationId: string | undefined, faults: readonly Fault[]) => void;
}

export interface CreatePresentationRequestInput {
  readonly body: JsonObject;
  readonly idempotencyKey?: string | undefined;
}

/** What the body may leave out. */
function choicesOf({ redirectUri, callbackUrl, registrationId, relyingParty }: AcceptedBody) {
  return {
    ...(redirectUri === undefined ? {} : { redirectUri }),
    ...(callbackUrl === undefined ? {} : { callbackUrl }),
    ...(registrationId === undefined ? {} : { registrationId }),
    ...(relyingParty === undefined ? {} : { relyingParty }),
  };
}

/**
 * A backend requests credentials: creates the request and the two URIs for the wallet. Throws `invalid_request` with
 * every fault, `idempotency_conflict` for a key that was used with another body before. A repeated call is answered as before
 * even if its body would be refused now, for example because the day of a payment is over.
 */
export function createPresentationRequest(deps: CreatePresentationRequestDeps) {
  const { frontChannel } = deps;
  const rules = {
    redirectUri: deps.accepted.redirectUri,
    callbackUrlFault: deps.accepted.callbackUrlFault,
    authorizationEndpointFault: (text: string) =>
      authorizationEndpointFault(text, [schemeOf(frontChannel.authorizationEndpoint)]),
  };
  const create = async (body: JsonObject, call: Repeatable | undefined): Promise<CreatedAnswer> => {
    const now = deps.clock();
    const relyingParties = deps.accepted.relyingParties?.() ?? NO_RELYING_PARTIES;
    const accepted = parseRequestBody(body, {
      ...rules,
      relyingParties,
      sca: { types: deps.accepted.scaTypes ?? new Map(), now },
      registrations: deps.accepted.registrations?.() ?? NO_REGISTRATIONS,
    });
    const { registrationId, relyingParty, unregistered } = accepted;
    const named = relyingParty === undefined ? undefined : relyingParties.get(relyingParty);
    if (unregistered.length > 0) deps.reportUnregistered(registrationId, unregistered);
    const request: PendingRequest = {
      state: createTimedId(now, deps.random),
      clientId: (named?.signers ?? deps).currentClientId(now),
      dcqlQuery: accepted.query.source,
      transactionData: accepted.transactionData,
      ...choicesOf(accepted),
      variants: FLOW_TYPES.map((flowType) => createFlowVariant(flowType, deps.random)),
      createdAt: now,
      expiresAt: new Date(now.getTime() + accepted.expiresInSeconds * 1000),
    };
    const uriOf = (flowType: (typeof FLOW_TYPES)[number]) =>
      authorizationRequestUri({
        ...frontChannel,
        ...(accepted.authorizationEndpoint === undefined
          ? {}
          : { authorizationEndpoint: accepted.authorizationEndpoint }),
        clientId: request.clientId,
        requestUri: requestUri(deps.baseUrl, request.state, flowType),
      });
    const answer: CreatedAnswer = {
      state: request.state,
      same_device_request_uri: uriOf('same-device'),
      cross_device_request_uri: uriOf('cross-device'),
    };
    return deps.requests.insert(request, answer, call);
  };
  return function createPresentationRequest(input: CreatePresentationRequestInput): Promise<CreatedAnswer> {
    const { body, idempotencyKey: key } = input;
    const call = key === undefined ? undefined : { key, body };
    return answerAgain(
      () => create(body, call),
      () => (call ? deps.requests.recall(call) : Promise.resolve(undefined)),
    );
  };
}
