import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { startGateway, type Gateway } from '../testing/gateway.stage';

const key = 'a-management-key';
const digest = createHash('sha256').update(key).digest('base64url');
const longSegment = 'a'.repeat(5_000);
const UNROUTABLE = ['/%zz', '/oidc4vp/%', '/offers/%ff', '/health/%zz', '/api/wallet/v1/credential/%c0%80', '/%', `/oidc4vp/${longSegment}`]; // prettier-ignore

describe('an address that cannot be decoded or routed', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ environment: { MANAGEMENT_KEY_DIGESTS: digest } });
  });
  afterAll(() => gateway.close());

  it.each(UNROUTABLE)('tells a stranger no more than any other: %#', async (address) => {
    const other = await gateway.toManagement('/nowhere');
    const { status, json, headers } = await gateway.toManagement(address);
    expect([status, json['code'], headers['www-authenticate']]).toEqual([401, 'management_key_missing', 'Bearer']);
    expect({ ...json, instance: '' }).toEqual({ ...other.json, instance: '' });
    const wrong = await gateway.toManagement(address, { headers: [['authorization', 'Bearer wrong']] });
    expect(wrong.json['code']).toBe('management_key_invalid');
  });

  it.each(UNROUTABLE)('is what it is for who has a key: %#', async (address) => {
    const { status, headers } = await gateway.toManagement(address, { headers: [['authorization', `Bearer ${key}`]] });
    expect([400, 404]).toContain(status);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(gateway.lines.at(-1)).toContain('"msg":"answered"');
  });
});

/** All bytes of the answers to a request that is written in two parts; the second when `when` has been seen. */
function converse(url: string, first: string, when: RegExp, second: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    let isSent = false;
    socket.on('data', (chunk) => {
      text += chunk.toString();
      if (isSent || !when.test(text)) return;
      isSent = true;
      socket.write(second);
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
    socket.write(first);
  });
}

describe('a client that asks before it sends a body (RFC 9110 §10.1.1)', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ environment: { MANAGEMENT_KEY_DIGESTS: digest } });
  });
  afterAll(() => gateway.close());
  const head = (target: string, ...lines: string[]): string =>
    [`POST ${target} HTTP/1.1`, 'Host: localhost', 'Expect: 100-continue', 'Content-Type: application/json', 'Content-Length: 2', ...lines, '', ''].join('\r\n'); // prettier-ignore
  const CONTINUE = /^HTTP\/1\.1 100 Continue/;

  it.each(['/oidc4vp', '/offers', '/nowhere', '/%zz', '/schemas'])(
    'hears 401 first on the management listener, and not 100: %s',
    async (target) => {
      const text = await converse(gateway.managementUrl, head(target), /^HTTP\/1\.1 \d{3} /, '{}');
      expect(text).toMatch(/^HTTP\/1\.1 401 /);
      expect(text).toMatch(/\r\nconnection: close\r\n/i);
      expect(text).not.toMatch(CONTINUE);
    },
  );

  it.each(['Authorization: Bearer a-management-key'])(
    'hears 100 with its key, and then the answer: %s',
    async (line) => {
      const text = await converse(gateway.managementUrl, head('/oidc4vp', line, 'Connection: close'), CONTINUE, '{}');
      expect(text).toMatch(CONTINUE);
      expect(text).toMatch(/HTTP\/1\.1 503 /);
    },
  );

  it('is not invited to an address that does not exist, or without the key of a tenant', async () => {
    const authorized = 'Authorization: Bearer a-management-key';
    expect(await converse(gateway.managementUrl, head('/nowhere', authorized), /^HTTP/, '{}')).toMatch(
      /^HTTP\/1\.1 404 /,
    );
    expect(await converse(gateway.managementUrl, head('/schemas', authorized), /^HTTP/, '{}')).toMatch(
      /^HTTP\/1\.1 401 /,
    );
    expect(await converse(gateway.publicUrl, head('/schemas'), /^HTTP/, '{}')).toMatch(/^HTTP\/1\.1 401 /);
    expect(await converse(gateway.publicUrl, head('/oidc4vp/%20/response'), /^HTTP/, '{}')).toMatch(
      /^HTTP\/1\.1 4\d\d /,
    );
  });

  it('is invited on the public listener', async () => {
    const text = await converse(gateway.publicUrl, head('/oidc4vci/nonce', 'Connection: close'), CONTINUE, '{}');
    expect(text).toMatch(CONTINUE);
    expect(text).toMatch(/HTTP\/1\.1 503 /);
  });
});
