import { failing, startGateway, type Gateway } from '../testing/gateway.stage';

const ITEM = {
  id: 'event-1',
  service: 'verifier',
  subject: 'state-1',
  status: 'FULFILLED',
  state: 'waiting',
  attempts: 2,
  last_result: 'http_500',
  created_at: '2026-03-01T12:00:00.000Z',
  age_seconds: 4,
  next_attempt_at: '2026-03-01T12:00:08.000Z',
  expires_at: '2026-03-02T12:00:00.000Z',
};

const TESTED = {
  service: 'verifier',
  delivered: true,
  result: 'http_204',
  milliseconds: 3,
  webhook_id: 'event-2',
  signatures: ['v1'],
};

const KEYS = { service: 'verifier', keys: [{ scheme: 'v1' }, { scheme: 'v1a', public_key: 'whpk_AAAA' }] };

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    answers: {
      'verifier.callback.list': { items: [ITEM], nextCursor: 'event-1' },
      'issuer.callback.list': { items: [] },
      'verifier.callback.retry': { retried: 3 },
      'issuer.callback.retry': failing('not_found', 'callback_not_found'),
      'verifier.callback.drop': {},
      'issuer.callback.drop': failing('not_found', 'callback_not_found'),
      'verifier.callback.replay': { replayed: 2, more: true },
      'issuer.callback.replay': failing('conflict', 'callback_not_replayable'),
      'verifier.callback-key.list': KEYS,
      'issuer.callback-key.list': { service: 'issuer', keys: [] },
      'verifier.callback.test': TESTED,
      'issuer.callback.test': { ...TESTED, service: 'issuer', delivered: false, result: 'http_500' },
    },
  });
});
afterAll(() => gateway.close());

const post = { method: 'POST' };

describe('GET /callbacks/{service}', () => {
  it('lists what waits, a hundred on a page, with the address of the next one', async () => {
    const { status, text, headers } = await gateway.toManagement('/callbacks/verifier');
    expect([status, JSON.parse(text)]).toEqual([200, [ITEM]]);
    expect(headers['link']).toBe('<verifier?cursor=callbacks.event-1>; rel="next"');
    expect(gateway.questionOf('verifier.callback.list')).toEqual({ state: 'waiting', limit: 100 });
  });

  it('hands state, limit and cursor on', async () => {
    const { status, text } = await gateway.toManagement(
      '/callbacks/issuer?state=dead&limit=5&cursor=callbacks.event-9',
    );
    expect([status, text]).toEqual([200, '[]']);
    expect(gateway.questionOf('issuer.callback.list')).toEqual({ state: 'dead', limit: 5, cursor: 'event-9' });
  });

  it.each([
    ['state=open', 'state'],
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['page=2', 'page'],
  ])('refuses ?%s', async (query, path) => {
    const { status, json } = await gateway.toManagement(`/callbacks/verifier?${query}`);
    expect([status, json['errors']]).toEqual([400, [expect.objectContaining({ path })]]);
  });
});

describe('POST /callbacks/{service}/retry', () => {
  it('retries all, or those of one event', async () => {
    expect((await gateway.toManagement('/callbacks/verifier/retry', post)).json).toEqual({ retried: 3 });
    expect(gateway.questionOf('verifier.callback.retry')).toEqual({});
    const { status, json } = await gateway.toManagement('/callbacks/verifier/event-1/retry', post);
    expect([status, json]).toEqual([200, { retried: 3 }]);
    expect(gateway.questionOf('verifier.callback.retry')).toEqual({ id: 'event-1' });
  });

  it.each(['/callbacks/issuer/event-1/retry', '/callbacks/issuer/no%20id/retry'])(
    'says callback_not_found: %s',
    async (path) => {
      const { status, json } = await gateway.toManagement(path, post);
      expect([status, json['code']]).toEqual([404, 'callback_not_found']);
    },
  );
});

describe('DELETE /callbacks/{service}/{id}', () => {
  it('gives an event up', async () => {
    const { status, text } = await gateway.toManagement('/callbacks/verifier/event-1', { method: 'DELETE' });
    expect([status, text]).toEqual([204, '']);
    expect(gateway.questionOf('verifier.callback.drop')).toEqual({ id: 'event-1' });
  });

  it.each(['/callbacks/issuer/event-1', '/callbacks/issuer/no%20id'])('says callback_not_found: %s', async (path) => {
    const { status, json } = await gateway.toManagement(path, { method: 'DELETE' });
    expect([status, json['code']]).toEqual([404, 'callback_not_found']);
  });
});

describe('POST /callbacks/{service}/replay', () => {
  it('replays all, or one', async () => {
    expect((await gateway.toManagement('/callbacks/verifier/replay', post)).json).toEqual({ replayed: 2, more: true });
    expect(gateway.questionOf('verifier.callback.replay')).toEqual({});
    expect((await gateway.toManagement('/callbacks/verifier/event-1/replay', post)).status).toBe(200);
    expect(gateway.questionOf('verifier.callback.replay')).toEqual({ id: 'event-1' });
  });

  it('says where an event cannot be rebuilt', async () => {
    const { status, json } = await gateway.toManagement('/callbacks/issuer/event-1/replay', post);
    expect([status, json['code']]).toEqual([409, 'callback_not_replayable']);
  });
});

describe('POST /callbacks/test', () => {
  const test = (body?: object) =>
    gateway.toManagement('/callbacks/test', {
      method: 'POST',
      ...(body ? { headers: [['content-type', 'application/json']] as const, body: JSON.stringify(body) } : {}),
    });

  it('asks both services, or one, and says what became of each event', async () => {
    const both = await test();
    expect([both.status, JSON.parse(both.text)]).toEqual([
      200,
      [TESTED, expect.objectContaining({ service: 'issuer', delivered: false, result: 'http_500' })],
    ]);
    expect(gateway.questionOf('issuer.callback.test')).toEqual({});
    const one = await test({ service: 'verifier', callback_url: 'https://b.example/hook' });
    expect([one.status, JSON.parse(one.text)]).toEqual([200, [TESTED]]);
    expect(gateway.questionOf('verifier.callback.test')).toEqual({ url: 'https://b.example/hook' });
  });

  it.each([
    [{ service: 'wallet-store' }, 'service'],
    [{ callback_url: 5 }, 'callback_url'],
    [{ url: 'https://b.example' }, 'url'],
  ])('refuses %j', async (body, path) => {
    const { status, json } = await test(body);
    expect([status, json['errors']]).toEqual([400, [expect.objectContaining({ path })]]);
  });
});

describe('GET /callbacks/keys', () => {
  it('lists the keys of both services, and is not taken for a service of this name', async () => {
    const { status, text } = await gateway.toManagement('/callbacks/keys');
    expect([status, JSON.parse(text)]).toEqual([200, [KEYS, { service: 'issuer', keys: [] }]]);
  });

  it.each(['/callbacks/keys/', '/callbacks/keys/x/y/z', '/callbacks/Keys'])('has nothing at %s', async (path) => {
    expect((await gateway.toManagement(path)).status).toBe(404);
  });
});

describe('another service', () => {
  it.each(['/callbacks/wallet-store', '/callbacks/gateway', '/callbacks'])('has no such route: %s', async (path) => {
    const { status, json } = await gateway.toManagement(path);
    expect([status, json['code']]).toEqual([404, 'route_not_found']);
  });

  it('is the public listener’s: it knows nothing of this', async () => {
    expect((await gateway.toPublic('/callbacks/verifier')).status).toBe(404);
  });
});
