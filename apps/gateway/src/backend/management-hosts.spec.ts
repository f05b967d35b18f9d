import { connect } from 'node:net';
import { hostName, namedHost } from './host-names';
import { startGateway, type Gateway } from '../testing/gateway.stage';

const allowed = new Set(['gateway', 'vestibule.internal.example']);
const kindOf = (target: string, host?: string) => namedHost(target, host, allowed).kind;

describe('the host that a request names', () => {
  it.each([
    'localhost',
    'localhost:8081',
    'LOCALHOST.',
    'localhost.:8081',
    'gateway.localhost:8081',
    '127.0.0.1',
    '127.0.0.1:8081',
    '10.1.2.3:8081',
    '[::1]',
    '[::1]:8081',
    '[2001:DB8::1]:8081',
    '[::ffff:10.0.0.1]',
    '[fe80::1%25eth0]:8081',
    'gateway',
    'Gateway:8081',
    'gateway.',
    'gateway.:8081',
    'VESTIBULE.internal.EXAMPLE:65535',
    'gateway:',
    '',
  ])('is accepted: %j', (host) => {
    expect(kindOf('/offers', host)).toBe('accepted');
  });

  it.each([
    'evil.example',
    'evil.example:8081',
    'gateway.evil.example',
    'evil.gateway',
    'notlocalhost',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '127.0.0.1.nip.io:8081',
    '127.1',
    '0x7f000001',
    '2130706433',
    '256.0.0.1',
    'gateway-',
    'internal.example',
  ])('is not listed: %j', (host) => {
    expect(kindOf('/offers', host)).toBe('unlisted');
  });

  it.each([
    '::1',
    '[::1',
    '[gateway]',
    '[127.0.0.1]',
    'gateway:80:80',
    'gateway:http',
    'gateway, evil.example',
    'user@gateway',
    'gateway/evil',
    'gateway\\evil',
    'gateway..',
    '.gateway',
    '.',
    ' ',
    'gäteway',
    `${'a.'.repeat(126)}aa`,
    'a'.repeat(64),
  ])('is none that can be read: %j', (host) => {
    expect(kindOf('/offers', host)).toBe('malformed');
  });

  it('is accepted where a request names none, as no browser does', () => {
    expect(kindOf('/offers')).toBe('accepted');
  });

  it.each([
    ['http://evil.example/offers', 'localhost', 'unlisted'],
    ['http://localhost/offers', 'evil.example', 'unlisted'],
    ['HTTPS://gateway:8081/offers', 'gateway', 'accepted'],
    ['http://gateway', 'gateway', 'accepted'],
    ['http://gateway@evil.example/offers', 'gateway', 'malformed'],
    ['http:///offers', 'gateway', 'malformed'],
    ['//evil.example/offers', 'gateway', 'accepted'],
    ['/?http://evil.example/', 'gateway', 'accepted'],
  ])('is that of an absolute target too: %s with Host %s is %s', (target, host, expected) => {
    expect(kindOf(target, host)).toBe(expected);
  });

  it('has one spelling', () => {
    expect(['Gate_Way.Example.', 'gateway:8081', 'http://gateway', '*.example', ''].map(hostName)).toEqual([
      'gate_way.example',
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

/** The status of a request that is written by hand. */
function raw(url: string, ...lines: readonly string[]): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write([...lines, '', ''].join('\r\n')));
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', reject);
    socket.on('close', () => resolve(Number(text.split(' ')[1])));
  });
}

const CLOSE = 'Connection: close';
const warnings = ({ lines }: Gateway) =>
  lines
    .map((line) => JSON.parse(line) as { level: string; msg: string; host?: string })
    .filter(({ level }) => level === 'warn');
async function counted(gateway: Gateway, reason: string): Promise<number> {
  const { text } = await gateway.toManagement('/metrics');
  const line = new RegExp(`vestibule_management_unlisted_hosts_total\\{reason="${reason}",service="gateway"\\} (\\d+)`);
  return Number(line.exec(text)?.[1] ?? 0);
}

describe('the management listener without authentication', () => {
  let gateway: Gateway;
  beforeEach(async () => {
    gateway = await startGateway({ environment: { MANAGEMENT_HOSTS: 'Gateway., other.example' } });
  });
  afterEach(() => gateway.close());

  it('answers for a name that is not listed, logs it once, and counts every request', async () => {
    for (const host of ['evil.example', 'EVIL.example:8081', 'evil.example.', 'second.example']) {
      expect((await gateway.toManagement('/health/live', { headers: [['host', host]] })).status).toBe(200);
    }
    expect(warnings(gateway).map(({ host }) => host)).toEqual(['evil.example', 'second.example']);
    expect(warnings(gateway)[0]?.msg).toContain('MANAGEMENT_HOSTS');
    expect(await counted(gateway, 'unlisted')).toBe(4);
  });

  it('is silent about loopback, addresses, listed names and requests without a name', async () => {
    for (const host of ['localhost:8081', '127.0.0.1', '[::1]:8081', 'gateway:8081', 'OTHER.example']) {
      await gateway.toManagement('/health/live', { headers: [['host', host]] });
    }
    expect(await raw(gateway.managementUrl, 'GET /health/live HTTP/1.0')).toBe(200);
    expect(await raw(gateway.managementUrl, 'GET /health/live HTTP/1.1', 'Host:', CLOSE)).toBe(200);
    expect(warnings(gateway)).toEqual([]);
    expect([await counted(gateway, 'unlisted'), await counted(gateway, 'malformed')]).toEqual([0, 0]);
  });

  it('refuses HTTP/1.1 without any Host, and with several, as RFC 9112 says', async () => {
    for (const hosts of [[], ['Host: gateway', 'Host: gateway'], ['Host: gateway', 'Host: evil.example']])
      expect(await raw(gateway.managementUrl, 'GET /health/live HTTP/1.1', ...hosts, CLOSE)).toBe(400);
    expect(warnings(gateway)).toEqual([]);
  });

  it('looks at the target in absolute form, at the Host header, and at addresses that do not exist', async () => {
    const url = gateway.managementUrl;
    expect(await raw(url, 'GET http://evil.example/health/live HTTP/1.1', 'Host: localhost', CLOSE)).toBe(200);
    await raw(url, 'GET /health/live HTTP/1.1', 'Host: localhost/', CLOSE);
    await raw(url, 'GET /nothing HTTP/1.1', 'Host: third.example', CLOSE);
    const hosts = warnings(gateway).map(({ host }) => host);
    expect(hosts).toEqual(['evil.example', undefined, 'third.example']);
    expect([await counted(gateway, 'unlisted'), await counted(gateway, 'malformed')]).toEqual([2, 1]);
  });

  it('logs a hundred names, says that it stops, and goes on counting', async () => {
    for (let index = 0; index < 110; index += 1) {
      await gateway.toManagement('/health/live', { headers: [['host', `n${index}.example`]] });
    }
    expect(warnings(gateway)).toHaveLength(101);
    expect(warnings(gateway).at(-1)?.host).toBeUndefined();
    expect(await counted(gateway, 'unlisted')).toBe(110);
  });

  it('logs nothing of what is no name', async () => {
    await raw(gateway.managementUrl, 'GET /health/live HTTP/1.1', 'Host: secret@token/x', CLOSE);
    expect(warnings(gateway)).toHaveLength(1);
    expect(gateway.lines.join('')).not.toContain('secret');
  });
});

it('names do not matter where backends show who they are, nor on the public listener', async () => {
  const digest = 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg';
  const gateway = await startGateway({ environment: { MANAGEMENT_KEY_DIGESTS: digest } });
  try {
    await gateway.toManagement('/health/live', { headers: [['host', 'evil.example']] });
    await gateway.toPublic('/oidc4vci/nonce', { method: 'POST', headers: [['host', 'evil.example']] });
    expect(warnings(gateway)).toEqual([]);
  } finally {
    await gateway.close();
  }
});

describe('figures of the gateway', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  it('are on the management listener only', async () => {
    const { status, headers, text } = await gateway.toManagement('/metrics');
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(headers['content-type']).toMatch(/^text\/plain/);
    expect(text).toContain('process_cpu_seconds_total{service="gateway"}');
    expect((await gateway.toPublic('/metrics')).status).toBe(404);
  });
});
