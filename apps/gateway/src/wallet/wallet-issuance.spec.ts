import { formPost, failing, jsonPost, startGateway, type Gateway, type Sent } from '../testing/gateway.stage';

const TOKEN = 'issuer.token.issue';
const CREDENTIAL = 'issuer.credential.issue';
const GOOD: Readonly<Record<string, object>> = {
  [CREDENTIAL]: { credentials: [{ credential: 'eyJ~' }] },
  'issuer.challenge.issue': { attestation_challenge: 'fresh' },
  'issuer.offer-object.get': { offer: { credential_issuer: 'https://wallets.example' } },
  'issuer.type-metadata.get': { json: '{"vct": "x"}' },
  'issuer.document.get': { json: '{"b":1,  "a":2}' },
};
let thrown: (() => never) | undefined;
let signed: { jwt?: string };
let more: object;
let gateway: Gateway;

beforeAll(async () => {
  const answers = Object.entries(GOOD).map(([subject, answer]) => [subject, () => thrown?.() ?? answer] as const);
  const withNonce = (answer: object) => () => thrown?.() ?? { ...answer, ...more };
  gateway = await startGateway({
    answers: {
      ...Object.fromEntries(answers),
      [TOKEN]: withNonce({ access_token: 'opaque', token_type: 'DPoP', expires_in: 300 }),
      'issuer.nonce.issue': withNonce({ c_nonce: 'fresh' }),
      'issuer.signed-metadata.get': () => signed,
    },
  });
});
beforeEach(() => {
  thrown = undefined;
  signed = { jwt: 'a.signed.jwt' };
  more = {};
});
afterAll(() => gateway.close());

const token = (sent: Sent = formPost('grant_type=x')) => gateway.toPublic('/oidc4vci/token', sent);
const AUTHORIZED = ['authorization', 'DPoP abc'] as const;

describe('secrets for wallets', () => {
  it.each<[string, string, Sent]>([
    ['VCI:T13 the token', '/oidc4vci/token', formPost('grant_type=x')],
    ['VCI:N1 VCI:N2 the nonce', '/oidc4vci/nonce', { method: 'POST' }],
    ['VCI:A9 VCI:C12 the challenge for attestations', '/oidc4vci/challenge', { method: 'POST' }],
    ['VCI:P1 VCI:P6 the credential', '/oidc4vci/credential', jsonPost({}, AUTHORIZED)],
    ['VCI:O3 VCI:O11 the offer', '/oidc4vci/offers/an-offer', { headers: [['if-none-match', '*']] }],
  ])('%s comes with 200, no-store and no ETag', async (_what, path, sent) => {
    const { status, headers } = await gateway.toPublic(path, sent);
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['etag']).toBeUndefined();
    expect(headers['content-type']).toMatch(/^application\/json(;|$)/);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('VCI:T13 the token also says Pragma: no-cache', async () => {
    expect((await token()).headers['pragma']).toBe('no-cache');
  });

  it('VCI:N1 the nonce needs neither body nor media type, and takes any', async () => {
    for (const sent of [{ method: 'POST' }, formPost(''), jsonPost('{'), formPost('a=b')]) {
      expect((await gateway.toPublic('/oidc4vci/nonce', sent)).json).toEqual({ c_nonce: 'fresh' });
    }
  });
});

describe('documents for wallets', () => {
  it.each([
    ['/.well-known/openid-credential-issuer', '{"b":1,  "a":2}'],
    ['/.well-known/oauth-authorization-server', '{"b":1,  "a":2}'],
    ['/.well-known/jwt-vc-issuer', '{"b":1,  "a":2}'],
    ['/oidc4vci/types/identity-card', '{"vct": "x"}'],
  ])('VCI:M1 VCI:M22 VCI:Y3 %s is served byte for byte and may be cached for a while', async (path, text) => {
    const got = await gateway.toPublic(path);
    expect([got.status, got.text]).toEqual([200, text]);
    expect(got.headers['cache-control']).toBe('public, max-age=300');
    expect(got.headers['content-type']).toMatch(/^application\/json(;|$)/);
  });

  it('VCI:O3 the offer stays JSON when a JWT is preferred', async () => {
    const sent: Sent = { headers: [['accept', 'application/jwt']] };
    const { status, headers } = await gateway.toPublic('/oidc4vci/offers/an-offer', sent);
    expect([status, headers['content-type']?.split(';')[0]]).toEqual([200, 'application/json']);
  });

  it('VCI:S1 VCI:M22 the issuer metadata come as a JWT to whoever prefers one, and caches keep the two apart', async () => {
    const path = '/.well-known/openid-credential-issuer';
    const got = await gateway.toPublic(path, { headers: [['accept', 'application/jwt']] });
    expect([got.status, got.text, got.headers['content-type']]).toEqual([200, 'a.signed.jwt', 'application/jwt']);
    expect([got.headers['vary'], got.headers['cache-control']]).toEqual(['accept', 'public, max-age=300']);
    const plain = await gateway.toPublic(path, { headers: [['accept', 'text/html']] });
    expect([plain.status, plain.headers['content-type']?.split(';')[0]]).toEqual([200, 'application/json']);
    expect(plain.headers['vary']).toBe('accept');
  });

  it('VCI:S1 the issuer metadata come as JSON to all where they are not signed', async () => {
    signed = {};
    const sent: Sent = { headers: [['accept', 'application/jwt']] };
    const got = await gateway.toPublic('/.well-known/openid-credential-issuer', sent);
    expect([got.status, got.headers['content-type']?.split(';')[0]]).toEqual([200, 'application/json']);
  });

  it('VCI:M21 a language that nobody speaks gets the whole document', async () => {
    const path = '/.well-known/openid-credential-issuer';
    const [plain, asked] = [
      await gateway.toPublic(path),
      await gateway.toPublic(path, { headers: [['accept-language', 'xx']] }),
    ];
    expect([asked.status, asked.text]).toEqual([200, plain.text]);
  });

  it('VCI:C17 20 KB of headers are taken', async () => {
    const headers: [string, string][] = [['oauth-client-attestation', 'a'.repeat(20_000)]];
    expect((await gateway.toPublic('/oidc4vci/nonce', { method: 'POST', headers })).status).toBe(200);
  });

  it('VCI:N6 no DPoP-Nonce is handed out while none is demanded', async () => {
    expect((await gateway.toPublic('/oidc4vci/nonce', { method: 'POST' })).headers['dpop-nonce']).toBeUndefined();
  });

  it('VCI:Y8 Type Metadata says nosniff and default-src none', async () => {
    const { headers } = await gateway.toPublic('/oidc4vci/types/identity-card');
    expect(headers['content-security-policy']).toBe("default-src 'none'");
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it.each(['/oidc4vci/types/unknown', '/.well-known/openid-credential-issuer', '/oidc4vci/offers/an-offer'])(
    'VCI:O13 an error of %s is never cached',
    async (path) => {
      thrown = failing('not_found', 'type_metadata_not_found');
      const { status, headers, json } = await gateway.toPublic(path);
      expect([status, json['error'], headers['cache-control']]).toEqual([404, 'invalid_request', 'no-store']);
    },
  );

  it.each([
    '/oidc4vci/offers/%00',
    `/oidc4vci/offers/${'a'.repeat(129)}`,
    `/oidc4vci/types/${'a'.repeat(257)}`,
    '/oidc4vci/types/%00',
  ])('VCI:O13 %s is 404 without asking', async (path) => {
    const before = gateway.asked.length;
    expect((await gateway.toPublic(path)).status).toBe(404);
    expect(gateway.asked).toHaveLength(before);
  });
});

describe('the DPoP nonce of an answer', () => {
  it.each([
    ['/oidc4vci/token', formPost('grant_type=x')],
    ['/oidc4vci/nonce', { method: 'POST' }],
  ])('VCI:D21 of %s is in the header and not in the body, and is not cached', async (path, sent: Sent) => {
    more = { dpop_nonce: 'dpop-nonce-of-now' };
    const { headers, text } = await gateway.toPublic(path, sent);
    expect([headers['dpop-nonce'], headers['cache-control']]).toEqual(['dpop-nonce-of-now', 'no-store']);
    expect(text).not.toContain('dpop');
  });
});
