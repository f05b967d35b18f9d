import { randomBytes } from 'node:crypto';
import { composeVerifier, type VerifierAdapters } from '../compose';
import type { PendingRequest } from '../domain/presentation-request';
import type { Ending } from '../use-cases/submit-presentation';
import { judgeDeps } from './judge.fixture-spec';
import { base64, CLIENT_ID, NOW, pidQuery, type World } from './verifier.fixture-spec';

/** Keeps requests and their endings as they are. */
function memoryStore() {
  const requests = new Map<string, PendingRequest>();
  const endings: Ending[] = [];
  const store: VerifierAdapters['store'] = {
    insert(request, answer) {
      requests.set(request.state, request);
      return Promise.resolve(answer);
    },
    findPending: (state) => Promise.resolve(requests.get(state)),
    finish(ending) {
      endings.push(ending);
      return Promise.resolve(true);
    },
    findAccepted: () => Promise.resolve(undefined),
    isExpected: () => Promise.resolve(true),
    findView: () => Promise.resolve(undefined),
    findOverdue: () => Promise.resolve([]),
    expire: () => Promise.resolve(0),
    purge: () => Promise.resolve(0),
  };
  return { store, endings, requestOf: (state: string) => requests.get(state) as PendingRequest };
}

/** The use cases of a verifier at NOW over memory, with the adapters that a test is about. */
export function runVerifier(world: World, adapters: Partial<VerifierAdapters>) {
  const { store, endings, requestOf } = memoryStore();
  const { privateKey, chain } = world.pki.verifier;
  const verifier = composeVerifier({
    clock: () => NOW,
    random: randomBytes,
    stopwatch: () => 0,
    awaitedMilliseconds: () => Infinity,
    baseUrl: 'https://connector.example',
    redirectUriRules: { appSchemes: [], allowHttp: false },
    callbackUrlFault: () => undefined,
    certificate: { currentClientId: () => CLIENT_ID, signerOf: () => ({ key: privateKey, x5c: chain.map(base64) }) },
    ...judgeDeps(world),
    loadPublishedKeys: () => Promise.resolve([]),
    store,
    wakeDelivery: () => undefined,
    ...adapters,
  });
  return {
    verifier,
    endings,
    /** A new request for one credential, as it is stored. */
    async ask(): Promise<PendingRequest> {
      const body = { dcql_query: { credentials: [pidQuery()] } };
      return requestOf((await verifier.createPresentationRequest({ body })).state);
    },
  };
}
