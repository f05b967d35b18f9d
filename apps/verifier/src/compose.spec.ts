import { randomBytes } from 'node:crypto';
import { composeVerifier, type VerifierAdapters } from './compose';
import { judgeDeps } from './testing/judge.fixture-spec';
import {
  answerForm,
  base64,
  CLIENT_ID,
  createWorld,
  NOW,
  pendingRequest,
  pidQuery,
  type World,
} from './testing/verifier.fixture-spec';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

/** A verifier over a store of one open request; `wins` says whether this process is the one that ends requests. */
function open({ wins }: { readonly wins: boolean }) {
  const request = pendingRequest();
  let woken = 0;
  const overdue = [request.state];
  const store: VerifierAdapters['store'] = {
    insert: (_request, answer) => Promise.resolve(answer),
    findPending: (state) => Promise.resolve(state === request.state ? request : undefined),
    finish: () => Promise.resolve(wins),
    findAccepted: () => Promise.resolve(undefined),
    isExpected: () => Promise.resolve(true),
    findView: () => Promise.resolve(undefined),
    findOverdue: () => Promise.resolve(overdue.splice(0)),
    expire: (endings) => Promise.resolve(wins ? endings.length : 0),
    purge: () => Promise.resolve(0),
  };
  const verifier = composeVerifier({
    clock: () => NOW,
    random: randomBytes,
    stopwatch: () => 0,
    awaitedMilliseconds: () => Infinity,
    baseUrl: 'https://connector.example',
    redirectUriRules: { appSchemes: [], allowHttp: false },
    callbackUrlFault: () => undefined,
    certificate: {
      currentClientId: () => CLIENT_ID,
      signerOf: () => ({ key: world.pki.verifier.privateKey, x5c: world.pki.verifier.chain.map(base64) }),
    },
    ...judgeDeps(world),
    store,
    wakeDelivery() {
      woken += 1;
    },
  });
  return { verifier, request, woken: () => woken };
}

describe('the verifier', () => {
  it('wakes the delivery of callbacks when a response ended a request', async () => {
    const { verifier, request, woken } = open({ wins: true });
    await verifier.submitPresentation({ state: request.state, form: await answerForm(world, request) });
    expect(woken()).toBe(1);
  });

  it('does not when another process was faster', async () => {
    const { verifier, request, woken } = open({ wins: false });
    const lost = verifier.submitPresentation({ state: request.state, form: await answerForm(world, request) });
    await expect(lost).rejects.toMatchObject({ code: 'invalid_request' });
    await verifier.expirePresentationRequests();
    expect(woken()).toBe(0);
  });

  it('wakes the delivery of callbacks when a sweep ended a request', async () => {
    const { verifier, woken } = open({ wins: true });
    expect(await verifier.expirePresentationRequests()).toMatchObject({ expired: 1 });
    expect(woken()).toBe(1);
  });

  it('makes requests and serves them', async () => {
    const { verifier, request } = open({ wins: true });
    const { state } = await verifier.createPresentationRequest({ body: { dcql_query: { credentials: [pidQuery()] } } });
    expect(state).toMatch(/^[\w-]{32}$/);
    const { requestObject } = await verifier.getRequestObject({ state: request.state, flowType: 'same-device' });
    expect(requestObject.split('.')).toHaveLength(3);
    await expect(verifier.getPresentationRequest({ state })).rejects.toMatchObject({ kind: 'not_found' });
  });
});
