import { failing, formPost, jsonPost, startGateway, type Gateway } from '../testing/gateway.stage';

const CREATE = 'verifier.presentation-request.create';
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({
    answers: {
      'issuer.nonce.issue': { c_nonce: 'fresh' },
      'issuer.credential.issue': failing('unauthenticated', 'invalid_token'),
      'issuer.document.get': { json: '{"credential_issuer":"https://wallets.example"}' },
      'wallet-store.credential.list': { items: [], nextCursor: 'next' },
      [CREATE]: { state: 's', same_device_request_uri: 'openid4vp://a', cross_device_request_uri: 'openid4vp://b' },
    },
  });
});
afterAll(() => gateway.close());

const withId = (id: string) => ({ headers: [['x-request-id', id]] as const });
const OWN_ID = /^[A-Za-z0-9_-]{22}$/;

describe('request ids', () => {
  it.each(['12345678', 'abc-DEF_123.4', 'a'.repeat(64)])('a harmless one (%s) is kept and passed on', async (id) => {
    const { headers } = await gateway.toManagement('/oidc4vp', jsonPost({}, ['x-request-id', id]));
    expect(headers['x-request-id']).toBe(id);
    expect(gateway.asked.at(-1)?.requestId).toBe(id);
    expect(gateway.lines.at(-1)).toContain(`"requestId":"${id}"`);
  });

  it.each(['short', 'a'.repeat(65), 'with space 1', 'quote"quote', '${jndi:ldap://x}', '<script>1', ''])(
    'another one (%s) is replaced',
    async (id) => {
      const { headers, json } = await gateway.toManagement('/nothing', withId(id));
      expect(headers['x-request-id']).toMatch(OWN_ID);
      expect(json['instance']).toBe(headers['x-request-id']);
      expect(gateway.lines.at(-1)).not.toContain(id === '' ? '"requestId":""' : id);
    },
  );

  it('two at once are none', async () => {
    const sent = { headers: [...withId('12345678').headers, ...withId('87654321').headers] };
    expect((await gateway.toManagement('/nothing', sent)).headers['x-request-id']).toMatch(OWN_ID);
  });

  it('are on every answer of the public listener, preflights included', async () => {
    for (const method of ['GET', 'POST', 'OPTIONS', 'PUT']) {
      expect((await gateway.toPublic('/oidc4vci/nonce', { method })).headers['x-request-id']).toMatch(OWN_ID);
      expect(gateway.lines.at(-1)).toContain('"requestId"');
    }
  });
});

describe('access lines', () => {
  it('VCI:D23 hold the pattern of the route and nothing of the address, the headers or the body', async () => {
    const secret = 'canary-value';
    await gateway.toPublic(`/oidc4vp/${secret}/response?x=${secret}`, formPost(`response=${secret}`));
    await gateway.toPublic('/oidc4vci/credential', jsonPost({ secret }, ['authorization', `DPoP ${secret}`]));
    await gateway.toPublic(`/${secret}`);
    expect(gateway.lines.join('')).not.toContain(secret);
    expect(gateway.lines.join('')).toContain('"route":"/oidc4vp/:state/response","status":503');
  });
});

describe('what a client says about the host', () => {
  const spoofed = [
    ['host', 'evil.example'],
    ['x-forwarded-host', 'evil.example'],
    ['x-forwarded-proto', 'http'],
    ['x-forwarded-prefix', '/evil'],
    ['forwarded', 'host=evil.example;proto=http'],
  ] as const;

  it.each(['/.well-known/openid-credential-issuer', '/oidc4vci/nonce', '/nothing'])(
    'VCI:U6 changes nothing in the answer of %s',
    async (path) => {
      const plain = await gateway.toPublic(path);
      const answer = await gateway.toPublic(path, { headers: spoofed });
      expect([answer.status, answer.text]).toEqual([plain.status, plain.text]);
      expect(JSON.stringify(answer)).not.toContain('evil');
    },
  );

  it('VCI:U6 changes no question to a service', async () => {
    await gateway.toManagement('/oidc4vp', jsonPost({}, ...spoofed));
    expect(gateway.questionOf(CREATE)).toEqual({ body: {} });
  });

  it('changes no link to a next page', async () => {
    const path = '/api/wallet/v1/credentials?entityDid=did:x:e&walletDid=did:x:w';
    const { headers } = await gateway.toPublic(path, { headers: [...spoofed, ['x-api-key', 'k']] });
    expect(headers['link']).toMatch(/^<credentials\?/);
  });
});

describe('CORS', () => {
  const preflight = {
    method: 'OPTIONS',
    headers: [
      ['origin', 'https://wallet.example'],
      ['access-control-request-method', 'POST'],
      ['access-control-request-headers', 'dpop,authorization'],
    ] as const,
  };
  const names = (value: string | undefined) => value?.toLowerCase().split(/,\s*/).sort();

  it('VCI:U9 lets web wallets send what they need to the public listener', async () => {
    const { status, headers } = await gateway.toPublic('/oidc4vci/credential', preflight);
    expect(status).toBe(204);
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(names(headers['access-control-allow-methods'])).toEqual(['get', 'post']);
    expect(names(headers['access-control-allow-headers'])).toEqual(
      ['authorization', 'content-type', 'dpop', 'oauth-client-attestation', 'oauth-client-attestation-pop'].sort(),
    );
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('VCI:U9 lets them read the headers of answers and of errors', async () => {
    const sent = { method: 'POST', headers: [['origin', 'https://wallet.example']] as const };
    for (const path of ['/oidc4vci/nonce', '/oidc4vci/credential', '/nothing']) {
      const { headers } = await gateway.toPublic(path, sent);
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(names(headers['access-control-expose-headers'])).toEqual(
        ['dpop-nonce', 'oauth-client-attestation-challenge', 'retry-after', 'www-authenticate'].sort(),
      );
    }
  });

  it('VCI:U9 is absent on the management listener', async () => {
    const origin = ['origin', 'https://wallet.example'] as const;
    const answers = [
      await gateway.toManagement('/oidc4vp', preflight),
      await gateway.toManagement('/oidc4vp', jsonPost({}, origin)),
    ];
    for (const { headers } of answers) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
    expect(answers[0]?.status).toBe(405);
  });

  it('OPTIONS without an origin is answered too', async () => {
    expect((await gateway.toPublic('/oidc4vci/nonce', { method: 'OPTIONS' })).status).toBe(204);
  });
});
