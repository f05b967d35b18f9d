import { request } from 'node:https';
import path from 'node:path';
import { createTestNats, environmentOfRun, type TestNats } from '@vestibule/dev-stack';
import { until } from '@vestibule/testkit';
import { caddyBinary, endProgram, runProgram, startCaddy, type Caddy } from './caddy';

const GATEWAY = path.resolve(__dirname, '../../dist/apps/gateway/main.js');
const LIMIT = 5;

interface Got {
  readonly status: number;
  /** Every answer of the gateway has one. */
  readonly requestId: string | undefined;
}

(caddyBinary === undefined ? describe.skip : describe)('the proxy of docker-compose.yml, a real Caddy', () => {
  let nats: TestNats;
  let gateway: ReturnType<typeof runProgram> | undefined;
  let caddy: Caddy | undefined;
  const metadata = '/.well-known/openid-credential-issuer';

  beforeAll(async () => {
    nats = await createTestNats();
    gateway = runProgram(process.execPath, [GATEWAY], {
      NATS_URL: nats.url,
      BASE_URL: 'https://localhost',
      MANAGEMENT_PORT: '0',
      PUBLIC_HOST: '127.0.0.1',
      PUBLIC_PORT: '0',
      TRUSTED_PROXIES: '127.0.0.1',
      RATE_LIMIT_PER_MINUTE: String(LIMIT),
      ...environmentOfRun(),
    });
    const { text } = gateway;
    await until(() => text().includes('"public":"http'));
    caddy = await startCaddy(/"public":"http:\/\/([^"]+)"/.exec(text())?.[1] ?? '');
    // Caddy listens before it has a certificate for its name; until then it ends every handshake.
    await until(() => get(metadata, '127.0.0.9').then(() => true, () => false)); // prettier-ignore
  });
  afterAll(async () => {
    await caddy?.stop();
    await endProgram(gateway?.child);
    await nats?.stop();
  });

  /** A request of a wallet at an address of its own. */
  function get(target: string, from: string, headers: Record<string, string> = {}, body?: string): Promise<Got> {
    const { port, ca } = caddy as Caddy;
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path: target, localAddress: from, ca, servername: 'localhost', agent: false as const, headers: { host: `localhost:${port}`, ...headers }, method: body === undefined ? 'GET' : 'POST' }; // prettier-ignore
      const outgoing = request(options, (response) => {
        const requestId = response.headers['x-request-id'] as string | undefined;
        response.resume().on('end', () => resolve({ status: response.statusCode ?? 0, requestId }));
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }
  it('counts each wallet for itself, and believes none of them that it is another', async () => {
    const spoofed = (index: number) => ({
      'x-forwarded-for': `198.51.100.${index}`,
      forwarded: `for=198.51.100.${index}`,
    });
    const first: number[] = [];
    for (let index = 0; index < LIMIT + 2; index += 1) {
      first.push((await get(metadata, '127.0.0.2', spoofed(index))).status);
    }
    // No service listens: what is not limited is 503.
    expect(first).toEqual([...Array.from({ length: LIMIT }, () => 503), 429, 429]);
    expect((await get(metadata, '127.0.0.3')).status).toBe(503);
    expect((await get(metadata, '127.0.0.2')).status).toBe(429);
    expect(gateway?.text()).not.toContain('is not in TRUSTED_PROXIES');
  });

  it.each([
    metadata,
    '/oidc4vp/a-state/request',
    '/schemas/6f7a6f3e-3f1e-4a53-9d5f-0b7f2f6d4d11/badge/1/context',
    '/drafts',
  ])('17.2 passes %s on', async (target) => {
    expect((await get(target, '127.0.0.4')).requestId).toBeDefined();
  });

  it.each([
    '/',
    '/metrics',
    '/health/ready',
    '/openapi.json',
    '/offers',
    '/oidc4vp',
    '/oidc4vp/../metrics',
    '/oidc4vp/%2e%2e/health/live',
    '//health/live',
    '/%2fhealth/live',
    '/oidc4vci/..;/offers',
  ])('17.2 lets nothing through that wallets do not need: %s', async (target) => {
    const { status, requestId } = await get(target, '127.0.0.5');
    expect(status).toBe(404);
    // What does reach the gateway has no route on its public listener.
    if (!target.includes('oidc4vci')) expect(requestId).toBeUndefined();
  });

  it('takes no body that the gateway would not take', async () => {
    const { status } = await get('/oidc4vci/nonce', '127.0.0.6', {}, 'x'.repeat(1_100_000));
    expect(status).toBe(413);
  });
});
