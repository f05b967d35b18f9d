import { formPost, jsonPost, startGateway, type Gateway, type Sent } from '../testing/gateway.stage';

const MANAGEMENT: readonly (readonly [string, string])[] = [
  ['POST', '/oidc4vp'],
  ['GET', '/oidc4vp/a-state'],
  ['POST', '/offers'],
  ['GET', '/offers/an-offer'],
  ['GET', '/health/live'],
  ['GET', '/health/ready'],
  ['GET', '/openapi.json'],
];
/** Routes of the schema and draft API. */
const SCHEMAS: readonly (readonly [string, string])[] = [
  ['POST', '/schemas'],
  ['POST', '/schemas/search'],
  ['POST', '/published-schemas/search'],
  ['PATCH', '/schemas/an-id'],
  ['PATCH', '/schemas/an-id/publish'],
  ['POST', '/drafts'],
  ['POST', '/drafts/search'],
  ['PATCH', '/drafts/did:x:y'],
  ['POST', '/drafts/did:x:y/issue'],
  ['DELETE', '/drafts/did:x:y'],
  ['GET', '/credentials/did:x:y/values'],
];
const WALLET: readonly (readonly [string, string])[] = [
  ['GET', '/oidc4vp/a-state/request?flow_type=same-device'],
  ['POST', '/oidc4vp/a-state/request?flow_type=same-device'],
  ['POST', '/oidc4vp/a-state/response'],
  ['GET', '/oidc4vci/offers/an-offer'],
  ['POST', '/oidc4vci/token'],
  ['POST', '/oidc4vci/nonce'],
  ['POST', '/oidc4vci/challenge'],
  ['POST', '/oidc4vci/credential'],
  ['GET', '/oidc4vci/types/identity-card'],
  ['GET', '/.well-known/openid-credential-issuer'],
  ['GET', '/.well-known/oauth-authorization-server'],
  ['GET', '/.well-known/jwt-vc-issuer'],
];
const ALLOWED: Readonly<Record<string, string>> = {
  '/oidc4vp/a-state/request?flow_type=same-device': 'GET, POST, HEAD, OPTIONS',
  '/oidc4vci/offers/an-offer': 'GET, HEAD, OPTIONS',
  '/oidc4vci/types/identity-card': 'GET, HEAD, OPTIONS',
  '/.well-known/openid-credential-issuer': 'GET, HEAD, OPTIONS',
  '/.well-known/oauth-authorization-server': 'GET, HEAD, OPTIONS',
  '/.well-known/jwt-vc-issuer': 'GET, HEAD, OPTIONS',
};
const CONTENT: readonly (readonly [string, readonly string[]])[] = [
  ['/api/wallet/v1/entity', ['POST']],
  ['/api/wallet/v1/wallet', ['POST']],
  ['/api/wallet/v1/entities', ['GET']],
  ['/api/wallet/v1/wallets', ['GET']],
  ['/api/wallet/v1/credential/did:x:y', ['GET']],
  ['/api/wallet/v1/credentials', ['GET', 'POST']],
  ['/api/wallet/v1/vp/did:x:y', ['GET', 'DELETE', 'PATCH']],
  ['/api/wallet/v1/vp', ['GET', 'POST']],
  ['/api/wallet/v1/vp/did:x:y/issue', ['POST']],
  ['/api/wallet/v1/vp/did:x:y/present', ['POST']],
];

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const sent = (method: string, path: string): Sent => {
  if (method === 'GET') return {};
  return /token|response|request/.test(path) ? formPost('a=b') : jsonPost({});
};

describe('the two listeners', () => {
  it.each(MANAGEMENT)('C:5.1 VP:G12 %s %s exists on the management listener only', async (method, path) => {
    expect((await gateway.toManagement(path, sent(method, path))).json['code']).not.toBe('route_not_found');
    const { status, json } = await gateway.toPublic(path, sent(method, path));
    expect(status).toBe(404);
    expect(json['error']).toBe('invalid_request');
    if (path !== '/openapi.json') expect(json['error_description']).toMatch(/on the management listener$/);
  });

  it.each(WALLET)('C:4.5 %s %s exists on the public listener only', async (method, path) => {
    // No service listens here: 503 says that a route asked one.
    expect((await gateway.toPublic(path, sent(method, path))).status).toBe(503);
    const { status, json } = await gateway.toManagement(path, sent(method, path));
    expect([status, json['code']]).toEqual([404, 'route_not_found']);
    expect(json['detail']).toMatch(/on the public listener, below BASE_URL$/);
  });

  it.each([
    ['/oid4vp', '/oidc4vp'],
    ['/OIDC4VP', '/oidc4vp'],
    ['/offer', '/offers'],
    ['/api/v1/offers?limit=1', '/offers'],
    ['/health', '/health/live'],
    ['/oidc4vp/a/b/c', '/oidc4vp'],
    ['/callback/verifier', '/callbacks/{service}'],
    ['/callbacks/wallet-store', '/callbacks/{service}'],
  ])(
    'the management listener says of %s that %s was probably meant, and the public one does not',
    async (path, meant) => {
      const { status, json } = await gateway.toManagement(path);
      expect([status, json['code']]).toEqual([404, 'route_not_found']);
      expect(json['detail']).toBe(`this listener has no such path: did you mean ${meant}?`);
      const told = (await gateway.toPublic(path, { method: 'POST' })).json['error_description'];
      expect(told).not.toMatch(/did you mean/);
    },
  );

  it.each(['/nothing', '/token', '/a/b/c/offers', `/${'x'.repeat(1_000)}`])(
    'say nothing of the other one at %s, which it does not serve either',
    async (path) => {
      expect((await gateway.toManagement(path)).json['detail']).toBe('this listener has no such path');
      const { json } = await gateway.toPublic(path, { method: 'POST' });
      expect(json['error_description']).toBe('this listener has no such path');
    },
  );

  it.each(['/oidc4vp/', '/offers/abc/?wait=1', '/callbacks/test/'])(
    'says of %s that the slash at its end is in the way, and of other paths nothing of the kind',
    async (path) => {
      const { status, json } = await gateway.toManagement(path);
      expect([status, json['code']]).toEqual([404, 'route_not_found']);
      expect(json['detail']).toMatch(/without the slash/);
      expect((await gateway.toManagement('/nothing/here?at=/')).json['detail']).not.toMatch(/slash/);
    },
  );

  it.each(WALLET)('VP:G1 VCI:N7 another method than %s %s gets 405 with Allow', async (method, path) => {
    const expected = ALLOWED[path] ?? 'POST, OPTIONS';
    const wrong = ['PUT', 'PATCH', 'DELETE', 'TRACE', ...['GET', 'POST'].filter((one) => !expected.includes(one))];
    for (const other of wrong) {
      const { status, headers, json } = await gateway.toPublic(path, { method: other });
      expect([other, status, headers['allow']]).toEqual([other, 405, expected]);
      expect(json['error']).toBe('invalid_request');
    }
    expect(expected).toContain(method);
  });

  it.each([
    '/nothing',
    '/oidc4vci',
    '/oidc4vci/',
    '/oidc4vci/nonce/',
    '/oidc4vp/a/b',
    '/.well-known/',
    '/metrics',
    '/',
  ])('%s has no route on the public listener, in the way of OAuth', async (path) => {
    const { status, headers, json } = await gateway.toPublic(path, { method: 'POST' });
    expect(status).toBe(404);
    expect(headers['cache-control']).toBe('no-store');
    expect(Object.keys(json).sort()).toEqual(['error', 'error_description']);
  });

  it.each(SCHEMAS)('%s %s is on both listeners, and can be taken off the public one', async (method, path) => {
    for (const answer of [await gateway.toManagement(path, { method }), await gateway.toPublic(path, { method })]) {
      expect([answer.status, answer.json['code']]).toEqual([401, 'api_key_missing']);
    }
    const closed = await startGateway({ environment: { PUBLIC_WALLET_CONTENT: 'false' } });
    try {
      expect((await closed.toPublic(path, { method })).status).toBe(404);
      expect((await closed.toManagement(path, { method })).status).toBe(401);
    } finally {
      await closed.close();
    }
  });

  it.each(SCHEMAS)('%s %s can be under a prefix, and then only there', async (method, path) => {
    const environment = { SCHEMA_API_PREFIX: '/content', BASE_URL: 'https://host.example/wallets' };
    const prefixed = await startGateway({ environment });
    try {
      expect((await prefixed.toManagement(`/content${path}`, { method })).status).toBe(401);
      expect((await prefixed.toPublic(`/wallets/content${path}`, { method })).status).toBe(401);
      expect((await prefixed.toManagement(path, { method })).status).toBe(404);
      expect((await prefixed.toPublic(`/wallets${path}`, { method })).status).toBe(404);
    } finally {
      await prefixed.close();
    }
  });

  it('the descriptions that a listener serves have the prefix', async () => {
    const prefixed = await startGateway({ environment: { SCHEMA_API_PREFIX: '/content' } });
    try {
      const pathsOf = async (name: string) =>
        Object.keys((await prefixed.toManagement(`/openapi${name}.json`)).json['paths'] as object);
      for (const name of ['-wallet-content-0.40.11', '-wallet-content-0.38.2']) {
        const paths = await pathsOf(name);
        expect(paths).toEqual(expect.arrayContaining(['/content/drafts/{id}', '/api/wallet/v1/vp/{did}']));
        expect(paths.filter((path) => !/^\/(?:content|api\/wallet\/v1)\//.test(path))).toEqual([]);
      }
      expect(await pathsOf('')).toContain('/offers/{offerId}');
      expect(await pathsOf('-public')).toContain('/schemas/{tenant}/{slug}/{version}');
    } finally {
      await prefixed.close();
    }
  });

  it.each(['', '/context', '/json-schema', '/type-metadata'])(
    'published schemas (%s) are on the public listener only, whatever the prefix is',
    async (part) => {
      const path = `/schemas/6f7a6f3e-3f1e-4a53-9d5f-0b7f2f6d4d11/badge/1${part}`;
      const prefixed = await startGateway({
        environment: { SCHEMA_API_PREFIX: '/content', PUBLIC_WALLET_CONTENT: 'false' },
      });
      try {
        for (const one of [gateway, prefixed]) {
          expect((await one.toPublic(path)).status).toBe(503);
          expect((await one.toManagement(path)).status).toBe(404);
        }
      } finally {
        await prefixed.close();
      }
    },
  );

  it.each([
    '/oidc4vci/../health/live',
    '/oidc4vci/%2e%2e/health/live',
    '/oidc4vp/..%2F..%2Fhealth%2Flive/x',
    '//health/live',
  ])('no spelling of a path (%s) leads from the public listener to a management route', async (path) => {
    expect((await gateway.toPublic(path)).status).toBe(404);
  });

  it.each(CONTENT)('%s is on both listeners, for %j', async (path, methods) => {
    const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).sort();
    for (const method of ['GET', 'POST', 'DELETE', 'PATCH', 'PUT', 'OPTIONS']) {
      for (const call of [gateway.toManagement, gateway.toPublic]) {
        // The public listener answers OPTIONS as a preflight of a web wallet.
        if (method === 'OPTIONS' && call === gateway.toPublic) continue;
        const { status, headers, json } = await call(path, { method });
        const isListed = methods.includes(method);
        expect([method, status, json['code']]).toEqual([
          method,
          ...(isListed ? [401, 'api_key_missing'] : [405, 'method_not_allowed']),
        ]);
        expect(headers['allow']?.split(', ').sort()).toEqual(isListed ? undefined : allow);
      }
    }
  });

  it.each(CONTENT)('%s can be taken off the public listener', async (path, [method = '']) => {
    const closed = await startGateway({ environment: { PUBLIC_WALLET_CONTENT: 'false' } });
    try {
      expect((await closed.toPublic(path, { method })).status).toBe(404);
      expect((await closed.toManagement(path, { method })).json['code']).toBe('api_key_missing');
    } finally {
      await closed.close();
    }
  });
});

describe('below paths', () => {
  const environment = { BASE_URL: 'https://host.example/wallets', ISSUER_URL: 'https://host.example/issuer/one' };
  let tenant: Gateway;
  beforeAll(async () => {
    tenant = await startGateway({ environment });
  });
  afterAll(() => tenant.close());

  it.each([
    ['GET', '/wallets/oidc4vp/a-state/request?flow_type=same-device'],
    ['POST', '/wallets/oidc4vp/a-state/response'],
    ['POST', '/issuer/one/oidc4vci/token'],
    ['POST', '/issuer/one/oidc4vci/nonce'],
    ['GET', '/.well-known/openid-credential-issuer/issuer/one'],
    ['GET', '/.well-known/oauth-authorization-server/issuer/one'],
  ])('VCI:U3 VCI:U4 %s %s is served', async (method, path) => {
    expect((await tenant.toPublic(path, sent(method, path))).status).toBe(503);
  });

  it.each([
    ['GET', '/oidc4vp/a-state/request?flow_type=same-device'],
    ['POST', '/oidc4vci/token'],
    ['POST', '/wallets/oidc4vci/token'],
    ['GET', '/.well-known/openid-credential-issuer'],
    ['GET', '/issuer/one/.well-known/openid-credential-issuer'],
    ['GET', '/.well-known/openid-credential-issuer/issuer/one/'],
    ['GET', '/.well-known/openid-credential-issuer/wallets'],
  ])('VCI:U3 %s %s is not', async (method, path) => {
    expect((await tenant.toPublic(path, sent(method, path))).status).toBe(404);
  });

  it('who takes one listener for the other is told so below a path, too', async () => {
    const backend = await tenant.toPublic('/wallets/oidc4vp', jsonPost({}));
    expect(backend.json['error_description']).toMatch(/on the management listener$/);
    const wallet = await tenant.toManagement('/issuer/one/oidc4vci/token', formPost('a=b'));
    expect(wallet.json['detail']).toMatch(/on the public listener, below BASE_URL$/);
  });

  it('VCI:N7 405 holds there too, and the content API speaks problem details', async () => {
    const { status, headers } = await tenant.toPublic('/issuer/one/oidc4vci/nonce');
    expect([status, headers['allow']]).toEqual([405, 'POST, OPTIONS']);
    const content = await tenant.toPublic('/wallets/api/wallet/v1/entity', { method: 'POST' });
    expect([content.status, content.json['code']]).toEqual([401, 'api_key_missing']);
  });
});
