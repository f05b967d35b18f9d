import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { failing, jsonPost, startGateway, type Gateway, type Sent } from '../testing/gateway.stage';
import { operationsControllers } from './operations.module';
import { BACKEND_CONTROLLERS } from './backend.module';
import { ContentModule } from '../content/content.module';
import { declared, RouteTable } from '../http/routes';
import { Needs, SCOPES } from '../http/scopes';

const AUDIENCE = 'https://management.example';
const ISSUER = 'https://login.example';
const gone = failing('not_found', 'credential_offer_not_found');
const answers = {
  'verifier.presentation-request.create': {
    state: 's',
    same_device_request_uri: 'a://b',
    cross_device_request_uri: 'a://b',
  },
  'verifier.presentation-request.get': failing('not_found', 'presentation_request_not_found'),
  'issuer.credential-offer.get': gone,
  'issuer.credential-offer.cancel': gone,
  'issuer.credential-status.change': gone,
  'verifier.callback.list': { items: [] },
  'wallet-store.entity.list': { items: [] },
};
const digestOf = (key: string) => createHash('sha256').update(key).digest('base64url');
const bearer = (key: string, sent: Sent = {}): Sent => ({
  ...sent,
  headers: [...(sent.headers ?? []), ['authorization', `Bearer ${key}`]],
});

const CALLS: readonly (readonly [scope: string, path: string, sent: Sent])[] = [
  ['present', '/oidc4vp', jsonPost({})],
  ['offer', '/offers/a', {}],
  ['revoke', '/offers/a/status', { ...jsonPost({ status: 'revoked' }), method: 'PATCH' }],
  ['operate', '/callbacks/verifier', {}],
  ['operate', '/metrics', {}],
  ['content', '/api/wallet/v1/entities', { headers: [['x-api-key', 'tenant']] }],
];

/** The scopes that calls of this bearer were not refused for. */
async function scopesOf(gateway: Gateway, key: string): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const [scope, address, sent] of CALLS) {
    const { status, json, headers } = await gateway.toManagement(address, bearer(key, sent));
    if (json['code'] !== 'scope_missing') {
      expect(status).not.toBe(401);
      found.add(scope);
      continue;
    }
    expect(status).toBe(403);
    expect(json['detail']).toBe(`this call needs the scope ${scope}`);
    expect(headers['www-authenticate']).toBe(`Bearer error="insufficient_scope", scope="${scope}"`);
  }
  return [...found].sort();
}

describe('the routes of the management listener', () => {
  it('each need a scope, except those that every caller may use', () => {
    const content = ContentModule.onManagement({ apiKeyDigest: '' });
    const table = new RouteTable([...BACKEND_CONTROLLERS, ...content, ...operationsControllers({ servesDocs: true })]);
    const open = table.all.filter((route) => declared(Needs, route) === undefined).map(({ path: address }) => address);
    expect([...new Set(open)].sort()).toEqual([
      '/docs',
      '/docs/:file',
      '/docs/start.js',
      '/health/live',
      '/health/ready',
    ]);
    expect(new Set(table.all.flatMap((route) => declared(Needs, route) ?? []))).toEqual(new Set(SCOPES));
  });
});

describe('named keys with scopes', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-callers-'));
  const file = path.join(folder, 'callers.json');
  const start = (callers: object, environment = {}) => {
    writeFileSync(file, JSON.stringify(callers));
    return startGateway({ answers, environment: { MANAGEMENT_CALLERS_FILE: file, ...environment } });
  };
  afterAll(() => rmSync(folder, { recursive: true }));

  it('may do what their scopes say, and keys of MANAGEMENT_KEY_DIGESTS everything', async () => {
    const keys = [
      { name: 'shop', digest: digestOf('shop-key'), scopes: ['present', 'offer'] },
      { name: 'support', digest: digestOf('support-key'), scopes: ['revoke'] },
    ];
    const gateway = await start({ keys }, { MANAGEMENT_KEY_DIGESTS: digestOf('old-key') });
    expect(await scopesOf(gateway, 'shop-key')).toEqual(['offer', 'present']);
    expect(await scopesOf(gateway, 'support-key')).toEqual(['revoke']);
    expect(await scopesOf(gateway, 'old-key')).toEqual([...SCOPES].sort());
    const unknown = await gateway.toManagement('/offers/a', bearer('shop-key2'));
    expect([unknown.status, unknown.json['code']]).toEqual([401, 'management_key_invalid']);
    await gateway.close();
  });

  it('cannot get around a scope by another method, spelling or body', async () => {
    const keys = [{ name: 'support', digest: digestOf('support-key'), scopes: ['revoke'] }];
    const gateway = await start({ keys });
    const before = gateway.asked.length;
    for (const [address, sent] of [
      ['/offers/a', { method: 'HEAD' }],
      ['/offers/a', { method: 'DELETE' }],
      ['/off%65rs/a', {}],
      ['/oidc4vp', { ...jsonPost({}), method: 'POST' }],
      ['/oidc4vp', { method: 'POST', body: 'x'.repeat(2_000_000) }],
    ] as const) {
      expect([address, (await gateway.toManagement(address, bearer('support-key', sent))).status]).toEqual([
        address,
        403,
      ]);
    }
    expect(gateway.asked).toHaveLength(before);
    await gateway.close();
  });

  it.each<[string, unknown, string]>([
    ['an unknown scope', { keys: [{ name: 'a', digest: digestOf('k'), scopes: ['canary'] }] }, 'keys.0.scopes.0'],
    ['no scope', { keys: [{ name: 'a', digest: digestOf('k'), scopes: [] }] }, 'keys.0.scopes'],
    ['a key instead of its digest', { keys: [{ name: 'a', digest: 'canary', scopes: ['offer'] }] }, 'keys.0.digest'],
    ['an unknown member', { kyes: [] }, 'the document'],
    [
      'a name twice',
      { keys: [{ name: 'a', digest: digestOf('k'), scopes: ['offer'] }], clients: [{ name: 'a', scopes: ['offer'] }] },
      'a name twice',
    ],
    ['nobody at all', {}, 'names nobody'],
    ['the last key removed', { keys: [], clients: [] }, 'names nobody'],
    ['clients without mutual TLS', { clients: [{ name: 'shop', scopes: ['offer'] }] }, 'without mutual TLS'],
    [
      'clients without mutual TLS beside a key',
      {
        keys: [{ name: 'a', digest: digestOf('k'), scopes: ['offer'] }],
        clients: [{ name: 'shop', scopes: ['offer'] }],
      },
      'without mutual TLS',
    ],
  ])('%s ends the start, and shows no value', async (_what, callers, place) => {
    await expect(start(callers as object)).rejects.toMatchObject({
      code: 'management_callers_invalid',
      detail: expect.stringContaining(place),
    });
    await expect(start(callers as object)).rejects.toMatchObject({ detail: expect.not.stringContaining('canary') });
  });
});

interface Token {
  readonly header?: object;
  readonly claims?: object;
  readonly key?: CryptoKey;
}

describe('access tokens', () => {
  const now = Math.floor(Date.now() / 1000);
  const state = { isAway: false, fetched: 0 };
  let server: Server;
  let pair: { readonly publicKey: CryptoKey; readonly privateKey: CryptoKey };
  let other: typeof pair;
  let jwks: JWK[];
  let gateway: Gateway;

  beforeAll(async () => {
    pair = await generateKeyPair('ES256', { extractable: true });
    other = await generateKeyPair('ES256', { extractable: true });
    jwks = [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }];
    server = createServer((_request, response) => {
      state.fetched += 1;
      if (state.isAway) return void response.writeHead(500).end();
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ keys: jwks }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    gateway = await start();
  });
  afterAll(async () => {
    await gateway.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const start = (environment = {}) =>
    startGateway({
      answers,
      environment: {
        MANAGEMENT_TOKEN_ISSUER: ISSUER,
        MANAGEMENT_TOKEN_AUDIENCE: AUDIENCE,
        MANAGEMENT_TOKEN_JWKS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`,
        ...environment,
      },
    });

  const token = ({ header = {}, claims = {}, key = pair.privateKey }: Token = {}) =>
    new SignJWT({
      iss: ISSUER,
      aud: AUDIENCE,
      sub: 'shop',
      client_id: 'shop',
      jti: 'j',
      iat: now - 10,
      exp: now + 3_000,
      scope: 'present openid offer',
      ...claims,
    })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k1', ...header })
      .sign(key);

  it('may do what their scope says', async () => {
    expect(await scopesOf(gateway, await token())).toEqual(['offer', 'present']);
    expect(await scopesOf(gateway, await token({ claims: { scope: 'presentation' } }))).toEqual([]);
    expect(await scopesOf(gateway, await token({ claims: { scope: undefined } }))).toEqual([]);
    expect(await scopesOf(gateway, await token({ header: { typ: 'application/at+jwt' } }))).toEqual([
      'offer',
      'present',
    ]);
  });

  it.each<[string, () => Token]>([
    ['of another issuer', () => ({ claims: { iss: 'https://other.example' } })],
    ['for another audience', () => ({ claims: { aud: 'https://other.example' } })],
    ['of another type', () => ({ header: { typ: 'JWT' } })],
    ['without type', () => ({ header: { typ: undefined } })],
    ['that has expired', () => ({ claims: { exp: now - 31 } })],
    ['without an end', () => ({ claims: { exp: undefined } })],
    ['of the future', () => ({ claims: { iat: now + 120 } })],
    ['not valid yet', () => ({ claims: { nbf: now + 120 } })],
    ['without iat', () => ({ claims: { iat: undefined } })],
    ['that began more than a day ago', () => ({ claims: { iat: now - 90_000 } })],
    ['without subject', () => ({ claims: { sub: undefined } })],
    ['whose subject is a number', () => ({ claims: { sub: 12 } })],
    ['whose subject is an object', () => ({ claims: { sub: { length: 1 } } })],
    ['with an empty subject', () => ({ claims: { sub: '' } })],
    ['with another key under the same kid', () => ({ key: other.privateKey })],
    ['of an unknown kid', () => ({ header: { kid: 'k2' } })],
  ])('%s are refused', async (_what, make) => {
    const got = await gateway.toManagement('/offers/a', bearer(await token(make())));
    expect([got.status, got.json['code']]).toEqual([401, 'management_token_invalid']);
    expect(got.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
  });

  it.each(['none', 'HS256'])('with the algorithm %s are refused', async (alg) => {
    const [, payload] = (await token()).split('.');
    const header = Buffer.from(JSON.stringify({ alg, typ: 'at+jwt', kid: 'k1' })).toString('base64url');
    const got = await gateway.toManagement('/offers/a', bearer(`${header}.${payload}.AAAA`));
    expect([got.status, got.json['code']]).toEqual([401, 'management_token_invalid']);
  });

  it('with an algorithm that is not on the list are refused', async () => {
    const strict = await start({ MANAGEMENT_TOKEN_ALGORITHMS: 'PS256' });
    const got = await strict.toManagement('/offers/a', bearer(await token()));
    expect([got.status, got.json['code']]).toEqual([401, 'management_token_invalid']);
    await strict.close();
  });

  it('fetch the keys once, not for each unknown kid; while they are away, the answer is 503', async () => {
    const fetched = state.fetched;
    for (const kid of ['x', 'y', 'z'])
      await gateway.toManagement('/offers/a', bearer(await token({ header: { kid } })));
    expect(state.fetched - fetched).toBeLessThanOrEqual(1);
    state.isAway = true;
    const fresh = await start();
    const got = await fresh.toManagement('/offers/a', bearer(await token()));
    state.isAway = false;
    expect([got.status, got.json['code']]).toEqual([503, 'management_token_keys_unavailable']);
    expect((await fresh.toManagement('/offers/a', bearer(await token()))).json['code']).toBe(
      'credential_offer_not_found',
    );
    await fresh.close();
  });

  it('never show up in an answer or in the log', async () => {
    const secret = await token({ claims: { exp: now - 100 } });
    const { text } = await gateway.toManagement('/offers/a', bearer(secret));
    expect(text + gateway.lines.join('')).not.toContain(secret.split('.')[2]);
  });

  it('need all their settings', async () => {
    await expect(start({ MANAGEMENT_TOKEN_AUDIENCE: '' })).rejects.toMatchObject({
      code: 'management_token_incomplete',
    });
  });
});
