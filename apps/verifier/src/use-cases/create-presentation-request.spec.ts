import { randomBytes } from 'node:crypto';
import { ApiError, DomainError, type JsonObject } from '@vestibule/foundation';
import type { PendingRequest } from '../domain/presentation-request';
import { at, CLIENT_ID, failsWith, NOW, pidQuery } from '../testing/verifier.fixture-spec';
import type { Repeatable } from '../domain/ports';
import { registration } from '../testing/registration.fixture-spec';
import { createPresentationRequest, type CreatePresentationRequestDeps } from './create-presentation-request';

const body = (more: JsonObject = {}): JsonObject => ({ dcql_query: { credentials: [pidQuery()] }, ...more });

type Store = CreatePresentationRequestDeps['requests'];

function open({
  requests,
  ...more
}: Partial<Omit<CreatePresentationRequestDeps, 'requests'> & { requests: Partial<Store> }> = {}) {
  const inserted: { request: PendingRequest; call: Repeatable | undefined }[] = [];
  const create = createPresentationRequest({
    clock: () => NOW,
    random: randomBytes,
    baseUrl: 'https://connector.example/w',
    accepted: { redirectUri: { appSchemes: [], allowHttp: false }, callbackUrlFault: () => undefined },
    frontChannel: { authorizationEndpoint: 'openid4vp://', requestUriMethod: 'get' },
    currentClientId: () => CLIENT_ID,
    reportUnregistered: () => undefined,
    requests: {
      insert(request, answer, call) {
        inserted.push({ request, call });
        return Promise.resolve(answer);
      },
      recall: () => Promise.resolve(undefined),
      ...requests,
    },
    ...more,
  });
  return { inserted, create };
}

async function created(input: JsonObject = body()) {
  const { inserted, create } = open();
  const answer = await create({ body: input });
  expect(inserted).toHaveLength(1);
  return { answer, request: inserted[0]?.request as PendingRequest };
}

describe('a new presentation request', () => {
  it('VP:B1 VP:C4 is answered with its state and the two URIs', async () => {
    const { answer, request } = await created();
    expect(Object.keys(answer)).toEqual(['state', 'same_device_request_uri', 'cross_device_request_uri']);
    expect(answer.state).toBe(request.state);
    for (const flowType of ['same-device', 'cross-device'] as const) {
      const uri = new URL(answer[flowType === 'same-device' ? 'same_device_request_uri' : 'cross_device_request_uri']);
      expect(uri.protocol).toBe('openid4vp:');
      expect([...uri.searchParams]).toEqual([
        ['client_id', CLIENT_ID],
        ['request_uri', `https://connector.example/w/oidc4vp/${answer.state}/request?flow_type=${flowType}`],
      ]);
    }
  });

  it('18.11 invokes the wallet that the backend names, else the configured one, and never both', async () => {
    const frontChannel = { authorizationEndpoint: 'eudiw://', requestUriMethod: 'post' } as const;
    const { create } = open({ frontChannel });
    const configured = await create({ body: body() });
    expect(configured.cross_device_request_uri).toMatch(/^eudiw:\/\/\?client_id=.*&request_uri_method=post$/);
    const named = await create({ body: body({ authorization_endpoint: 'https://w.example/a?l=de' }) });
    expect(named.same_device_request_uri).toMatch(/^https:\/\/w\.example\/a\?l=de&client_id=/);
    await expect(create({ body: body({ authorization_endpoint: 'eudiw://x' }) })).resolves.toBeDefined();
    await expect(open().create({ body: body({ authorization_endpoint: 'eudiw://' }) })).rejects.toThrow(ApiError);
  });

  it('VP:A7 VP:E20 VP:P10 is stored with the query, the client_id and the times', async () => {
    const { request } = await created(body({ expires_in: 30, redirect_uri: 'https://rp.example/' }));
    expect(request).toMatchObject({
      clientId: CLIENT_ID,
      dcqlQuery: { credentials: [pidQuery()] },
      redirectUri: 'https://rp.example/',
      transactionData: [],
      createdAt: NOW,
      expiresAt: at(30),
    });
    expect((await created()).request).toMatchObject({ expiresAt: at(600) });
  });

  it('VP:D4 has for each flow its own nonce and its own key', async () => {
    const { variants } = (await created()).request;
    expect(variants.map(({ flowType }) => flowType)).toEqual(['same-device', 'cross-device']);
    expect(new Set(variants.map(({ nonce }) => nonce)).size).toBe(2);
    expect(new Set(variants.map(({ kid }) => kid)).size).toBe(2);
  });

  it('VP:B4 VP:C13 VP:CM4 shares state, nonce and key with no other', async () => {
    const requests = await Promise.all(Array.from({ length: 100 }, async () => (await created()).request));
    const variants = requests.flatMap((request) => request.variants);
    expect(new Set(requests.map(({ state }) => state)).size).toBe(100);
    expect(new Set(variants.map(({ nonce }) => nonce)).size).toBe(200);
    expect(new Set(variants.map(({ kid }) => kid)).size).toBe(200);
    for (const { state } of requests) expect(state).toMatch(/^[\w-]{32}$/);
    for (const { nonce } of variants) expect(nonce).toMatch(/^[\w-]{43}$/);
  });

  it('is stored with the caller’s idempotency key and body, where there is one', async () => {
    const { inserted, create } = open();
    await create({ body: body(), idempotencyKey: 'k'.repeat(32) });
    await create({ body: body() });
    expect(inserted.map(({ call }) => call)).toEqual([{ key: 'k'.repeat(32), body: body() }, undefined]);
  });

  it('is answered with what the store remembers for a repeated call', async () => {
    const earlier = { state: 'earlier', same_device_request_uri: 'a', cross_device_request_uri: 'b' };
    const { create } = open({ requests: { insert: () => Promise.resolve(earlier) } });
    expect(await create({ body: body(), idempotencyKey: 'k'.repeat(32) })).toEqual(earlier);
  });
});

describe('a repeated call that would be refused now', () => {
  const earlier = { state: 'earlier', same_device_request_uri: 'a', cross_device_request_uri: 'b' };
  const key = 'k'.repeat(32);

  it('is answered as before', async () => {
    const asked: Repeatable[] = [];
    const recall = (call: Repeatable) => Promise.resolve(asked.push(call) > 0 ? earlier : undefined);
    const { create, inserted } = open({ requests: { recall } });
    expect(await create({ body: body({ expires_in: 0 }), idempotencyKey: key })).toEqual(earlier);
    expect([asked, inserted]).toEqual([[{ key, body: body({ expires_in: 0 }) }], []]);
  });

  it('is refused if there was none before, or without a key', async () => {
    await expect(open().create({ body: {}, idempotencyKey: key })).rejects.toThrow(ApiError);
    const { create } = open({ requests: { recall: () => Promise.resolve(earlier) } });
    await expect(create({ body: {} })).rejects.toThrow(ApiError);
  });
});

describe('18.5 a request of a registered relying party', () => {
  const registrations = (policy: 'enforce' | 'report') => () => ({
    policy,
    byDefault: registration(),
    all: [registration()],
  });
  const accepted = (policy: 'enforce' | 'report') => ({
    redirectUri: { appSchemes: [], allowHttp: false },
    callbackUrlFault: () => undefined,
    registrations: registrations(policy),
  });
  const modest = body({ dcql_query: { credentials: [pidQuery({ claims: [{ path: ['given_name'] }] })] } });

  it('is stored with the name of its registration', async () => {
    const { inserted, create } = open({ accepted: accepted('enforce') });
    await create({ body: modest });
    await create({ body: { ...modest, intended_use: 'login' } });
    expect(inserted.map(({ request }) => request.registrationId)).toEqual(['login', 'login']);
    expect((await created()).request).not.toHaveProperty('registrationId');
  });

  it('for more than is registered is refused with every claim, or reported and stored', async () => {
    const reported: unknown[] = [];
    const strict = open({ accepted: accepted('enforce') });
    const place = 'dcql_query.credentials[0].claims[1]';
    await expect(strict.create({ body: body() })).rejects.toMatchObject({ faults: [{ path: place }] });
    expect(strict.inserted).toEqual([]);
    const lenient = open({
      accepted: accepted('report'),
      reportUnregistered: (id, faults) => void reported.push([id, faults.map(({ path }) => path)]),
    });
    await lenient.create({ body: body() });
    expect(lenient.inserted).toHaveLength(1);
    await lenient.create({ body: modest });
    expect(reported).toEqual([['login', [place]]]);
  });
});

describe('a request that cannot be made', () => {
  it('VP:E1 is refused with its faults, and nothing is stored', async () => {
    const { inserted, create } = open();
    const error: unknown = await create({ body: body({ expires_in: 0, nonce: 'x' }) }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).faults.map(({ path }) => path).sort()).toEqual(['expires_in', 'nonce']);
    expect(inserted).toEqual([]);
  });

  it('VP:A4 fails at once where the access certificate is not valid, and nothing is stored', async () => {
    const { inserted, create } = open({
      currentClientId() {
        throw new DomainError({ kind: 'internal', code: 'signing_certificate_expired', detail: 'renew it' });
      },
    });
    await expect(create({ body: body() })).rejects.toEqual(failsWith('signing_certificate_expired'));
    expect(inserted).toEqual([]);
  });
});
