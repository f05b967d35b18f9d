import { randomBytes } from 'node:crypto';
import { localSigner } from '@vestibule/crypto';
import type { PresentationRequests } from '../domain/ports';
import type { Ending } from '../domain/presentation-ending';
import type { PendingRequest } from '../domain/presentation-request';
import { NO_REGISTRATIONS } from '../domain/registration';
import { presentedCredentialsEvent } from '../domain/presented-credentials-event';
import {
  createPresentationRequest,
  type CreatePresentationRequestDeps,
} from '../use-cases/create-presentation-request';
import { expirePresentationRequests } from '../use-cases/expire-presentation-requests';
import { getPresentationRequest } from '../use-cases/get-presentation-request';
import { getRequestObject, type GetRequestObjectDeps } from '../use-cases/get-request-object';
import { submitPresentation, type SubmitPresentationDeps } from '../use-cases/submit-presentation';
import { judgeDeps, judgeOver, type JudgeDeps } from './judge.fixture-spec';
import { base64, CLIENT_ID, NOW, pidQuery, type World } from './verifier.fixture-spec';

/** What the use cases of a verifier need together. */
interface VerifierDeps
  extends
    JudgeDeps,
    PresentationRequests,
    Omit<CreatePresentationRequestDeps, 'requests'>,
    GetRequestObjectDeps,
    Omit<SubmitPresentationDeps, 'judge' | 'requests'> {}

/** The use cases of a verifier at NOW over a store, with the adapters that a test is about. */
export function openVerifier(world: World, requests: PresentationRequests, adapters: Partial<VerifierDeps> = {}) {
  const { privateKey, chain } = world.pki.verifier;
  const deps: VerifierDeps = {
    clock: () => NOW,
    random: randomBytes,
    stopwatch: () => 0,
    awaitedMilliseconds: () => Infinity,
    eventOf: ({ state }, outcome) => presentedCredentialsEvent(state, outcome),
    baseUrl: 'https://connector.example',
    accepted: { redirectUri: { appSchemes: [], allowHttp: false }, callbackUrlFault: () => undefined },
    frontChannel: { authorizationEndpoint: 'openid4vp://', requestUriMethod: 'get' },
    currentClientId: () => CLIENT_ID,
    reportUnregistered: () => undefined,
    registrations: () => NO_REGISTRATIONS,
    signerOf: () => ({ ...localSigner(privateKey), x5c: chain.map(base64) }),
    ...judgeDeps(world),
    ...requests,
    ...adapters,
  };
  return {
    createPresentationRequest: createPresentationRequest({ ...deps, requests: deps }),
    getPresentationRequest: getPresentationRequest(deps),
    getRequestObject: getRequestObject(deps),
    submitPresentation: submitPresentation({ ...deps, requests: deps, judge: judgeOver(deps) }),
    expirePresentationRequests: expirePresentationRequests({
      ...deps,
      agreedTime: () => Promise.resolve(deps.clock()),
      rest: () => Promise.resolve(),
    }),
  };
}

/** Keeps requests and their endings as they are. */
function memoryStore() {
  const requests = new Map<string, PendingRequest>();
  const endings: Ending[] = [];
  const finish = (ending: Ending) => Promise.resolve(endings.push(ending) > 0);
  const store: PresentationRequests = {
    insert(request, answer) {
      requests.set(request.state, request);
      return Promise.resolve(answer);
    },
    recall: () => Promise.resolve(undefined),
    findPending: (state) => Promise.resolve(requests.get(state)),
    finish,
    cancel: finish,
    findAccepted: () => Promise.resolve(undefined),
    isExpected: () => Promise.resolve(true),
    findView: () => Promise.resolve(undefined),
    markUnserved: () => Promise.resolve(0),
    findOverdue: () => Promise.resolve([]),
    expire: () => Promise.resolve(0),
    purge: () => Promise.resolve(0),
  };
  return { store, endings, requestOf: (state: string) => requests.get(state) as PendingRequest };
}

/** The use cases of a verifier at NOW over memory, with the adapters that a test is about. */
export function runVerifier(world: World, adapters: Partial<VerifierDeps>) {
  const { store, endings, requestOf } = memoryStore();
  const verifier = openVerifier(world, store, { loadPublishedKeys: () => Promise.resolve([]), ...adapters });
  return {
    verifier,
    endings,
    requestOf,
    /** A new request for one credential, as it is stored. */
    async ask(): Promise<PendingRequest> {
      const body = { dcql_query: { credentials: [pidQuery()] } };
      return requestOf((await verifier.createPresentationRequest({ body })).state);
    },
  };
}
