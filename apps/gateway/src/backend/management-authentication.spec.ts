import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request, type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { createCertificateAuthority, toPem, type Authority } from '@vestibule/dev-pki';
import { failing, jsonPost, startGateway, type Gateway, type Sent } from '../testing/gateway.stage';

const CREATED = {
  state: 's',
  same_device_request_uri: 'openid4vp://a',
  cross_device_request_uri: 'openid4vp://b',
};
const answers = {
  'verifier.presentation-request.create': CREATED,
  'wallet-store.entity.create': failing('unauthenticated', 'api_key_invalid'),
};
const digestOf = (key: string) => createHash('sha256').update(key).digest('base64url');

describe('without a configured key or authority', () => {
  it('C:5.2 every backend that reaches the management listener is served', async () => {
    const gateway = await startGateway({ answers });
    expect((await gateway.toManagement('/oidc4vp', jsonPost({}))).status).toBe(201);
    await gateway.close();
  });
});

describe('bearer keys of the management listener', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    const environment = { MANAGEMENT_KEY_DIGESTS: `${digestOf('old-key')}, ${digestOf('new-key~1==')}` };
    gateway = await startGateway({ answers, environment });
  });
  afterAll(() => gateway.close());
  const creation = (...headers: (readonly [string, string])[]): Sent => jsonPost({}, ...headers);

  it.each(['old-key', 'new-key~1=='])('%s, one of several valid ones, opens it', async (key) => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const { status } = await gateway.toManagement('/oidc4vp', creation(['authorization', `${scheme} ${key}`]));
      expect(status).toBe(201);
    }
  });

  it.each<[string, (readonly [string, string])[]]>([
    ['no header', []],
    ['another scheme', [['authorization', 'Basic old-key']]],
    ['the key alone', [['authorization', 'old-key']]],
    ['no key', [['authorization', 'Bearer ']]],
    ['characters that no key has', [['authorization', 'Bearer old key']]],
    ['a key of 513 characters', [['authorization', `Bearer ${'k'.repeat(513)}`]]],
    ['two headers', [['authorization', 'Bearer old-key'], ['authorization', 'Bearer old-key']]], // prettier-ignore
  ])('%s is answered with 401 and nothing is done', async (_name, headers) => {
    const before = gateway.asked.length;
    const { status, json, headers: got } = await gateway.toManagement('/oidc4vp', creation(...headers));
    expect([status, json['code'], got['www-authenticate']]).toEqual([401, 'management_key_missing', 'Bearer']);
    expect(gateway.asked).toHaveLength(before);
  });

  it.each(['old-key2', 'Old-key', digestOf('old-key'), 'old-ke'])('%s is not one of them', async (key) => {
    const { status, json, headers, text } = await gateway.toManagement(
      '/oidc4vp',
      creation(['authorization', `Bearer ${key}`]),
    );
    expect([status, json['code']]).toEqual([401, 'management_key_invalid']);
    expect(headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    expect(text + gateway.lines.join('')).not.toContain(key);
  });

  it.each([
    '/openapi.json',
    '/oidc4vp/a',
    '/offers/a',
    '/metrics',
    '/nothing',
    '/health/live/more',
    '/health/../offers',
  ])('%s is closed, so that a stranger does not even learn which addresses exist', async (address) => {
    expect((await gateway.toManagement(address)).status).toBe(401);
  });

  it('an oversized body of a stranger is not read', async () => {
    const { status } = await gateway.toManagement('/oidc4vp', {
      ...creation(),
      body: `{"a":"${'x'.repeat(300_000)}"}`,
    });
    expect(status).toBe(401);
  });

  it.each(['/health/live', '/health/ready'])('%s stays open for probes', async (address) => {
    expect((await gateway.toManagement(address)).status).not.toBe(401);
  });

  it('the wallet content API asks for its own key too', async () => {
    const both = [['authorization', 'Bearer old-key'], ['x-api-key', 'k']] as const; // prettier-ignore
    const post = (headers: typeof both | readonly []) => ({ method: 'POST', headers });
    expect((await gateway.toManagement('/api/wallet/v1/entity', post([]))).json['code']).toBe('management_key_missing');
    expect((await gateway.toManagement('/api/wallet/v1/entity', post(both))).json['code']).toBe('api_key_invalid');
  });

  it('the public listener asks for none', async () => {
    expect((await gateway.toPublic('/oidc4vci/nonce', { method: 'POST' })).status).toBe(503);
  });
});

describe('mutual TLS of the management listener', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-tls-'));
  const certificates: { authority: Authority; stranger: Authority } = {} as never;
  let gateway: Gateway;
  const file = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };

  beforeAll(async () => {
    certificates.authority = await createCertificateAuthority({ name: 'Backends', now: new Date() });
    certificates.stranger = await createCertificateAuthority({ name: 'Strangers', now: new Date() });
    const server = await certificates.authority.issue({ name: 'gateway', dnsNames: ['localhost'] });
    gateway = await startGateway({
      answers,
      environment: {
        MANAGEMENT_TLS_CERTIFICATE_FILE: file('server.pem', toPem(server.certificate)),
        MANAGEMENT_TLS_KEY: toPem(server.privateKey),
        MANAGEMENT_CLIENT_CA_FILE: file('ca.pem', toPem(certificates.authority.certificate)),
      },
    });
  });
  afterAll(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true });
  });

  /** Status and code of an answer over TLS, with the certificate of a client or none. */
  async function get(address: string, signer?: Authority, options: RequestOptions = {}): Promise<[number, unknown]> {
    const client = signer ? await signer.issue({ name: 'backend' }) : undefined;
    const identity = client ? { cert: toPem(client.certificate), key: toPem(client.privateKey) } : {};
    const url = new URL(address, gateway.managementUrl.replace('http:', 'https:'));
    const ca = toPem(certificates.authority.certificate);
    return new Promise((resolve, reject) => {
      const tls = { ca, servername: 'localhost', agent: false, ...identity, ...options };
      request(url, tls, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { code?: string };
          resolve([response.statusCode ?? 0, body.code]);
        });
      })
        .on('error', reject)
        .end();
    });
  }

  it('serves who has a certificate of the authority', async () => {
    expect(await get('/openapi.json', certificates.authority)).toEqual([200, undefined]);
  });

  it('refuses who has none, or one of another authority', async () => {
    expect(await get('/openapi.json')).toEqual([403, 'client_certificate_required']);
    expect(await get('/openapi.json', certificates.stranger)).toEqual([403, 'client_certificate_required']);
    expect(await get('/nothing')).toEqual([403, 'client_certificate_required']);
  });

  it('lets probes ask for the health', async () => {
    expect((await get('/health/live'))[0]).toBe(200);
  });

  it('answers the health check of the images', async () => {
    const check = (environment: Record<string, string>) =>
      promisify(execFile)(process.execPath, ['deploy/health-check.cjs', '/health/live'], { env: environment });
    const MANAGEMENT_PORT = new URL(gateway.managementUrl).port;
    await check({ MANAGEMENT_PORT, MANAGEMENT_TLS_CERTIFICATE_FILE: path.join(folder, 'server.pem') });
    await expect(check({ MANAGEMENT_PORT })).rejects.toMatchObject({ code: 1 });
  });

  it('speaks no TLS older than 1.2, and no plain HTTP', async () => {
    await expect(get('/health/live', undefined, { maxVersion: 'TLSv1.1', minVersion: 'TLSv1' })).rejects.toThrow();
    await expect(gateway.toManagement('/health/live')).rejects.toThrow();
  });

  it('stops the start when a part is missing, unreadable or does not fit', async () => {
    const certificate = path.join(folder, 'server.pem');
    const ca = path.join(folder, 'ca.pem');
    const other = toPem(certificates.stranger.privateKey);
    const faulty: Record<string, string>[] = [
      { MANAGEMENT_CLIENT_CA_FILE: ca },
      { MANAGEMENT_TLS_CERTIFICATE_FILE: certificate, MANAGEMENT_TLS_KEY: other },
      { MANAGEMENT_TLS_CERTIFICATE_FILE: certificate, MANAGEMENT_TLS_KEY: other, MANAGEMENT_CLIENT_CA_FILE: ca },
      {
        MANAGEMENT_TLS_CERTIFICATE_FILE: path.join(folder, 'absent.pem'),
        MANAGEMENT_TLS_KEY: other,
        MANAGEMENT_CLIENT_CA_FILE: ca,
      },
    ];
    for (const environment of faulty) {
      await expect(startGateway({ environment })).rejects.toMatchObject({ code: 'management_tls_unusable' });
    }
    await expect(startGateway({ environment: faulty.at(-1) ?? {} })).rejects.toThrow(
      `MANAGEMENT_TLS_CERTIFICATE_FILE: ${path.join(folder, 'absent.pem')} cannot be read (ENOENT)`,
    );
  });
});
