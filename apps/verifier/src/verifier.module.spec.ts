/** @jest-environment ./tools/jest-context-environment.cjs */
import { Test } from '@nestjs/testing';
import { CALLBACKS, createWaking } from '@vestibule/callbacks';
import { localSigner } from '@vestibule/crypto';
import { DATABASE, SEALER } from '@vestibule/persistence';
import { loadConfiguration, createMetrics, ProcessModule, TRANSPORT, type ProcessContext } from '@vestibule/process';
import { verifierConfiguration } from './config';
import type { PresentationRequests } from './domain/ports';
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
import { createPresentationRequest } from './use-cases/create-presentation-request';
import { expirePresentationRequests } from './use-cases/expire-presentation-requests';
import { getPresentationRequest } from './use-cases/get-presentation-request';
import { getRequestObject } from './use-cases/get-request-object';
import { submitPresentation } from './use-cases/submit-presentation';
import { NO_REGISTRATIONS } from './domain/registration';
import { NO_RELYING_PARTIES } from './domain/relying-party';
import { EGRESS, KEYS, STORE, VerifierModule } from './verifier.module';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
const opened: { close(): Promise<void> }[] = [];
/** The module has the clock of the machine; nothing else of it is held. */
beforeEach(() => {
  const others = ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'nextTick', 'performance'] as const;
  jest.useFakeTimers({ now: NOW, doNotFake: [...others, 'hrtime', 'queueMicrotask', 'setInterval', 'clearInterval'] });
});
afterEach(async () => {
  jest.useRealTimers();
  await Promise.all(opened.splice(0).map((app) => app.close()));
});

const nothing = () => undefined;
const closed = () => Promise.resolve();
/** What has no default. */
const ENVIRONMENT = {
  NATS_URL: 'nats://nats.example',
  DATABASE_URL: 'postgres://database.example/verifier',
  SEALING_KEYS: Buffer.alloc(32).toString('base64url'),
  CALLBACK_URL: 'https://backend.example/callbacks',
  ACCESS_CERTIFICATE_FILE: 'access.pem',
  ACCESS_KEY: 'file:access.key',
  TRUST_FILE: 'trust.json',
  BASE_URL: 'https://connector.example',
};
const CONTEXT = {
  name: 'verifier',
  configuration: loadConfiguration(verifierConfiguration, ENVIRONMENT),
  logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  readiness: { require: nothing, showExpiry: nothing },
} as unknown as ProcessContext;

/** The real module over a store of one open request; `wins` says whether this process is the one that ends requests. */
async function open({ wins }: { readonly wins: boolean }) {
  const request = pendingRequest();
  let woken = 0;
  let overdue = [{ state: request.state, wasUnserved: false }];
  const store: PresentationRequests = {
    insert: (_request, answer) => Promise.resolve(answer),
    recall: () => Promise.resolve(undefined),
    findPending: (state) => Promise.resolve(state === request.state ? request : undefined),
    finish: () => Promise.resolve(wins),
    cancel: () => Promise.resolve(wins),
    findAccepted: () => Promise.resolve(undefined),
    isExpected: () => Promise.resolve(true),
    findView: () => Promise.resolve(undefined),
    markUnserved: () => Promise.resolve(0),
    findOverdue: () => Promise.resolve(overdue),
    expire: (endings) => {
      overdue = [];
      return Promise.resolve(wins ? endings.length : 0);
    },
    purge: () => Promise.resolve(0),
  };
  const { privateKey: key, chain } = world.pki.verifier;
  const certificate = {
    currentClientId: () => CLIENT_ID,
    signerOf: () => ({ ...localSigner(key), x5c: chain.map(base64) }),
  };
  const waking = createWaking(() => {
    woken += 1;
  });
  const values: [symbol, object][] = [
    [DATABASE, { close: closed, query: () => Promise.resolve([]) }],
    [SEALER, {}],
    [TRANSPORT, { isConnected: () => true }],
    [CALLBACKS, { waking, urlFault: nothing, purge: () => Promise.resolve(0), close: closed }],
    [
      KEYS,
      {
        certificate,
        trust: () => world.trust,
        registrations: () => NO_REGISTRATIONS,
        relyingParties: { all: () => NO_RELYING_PARTIES },
        close: closed,
      },
    ],
    [EGRESS, { close: closed }],
    [STORE, store],
  ];
  const builder = Test.createTestingModule({
    imports: [ProcessModule.register({ ...CONTEXT, metrics: createMetrics('verifier') }), VerifierModule],
  });
  for (const [token, value] of values) builder.overrideProvider(token).useValue(value);
  const app = await builder.compile();
  opened.push(app);
  return {
    request,
    woken: () => woken,
    create: app.get<ReturnType<typeof createPresentationRequest>>(createPresentationRequest),
    view: app.get<ReturnType<typeof getPresentationRequest>>(getPresentationRequest),
    requestObject: app.get<ReturnType<typeof getRequestObject>>(getRequestObject),
    submit: app.get<ReturnType<typeof submitPresentation>>(submitPresentation),
    expire: app.get<ReturnType<typeof expirePresentationRequests>>(expirePresentationRequests),
  };
}

describe('the verifier as its module wires it', () => {
  it('does not wake the delivery of callbacks when another process was faster', async () => {
    const { submit, expire, request, woken } = await open({ wins: false });
    const lost = submit({ state: request.state, form: await answerForm(world, request) });
    await expect(lost).rejects.toMatchObject({ code: 'invalid_request' });
    await expire();
    expect(woken()).toBe(0);
  });

  it('wakes the delivery of callbacks when a sweep ended a request', async () => {
    const { expire, woken } = await open({ wins: true });
    expect(await expire()).toBe(1);
    expect(woken()).toBe(1);
  });

  it('makes requests and serves them', async () => {
    const { create, requestObject, view, request } = await open({ wins: true });
    const { state } = await create({ body: { dcql_query: { credentials: [pidQuery()] } } });
    expect(state).toMatch(/^[\w-]{32}$/);
    const object = await requestObject({ state: request.state, flowType: 'same-device' });
    expect(object.requestObject.split('.')).toHaveLength(3);
    await expect(view({ state })).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('names the functions of its use cases, outside and inside', async () => {
    const { create, view, requestObject, submit, expire } = await open({ wins: true });
    expect([create, view, requestObject, submit, expire].map(({ name }) => name)).toEqual([
      'createPresentationRequest',
      'getPresentationRequest',
      'getRequestObject',
      'submitPresentation',
      'expirePresentationRequests',
    ]);
  });
});
