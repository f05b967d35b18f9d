import { ArgumentError, ConnectionError, createClient, ProblemError, UnexpectedResponseError } from './index';
import { VirtualServer, type Scripted } from './testing/virtual-server';

const QUERY = {
  credentials: [{ id: 'card', format: 'dc+sd-jwt' as const, meta: { vct_values: ['https://a.example'] } }],
};
const REQUEST = { dcql_query: QUERY };
const CREATED = { status: 201, body: { state: 's', same_device_request_uri: 'a', cross_device_request_uri: 'b' } };
const problem = (status: number, code: string, headers: Record<string, string> = {}): Scripted => ({
  status,
  headers: { 'x-request-id': 'request-1', ...headers },
  body: { type: `urn:vestibule:error:${code}`, title: 't', status, code, detail: 'd', instance: 'request-1' },
});
const BUSY = problem(503, 'service_unavailable');

describe('17.11 a call', () => {
  it('sends JSON to the operation, with a key of its own', async () => {
    const server = new VirtualServer(CREATED, CREATED);
    const client = server.client();
    expect(await server.end(client.presentationRequests.create(REQUEST))).toEqual(CREATED.body);
    await server.end(client.presentationRequests.create(REQUEST));
    const [first, second] = server.sent;
    expect(first).toMatchObject({
      url: 'http://vestibule.test:8081/oidc4vp',
      method: 'POST',
      redirect: 'manual',
      body: JSON.stringify(REQUEST),
    });
    const keys = [first, second].map((sent) => sent?.headers['idempotency-key']);
    expect(new Set(keys).size).toBe(2);
    for (const key of keys) expect(key).toMatch(/^[A-Za-z0-9-]{32,256}$/);
    expect(server.timers).toBe(0);
  });

  it('sends keys, also those that rotate, request id and version', async () => {
    const server = new VirtualServer();
    let turn = 0;
    const client = server.client({ apiKey: () => `key-${(turn += 1)}`, bearerKey: () => Promise.resolve('bearer') });
    await server.end(client.content.drafts.get('did:key:z', { requestId: 'request-7' }));
    await server.end(client.previousContent.call('DraftGet', { path: { id: 'did:key:z' } }));
    expect(server.sent.map(({ headers }) => headers)).toMatchObject([
      {
        'x-api-key': 'key-1',
        authorization: 'Bearer bearer',
        'x-request-id': 'request-7',
        'x-service-oas-version': '0.40.11',
      },
      { 'x-api-key': 'key-2', 'x-service-oas-version': '0.38.2' },
    ]);
    expect(server.sent[0]?.headers).not.toHaveProperty('idempotency-key');
    expect(server.sent[0]?.url).toBe('http://vestibule.test:8081/drafts/did%3Akey%3Az');
  });

  it('sends If-Match as an entity tag, however the etag is written', async () => {
    const server = new VirtualServer();
    const client = server.client();
    for (const ifMatch of ['7', '"7"']) await server.end(client.content.drafts.update('d', {}, { ifMatch }));
    expect(server.sent.map(({ headers }) => headers['if-match'])).toEqual(['"7"', '"7"']);
  });

  it('keeps the path of the base URL', async () => {
    const server = new VirtualServer();
    await server.end(server.client({ baseUrl: new URL('https://proxy.test/eudi/') }).offers.get('o', { wait: 5 }));
    expect(server.sent[0]?.url).toBe('https://proxy.test/eudi/offers/o?wait=5');
  });
});

describe('17.11 nothing is sent', () => {
  const client = () => new VirtualServer().client();
  it.each<[string, () => Promise<unknown>]>([
    ['with "." as an id, which is another path', () => client().offers.get('.')],
    ['with ".." as an id', () => client().offers.cancel('..')],
    ['with an empty id', () => client().presentationRequests.get('')],
    ['with half a character as an id', () => client().offers.get('\ud800')],
    ['without an id', () => client().offers.get(undefined as never)],
    ['with a short idempotency key', () => client().offers.create({} as never, { idempotencyKey: 'short' })],
    [
      'with an idempotency key that would have no effect',
      () => client().offers.get('o', { idempotencyKey: 'a'.repeat(32) }),
    ],
    ['with an etag that would have no effect', () => client().offers.cancel('o', { ifMatch: '1' })],
    ['with a request id of another form', () => client().offers.get('o', { requestId: 'a b c d e f' })],
    ['with a line break in a key', () => new VirtualServer().client({ apiKey: 'a\r\nx: y' }).offers.get('o')],
    ['with an empty key', () => new VirtualServer().client({ bearerKey: () => '' }).offers.get('o')],
  ])('%s', async (_what, call) => {
    await expect(call()).rejects.toBeInstanceOf(ArgumentError);
  });

  it('is one request to the path of an id with slashes', async () => {
    const server = new VirtualServer();
    await server.end(server.client().offers.get('../oidc4vp?x#y'));
    expect(server.sent[0]?.url).toBe('http://vestibule.test:8081/offers/..%2Foidc4vp%3Fx%23y');
  });

  it.each(['ftp://a.test', 'a.test', 'http://u:p@a.test', 'http://a.test/?b=c', 'http://a.test/#', ''])(
    'to %j',
    (baseUrl) => expect(() => createClient({ baseUrl })).toThrow(ArgumentError),
  );

  it.each([{ retries: -1 }, { timeoutMilliseconds: 0 }, { deadlineMilliseconds: 1.5 }, { retries: Number.NaN }])(
    'with %j',
    (limits) => expect(() => createClient({ baseUrl: 'http://a.test', ...limits })).toThrow(ArgumentError),
  );
});

describe('17.11 an attempt that fails', () => {
  it.each<[string, Scripted]>([
    ['503', BUSY],
    ['429', problem(429, 'too_many_requests')],
    ['502 of a proxy', { status: 502, body: '<html>', headers: { 'content-type': 'text/html' } }],
    ['504', problem(504, 'service_unavailable')],
    ['a broken connection', 'break'],
    ['no response', 'hang'],
  ])('with %s is repeated, with the same body and the same key', async (_what, failure) => {
    const server = new VirtualServer(failure, failure, CREATED);
    expect(await server.end(server.client().presentationRequests.create(REQUEST))).toEqual(CREATED.body);
    expect(server.sent).toHaveLength(3);
    expect(new Set(server.sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(new Set(server.sent.map(({ body }) => body)).size).toBe(1);
    expect(server.timers).toBe(0);
  });

  it('is repeated later and later, after a time that chance decides', async () => {
    const delays = async (random: number) => {
      const server = new VirtualServer(BUSY, BUSY, BUSY, BUSY, CREATED);
      await server.end(server.client({}, random).presentationRequests.create(REQUEST));
      return server.sent.map(({ at }) => at);
    };
    expect(await delays(1)).toEqual([0, 250, 750, 1750, 3750]);
    expect(await delays(0.5)).toEqual([0, 125, 375, 875, 1875]);
  });

  it('is not repeated before Retry-After, as seconds or as a date', async () => {
    const date = 'Sun, 01 Mar 2026 12:00:09 GMT';
    for (const [text, earliest] of [
      ['5', 5_000],
      [date, 9_000],
      ['soon', 0],
      ['-1', 0],
      ['1.5', 0],
    ] as const) {
      const server = new VirtualServer(problem(503, 'service_unavailable', { 'retry-after': text }), CREATED);
      await server.end(server.client().presentationRequests.create(REQUEST));
      expect(server.sent[1]?.at).toBe(earliest + 125);
    }
  });

  it('is the last if Retry-After is beyond the deadline', async () => {
    const server = new VirtualServer(problem(503, 'service_unavailable', { 'retry-after': '86400' }));
    const error = await server.end(server.client().presentationRequests.create(REQUEST));
    expect(error).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 86_400 });
    expect(server.sent).toHaveLength(1);
  });

  it('is the last after so many retries', async () => {
    const server = new VirtualServer(BUSY, BUSY, BUSY);
    const error = await server.end(server.client({ retries: 2 }).presentationRequests.create(REQUEST));
    expect(error).toMatchObject({ status: 503 });
    expect(server.sent).toHaveLength(3);
  });

  it('is not repeated if the call may have been executed and has no key', async () => {
    for (const failure of [BUSY, 'break', 'hang'] as const) {
      const server = new VirtualServer(failure);
      expect(await server.end(server.client().content.drafts.issue('d'))).toBeInstanceOf(Error);
      expect(server.sent).toHaveLength(1);
    }
    const limited = new VirtualServer(problem(429, 'too_many_requests'), { status: 200, body: {} });
    expect(await limited.end(limited.client().content.drafts.issue('d'))).toEqual({});
  });

  it.each([400, 401, 403, 404, 409, 412, 413, 415, 500])('with %s is not repeated', async (status) => {
    const server = new VirtualServer(problem(status, 'invalid_request'));
    expect(await server.end(server.client().presentationRequests.create(REQUEST))).toMatchObject({ status });
    expect(server.sent).toHaveLength(1);
  });
});

describe('17.11 time', () => {
  it('of a server that hangs ends with the deadline', async () => {
    const server = new VirtualServer('hang', 'hang', 'hang', 'hang', 'hang', 'hang');
    const limits = { timeoutMilliseconds: 400, deadlineMilliseconds: 1_000 };
    const error = await server.end(server.client(limits).presentationRequests.create(REQUEST));
    expect(error).toMatchObject({ name: 'ConnectionError', code: 'timeout' });
    expect(server.sent.map(({ at }) => at)).toEqual([0, 525]);
    expect(server.timers).toBe(0);
  });

  it('that the server was asked to wait comes on top', async () => {
    const server = new VirtualServer('hang');
    const client = server.client({ timeoutMilliseconds: 1_000, deadlineMilliseconds: 1_000, retries: 0 });
    const error = await server.end(client.presentationRequests.get('s', { wait: 30 }));
    expect((error as Error).message).toContain('31000 ms');
  });

  it('ends with the signal of the caller, during an attempt, between attempts and before the first', async () => {
    const reason = new Error('enough');
    const during = new VirtualServer('hang');
    const controller = new AbortController();
    const call = during.client().offers.get('o', { signal: controller.signal });
    await new Promise(setImmediate);
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    const between = new VirtualServer(BUSY);
    const second = new AbortController();
    const waiting = between.client().offers.get('o', { signal: second.signal });
    await new Promise(setImmediate);
    second.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    const before = new VirtualServer();
    await expect(before.client().offers.get('o', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect([during.timers, between.timers, before.timers, before.sent.length]).toEqual([0, 0, 0, 0]);
  });
});

describe('17.11 an error', () => {
  it('has code, faults and request id of the problem', async () => {
    const errors = [{ path: 'expiresIn', message: 'did you mean expires_in?' }];
    const scripted = {
      ...(problem(400, 'invalid_request') as object),
      body: { code: 'invalid_request', detail: 'd', errors },
    };
    const server = new VirtualServer(scripted as Scripted);
    const error = await server.end(server.client().presentationRequests.create(REQUEST));
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({
      name: 'ProblemError',
      status: 400,
      code: 'invalid_request',
      detail: 'd',
      faults: errors,
      requestId: 'request-1',
    });
  });

  it.each<[string, Scripted]>([
    ['a page of a proxy', { status: 404, body: '<html>', headers: { 'content-type': 'text/html' } }],
    ['a problem without code', { status: 400, body: { detail: 'd' } }],
    ['a problem that is a list', { status: 400, body: ['code'] }],
    ['a problem that is cut off', { status: 400, body: '{"code":' }],
    ['a redirect', { status: 302, headers: { location: 'https://elsewhere.test' } }],
    ['a page with 200', { status: 200, body: '<html>', headers: { 'content-type': 'text/html' } }],
    ['JSON that is cut off', { status: 200, body: '{"a":' }],
  ])('for %s is UnexpectedResponseError, and nothing is followed', async (_what, scripted) => {
    const server = new VirtualServer(scripted);
    const error = await server.end(server.client().offers.get('o'));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(server.sent).toHaveLength(1);
  });

  it('of the network keeps its cause', async () => {
    const server = new VirtualServer('break');
    const error = await server.end(server.client({ retries: 0 }).offers.get('o'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: 'network_error', cause: expect.any(TypeError) as Error });
  });
});
