import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { startGateway, type Gateway } from '../testing/gateway.stage';

const digest = createHash('sha256').update('an-api-key-of-a-tenant').digest('base64url');

/** The first line of the answer to a target as it is: clients of HTTP would spell it in their own way. */
function statusOf(url: string, target: string, method = 'POST'): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)));
    socket.write(
      `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nX-API-KEY: a-key\r\nConnection: close\r\n` +
        'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
    );
  });
}

describe('with a prefix of the schema and draft API', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ environment: { SCHEMA_API_PREFIX: '/content', VC_API_KEY_DIGEST: digest } });
  });
  afterAll(() => gateway.close());

  it.each(['/credentials/issue', '/credentials/verify', '/presentations/verify', '/credentials/issue?x=/content'])(
    'the VC API (%s) is not below it',
    async (address) => {
      expect(await statusOf(gateway.managementUrl, `/content${address}`)).toBe(404);
      expect(await statusOf(gateway.publicUrl, `/content${address}`)).toBe(404);
      expect(await statusOf(gateway.managementUrl, address)).not.toBe(404);
    },
  );

  it.each([
    '/schemas',
    '/%73chemas',
    '/schema%73',
    '/schemas/%73earch',
    '/schemas#',
    '/schemas#x?y',
    '/schemas/search#/content',
    '/%64rafts/search',
    '/drafts#',
    'http://localhost/schemas',
    'http://localhost/schemas?x',
    'HTTP://localhost/%73chemas',
    'http://localhost/content',
    '/published-schemas/search#x',
    '/published%2Dschemas/search',
  ])('the target %s reaches nothing without it', async (target) => {
    const before = gateway.asked.length;
    expect(await statusOf(gateway.managementUrl, target)).toBe(404);
    expect(await statusOf(gateway.publicUrl, target)).toBe(404);
    expect(gateway.asked).toHaveLength(before);
  });

  it.each(['/content/schemas', '/content/schemas/%73earch', '/content/drafts?x#y', 'http://localhost/content/schemas'])(
    'what is below it is there: %s',
    async (target) => {
      expect(await statusOf(gateway.managementUrl, target)).not.toBe(404);
    },
  );

  it.each(['/health/live', '/he%61lth/live', '/health/live#x', 'http://localhost/health/live'])(
    'what has no prefix is where it was: %s',
    async (target) => {
      expect(await statusOf(gateway.managementUrl, target, 'GET')).toBe(200);
      expect(await statusOf(gateway.publicUrl, target, 'GET')).toBe(404);
    },
  );
});

describe('below the paths of the configured URLs', () => {
  it.each([
    ['/oidc4vp/a-state/response', 404],
    ['/%6fidc4vp/a-state/response', 404],
    ['/wallets/oidc4vci/nonce', 404],
    ['/wallets/oidc4vp/../oidc4vci/nonce', 404],
    ['/wallets/oidc4vp/%2e%2e/x', 404],
    ['http://localhost/oidc4vci/nonce', 404],
    ['/issuer/oidc4vci/nonce', 503],
    ['/issuer/oidc4vci/non%63e', 503],
    ['http://localhost/issuer/oidc4vci/nonce', 503],
    ['HTTPS://host.example:443/issuer/oidc4vci/nonce?x', 503],
    ['http://host.example/wallets/oidc4vci/nonce', 404],
    ['http://host.example?/issuer/oidc4vci/nonce', 404],
    ['http://host.example', 404],
    ['ftp://host.example/issuer/oidc4vci/nonce', 404],
  ])('%s is answered with %i', async (target, status) => {
    const environment = { BASE_URL: 'https://host.example/wallets', ISSUER_URL: 'https://host.example/issuer' };
    const gateway = await startGateway({ environment });
    try {
      expect(await statusOf(gateway.publicUrl, target)).toBe(status);
    } finally {
      await gateway.close();
    }
  });
});
