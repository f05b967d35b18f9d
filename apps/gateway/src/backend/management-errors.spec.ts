import { DomainError, ERROR_KINDS, type ErrorKind } from '@vestibule/foundation';
import { failing, formPost, jsonPost, startGateway, type Gateway, type Sent } from '../testing/gateway.stage';

const STATUSES: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  denied: 403,
  not_found: 404,
  conflict: 409,
  precondition_failed: 412,
  gone: 410,
  too_large: 413,
  unavailable: 503,
  internal: 500,
};
const faults = [
  { path: 'expiresIn', message: 'is not a known member; did you mean expires_in?' },
  { path: 'dcql_query', message: 'is missing' },
];
let thrown: unknown;
let gateway: Gateway;

beforeAll(async () => {
  const created = { state: 's', same_device_request_uri: 'openid4vp://a', cross_device_request_uri: 'openid4vp://b' };
  gateway = await startGateway({
    answers: {
      'verifier.presentation-request.create': () => {
        if (thrown === undefined) return created;
        throw thrown;
      },
      'verifier.presentation-request.get': failing('not_found', 'presentation_request_not_found'),
      'issuer.credential-offer.get': failing('not_found', 'credential_offer_not_found'),
    },
  });
});
beforeEach(() => {
  thrown = undefined;
});
afterAll(() => gateway.close());

const post = (sent: Sent) => gateway.toManagement('/oidc4vp', sent);

describe('errors of the management listener', () => {
  it.each(ERROR_KINDS)('of kind %s are problem details with the members of RFC 9457', async (kind) => {
    thrown = new DomainError({ kind, code: 'seal_broken', detail: 'a sentence' });
    const { status, headers, json } = await post(jsonPost({}));
    expect(status).toBe(STATUSES[kind]);
    expect(headers['content-type']).toMatch(/^application\/problem\+json(;|$)/);
    expect(headers['cache-control']).toBe('no-store');
    expect(json).toEqual({
      type: 'urn:vestibule:error:seal_broken',
      title: expect.any(String),
      status: STATUSES[kind],
      detail: expect.any(String),
      code: 'seal_broken',
      instance: headers['x-request-id'],
    });
    expect(headers['retry-after'] === undefined).toBe(kind !== 'unavailable');
    expect(headers['www-authenticate'] === undefined).toBe(kind !== 'unauthenticated');
  });

  it('list every wrong field', async () => {
    thrown = new DomainError({ kind: 'invalid', code: 'invalid_request', detail: 'a sentence', faults });
    expect((await post(jsonPost({}))).json['errors']).toEqual(faults);
  });

  it('say of an internal failure its code and nothing else', async () => {
    thrown = new DomainError({ kind: 'internal', code: 'database_error', detail: 'SQLSTATE 23505, constraint secret' });
    const known = await post(jsonPost({}));
    expect(known.json['code']).toBe('database_error');
    expect(known.text).not.toContain('23505');
    thrown = new TypeError('secret of the program');
    const unknown = await post(jsonPost({}));
    expect([unknown.status, unknown.json['code']]).toEqual([500, 'internal_error']);
    expect(unknown.text).not.toContain('secret');
    expect(gateway.lines.join('')).not.toContain('secret of the program');
  });

  it('say 503 with Retry-After when no service listens', async () => {
    const silent = await startGateway();
    try {
      const { status, headers, json } = await silent.toManagement('/oidc4vp', jsonPost({}));
      expect([status, json['code']]).toEqual([503, 'service_unavailable']);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    } finally {
      await silent.close();
    }
  });
});

describe('bodies on the management listener', () => {
  it.each<[string, Sent, string]>([
    ['no JSON', jsonPost('{"a":'), 'is not JSON'],
    ['a member name twice', jsonPost('{"a":1,"a":2}'), 'repeats the name'],
    ['a member name twice, deeper', jsonPost('{"a":{"b":1,"b":1}}'), 'repeats the name'],
    ['a member name twice, beside brackets', jsonPost(`{"a":"${'[\\"{'.repeat(40)}","b":1,"b":2}`), 'repeats the name'],
    ['an unpaired surrogate', jsonPost('{"a":["\\ud800"]}'), 'unpaired surrogate'],
    ['nesting of 33 levels', jsonPost(`${'['.repeat(33)}${']'.repeat(33)}`), 'more than 32 levels'],
    ['nesting of 130,000 levels', jsonPost(`${'['.repeat(130_000)}${']'.repeat(130_000)}`), 'more than 32 levels'],
    ['nesting without end', jsonPost('['.repeat(200_000)), 'is not JSON'],
    ['malformed UTF-8', { ...jsonPost(''), body: Buffer.from('{"a":"\xff"}', 'latin1') }, 'not UTF-8'],
    ['a byte order mark', { ...jsonPost(''), body: Buffer.from('\uFEFF{}') }, 'byte order mark'],
  ])('17.13 with %s are invalid_json, which says why', async (_what, sent, why) => {
    const { status, json } = await post(sent);
    expect([status, json['code'], json['detail']]).toEqual([400, 'invalid_json', expect.stringContaining(why)]);
  });

  it.each(['gzip', 'br', 'identity, gzip'])(
    '17.13 that are encoded with %s are refused, and say how to send them',
    async (encoding) => {
      const before = gateway.asked.length;
      const { status, json } = await post(jsonPost({}, ['content-encoding', encoding]));
      expect([status, json['code']]).toEqual([415, 'unsupported_media_type']);
      expect(json['detail']).toContain('without Content-Encoding');
      expect(gateway.asked).toHaveLength(before);
    },
  );

  it('that are encoded with identity are what they are', async () => {
    expect((await post(jsonPost({}, ['content-encoding', 'Identity']))).status).toBe(201);
  });

  it.each([
    ['{"claims":{"id":9007199254740993}}', ['claims.id']],
    ['{"claims":{"sum":1e999,"list":[1,{"a b":-1e999}]}}', ['claims.sum', 'claims.list[1]["a b"]']],
    ['{"transaction_data":[{"amount":0.12345678901234567891}]}', ['transaction_data[0].amount']],
    [
      '{"dcql_query":{"credentials":[{"claims":[{"values":[1e-400]}]}]}}',
      ['dcql_query.credentials[0].claims[0].values[0]'],
    ],
    ['12345678901234567890', ['']],
  ])('with numbers that would become others are invalid_request with every path: %s', async (body, paths) => {
    const { status, json } = await post(jsonPost(body));
    expect([status, json['code']]).toEqual([400, 'invalid_request']);
    expect((json['errors'] as { path: string }[]).map(({ path }) => path)).toEqual(paths);
  });

  it('with numbers that stay what they are reach the service unchanged', async () => {
    const sum = [0.1, 1.5, 9007199254740992, -9007199254740991, 1e21, 5e-324];
    expect((await post(jsonPost(`{"sum":[0.10,15e-1,9007199254740992,-9007199254740991,1E21,5e-324]}`))).status).toBe(
      201,
    );
    expect(gateway.questionOf('verifier.presentation-request.create')?.['body']).toEqual({ sum });
  });

  it.each<[string, Sent]>([
    ['an array', jsonPost([])],
    ['a string', jsonPost('"x"')],
    ['null', jsonPost('null')],
    ['nothing', { method: 'POST' }],
    ['nothing but a media type', jsonPost('')],
  ])('that are %s are invalid_request', async (_what, sent) => {
    const { status, json } = await post(sent);
    expect([status, json['code']]).toEqual([400, 'invalid_request']);
    expect(json['errors']).toEqual([{ path: 'body', message: expect.any(String) }]);
  });

  it.each<[string, Sent]>([
    ['a form', formPost('a=b')],
    ['text', { method: 'POST', headers: [['content-type', 'text/plain']], body: '{}' }],
    ['of no media type', { method: 'POST', body: '{}' }],
    ['of a malformed media type', { method: 'POST', headers: [['content-type', 'json']], body: '{}' }],
  ])('that are %s are unsupported_media_type', async (_what, sent) => {
    const { status, json } = await post(sent);
    expect([status, json['code']]).toEqual([415, 'unsupported_media_type']);
  });

  it('are JSON with parameters of the media type too', async () => {
    const sent = {
      method: 'POST',
      headers: [['Content-Type', 'Application/JSON; charset=utf-8']] as const,
      body: '{}',
    };
    expect((await post(sent)).status).toBe(201);
  });

  it.each([false, true])('may have 256 KiB and not one byte more (chunked: %s)', async (chunked) => {
    const ofSize = (size: number) => ({ ...jsonPost(`{"a":"${'x'.repeat(size - 8)}"}`), chunked });
    expect((await post(ofSize(262_144))).status).toBe(201);
    const { status, json } = await post(ofSize(262_145));
    expect([status, json['code']]).toEqual([413, 'body_too_large']);
    expect(json['detail']).toContain('256 KiB');
  });

  it('reach the service as they came', async () => {
    const body = { dcql_query: { credentials: [] }, expires_in: 5, unknown: { __proto__: null, a: [1, null] } };
    await post(jsonPost(body));
    expect(gateway.questionOf('verifier.presentation-request.create')).toEqual({ body });
  });
});

describe('addresses on the management listener', () => {
  it.each(['/nothing', '/oidc4vp/', '/oidc4vp/a/b', '/offers/a/b', '/OIDC4VP', '//oidc4vp'])(
    '%s is route_not_found',
    async (path) => {
      const { status, json } = await gateway.toManagement(path);
      expect([status, json['code']]).toEqual([404, 'route_not_found']);
    },
  );

  it.each([
    ['PUT', '/oidc4vp', 'POST, GET, HEAD'],
    ['POST', '/oidc4vp/a-state', 'GET, DELETE, HEAD'],
    ['DELETE', '/offers?x=1', 'POST, GET, HEAD'],
    ['GET', '/drafts', 'POST'],
    ['POST', '/schemas/an-id/publish', 'PATCH'],
    ['OPTIONS', '/offers', 'POST, GET, HEAD'],
    ['POST', '/health/ready', 'GET, HEAD'],
  ])('17.13 do not accept %s %s, and say what they accept', async (method, path, allow) => {
    const { status, headers, json } = await gateway.toManagement(path, { method });
    expect([status, json['code'], headers['allow']]).toEqual([405, 'method_not_allowed', allow]);
    expect(json['detail']).toContain(allow);
  });

  it.each(['/oidc4vp/%zz', '/oidc4vp/%E0%A4%A'])('%s is not a URL and a problem all the same', async (path) => {
    const { status, headers, json, text } = await gateway.toManagement(path, {
      headers: [['x-request-id', 'my-request-1']],
    });
    expect([status, json['code'], json['instance']]).toEqual([400, 'invalid_request', 'my-request-1']);
    expect(headers['x-request-id']).toBe('my-request-1');
    expect(text).not.toContain('oidc4vp');
    expect(gateway.lines.at(-1)).toContain('"my-request-1"');
  });

  it.each([
    ['/oidc4vp/', 'presentation_request_not_found'],
    ['/offers/', 'credential_offer_not_found'],
  ])('below %s that no id can have are not found, without asking a service', async (prefix, code) => {
    expect((await gateway.toManagement(`${prefix}unknown`)).json['code']).toBe(code);
    const before = gateway.asked.length;
    for (const id of ['a'.repeat(129), 'a'.repeat(500), '%00', '..%2Fa', 'a%20b', 'a.b']) {
      const { status, json } = await gateway.toManagement(`${prefix}${id}`);
      expect([status, json['code']]).toEqual([404, code]);
    }
    expect(gateway.asked).toHaveLength(before);
  });

  it('longer than any segment of ours are route_not_found', async () => {
    const { status, json, text } = await gateway.toManagement(`/oidc4vp/${'a'.repeat(2_000)}`);
    expect([status, json['code']]).toEqual([404, 'route_not_found']);
    expect(text).not.toContain('a'.repeat(20));
  });
});

describe('Idempotency-Key', () => {
  const key = (value: string) => post(jsonPost({}, ['idempotency-key', value]));

  it.each(['a'.repeat(32), 'A9-'.repeat(80), 'a'.repeat(256)])(
    'of 32 to 256 of A-Z a-z 0-9 - is accepted',
    async (value) => {
      expect((await key(value)).status).toBe(201);
      expect(gateway.questionOf('verifier.presentation-request.create')).toEqual({ body: {}, idempotencyKey: value });
    },
  );

  it.each(['', 'a'.repeat(31), 'a'.repeat(257), `${'a'.repeat(32)}_`, `${'a'.repeat(32)} b`])(
    'of another form (%s) is refused by name',
    async (value) => {
      const { status, json } = await key(value);
      expect([status, json['code']]).toEqual([400, 'invalid_request']);
      expect(json['errors']).toEqual([{ path: 'Idempotency-Key', message: expect.any(String) }]);
    },
  );

  it('must not come twice', async () => {
    const header = ['idempotency-key', 'a'.repeat(32)] as const;
    expect((await post(jsonPost({}, header, header))).status).toBe(400);
  });
});
