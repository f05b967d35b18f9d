import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCertificateAuthority, toPem, type Authority, type IssuedCertificate } from '@vestibule/dev-pki';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import { failing, startGateway, type Gateway } from '../testing/gateway.stage';

const gone = failing('not_found', 'credential_offer_not_found');
const answers = { 'issuer.credential-offer.get': gone, 'issuer.credential-status.change': gone };
const digestOf = (key: string) => createHash('sha256').update(key).digest('base64url');
const FORGED = [
  ['actor', 'key:admin'],
  ['x-actor', 'key:admin'],
] as const;
const CALL = '/offers/a';
type Call = readonly [method: string, address: string];
const READ: Call = ['GET', CALL];
const REVOKE: Call = ['PATCH', '/offers/a/status'];

const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-callers-'));
const file = (name: string, text: string): string => {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};
const opened: Gateway[] = [];
async function start(environment: Readonly<Record<string, string>>): Promise<Gateway> {
  const gateway = await startGateway({ answers, environment });
  opened.push(gateway);
  return gateway;
}
afterAll(async () => {
  await Promise.all(opened.map((gateway) => gateway.close()));
  rmSync(folder, { recursive: true });
});
const actorsOf = ({ asked }: Gateway) => asked.map(({ actor }) => actor);
const bearer = (key: string) => ['authorization', `Bearer ${key}`] as const;

describe('the actor that services are told', () => {
  it('is the name of the key, and the beginning of its digest if it has none', async () => {
    const keys = [
      { name: 'shop', digest: digestOf('shop-key'), scopes: ['offer'] },
      { name: 'shop-2', digest: digestOf('shop-key'), scopes: ['offer'] },
    ];
    const gateway = await start({
      MANAGEMENT_CALLERS_FILE: file('callers.json', JSON.stringify({ keys })),
      MANAGEMENT_KEY_DIGESTS: digestOf('old-key'),
    });
    for (const key of ['shop-key', 'old-key']) await gateway.toManagement(CALL, { headers: [bearer(key), ...FORGED] });
    const short = digestOf('old-key').slice(0, 12);
    expect(actorsOf(gateway)).toEqual(['key:shop key:shop-2', `key-digest:${short}`]);
  });

  it('is anonymous where the listener asks nobody, whatever a caller claims to be', async () => {
    const gateway = await start({});
    await gateway.toManagement(CALL, { headers: FORGED });
    expect(actorsOf(gateway)).toEqual(['anonymous']);
  });

  it('is the id of the API key for calls that need one', async () => {
    const gateway = await start({});
    const call = { method: 'POST', headers: [['x-api-key', 'tenant-key'], ...FORGED] } as const;
    await gateway.toManagement('/api/wallet/v1/entity', call);
    await gateway.toPublic('/api/wallet/v1/entity', call);
    const id = createHash('sha256').update('tenant-key').digest('hex').slice(0, 16);
    expect(actorsOf(gateway)).toEqual([`anonymous api-key:${id}`, `api-key:${id}`]);
  });

  it('is nobody for a wallet', async () => {
    const gateway = await start({});
    await gateway.toPublic('/oidc4vci/offers/a', { headers: FORGED });
    expect(gateway.asked).not.toEqual([]);
    expect(new Set(actorsOf(gateway))).toEqual(new Set([undefined]));
  });
});

describe('the actor of an access token', () => {
  let pair: { readonly publicKey: CryptoKey; readonly privateKey: CryptoKey };
  let server: Server;
  beforeAll(async () => {
    pair = await generateKeyPair('ES256', { extractable: true });
    const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1' };
    server = createServer((_request, response) => void response.end(JSON.stringify({ keys: [jwk] })));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it.each([
    ['auth0|62', 'token:auth0|62'],
    ['x key:admin', 'token:x%20key:admin'],
    ['100%', 'token:100%25'],
    ['Zoë\r\n', 'token:Zo%C3%AB%0D%0A'],
    ['ë'.repeat(255), `token:${'%C3%AB'.repeat(255)}`],
    ['s'.repeat(256), `token:sha256-${digestOf('s'.repeat(256))}`],
  ])('is its subject, which cannot pass for another kind of name: %j', async (sub, actor) => {
    const gateway = await start({
      MANAGEMENT_TOKEN_ISSUER: 'https://login.example',
      MANAGEMENT_TOKEN_AUDIENCE: 'https://management.example',
      MANAGEMENT_TOKEN_JWKS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`,
    });
    const token = await new SignJWT({ sub, scope: 'offer' })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k1' })
      .setIssuer('https://login.example')
      .setAudience('https://management.example')
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(pair.privateKey);
    await gateway.toManagement(CALL, { headers: [bearer(token)] });
    expect(actorsOf(gateway)).toEqual([actor]);
  });
});

describe('client certificates, over TLS', () => {
  let authority: Authority;
  let gateway: Gateway;
  const certificates = new Map<string, IssuedCertificate>();
  beforeAll(async () => {
    authority = await createCertificateAuthority({ name: 'Machines', now: new Date() });
    const own = await authority.issue({ name: 'gateway', dnsNames: ['localhost'] });
    for (const name of ['shop.example', 'support.example', 'other.example'])
      certificates.set(name, await authority.issue({ name, dnsNames: [name] }));
    certificates.set('batch', await authority.issue({ name: 'batch' }));
    const clients = [
      { name: 'shop.example', scopes: ['offer'] },
      { name: 'support.example', scopes: ['revoke', 'operate'] },
      { name: 'batch', scopes: ['offer', 'revoke'] },
    ];
    const keys = [{ name: 'night', digest: digestOf('night-key'), scopes: ['offer'] }];
    gateway = await start({
      MANAGEMENT_CALLERS_FILE: file('clients.json', JSON.stringify({ clients })),
      MANAGEMENT_TLS_CERTIFICATE_FILE: file('server.pem', toPem(own.certificate)),
      MANAGEMENT_TLS_KEY: toPem(own.privateKey),
      MANAGEMENT_CLIENT_CA_FILE: file('ca.pem', toPem(authority.certificate)),
    });
    both = await start({
      MANAGEMENT_CALLERS_FILE: file('both.json', JSON.stringify({ clients, keys })),
      MANAGEMENT_TLS_CERTIFICATE_FILE: file('server.pem', toPem(own.certificate)),
      MANAGEMENT_TLS_KEY: toPem(own.privateKey),
      MANAGEMENT_CLIENT_CA_FILE: file('ca.pem', toPem(authority.certificate)),
    });
  });
  let both: Gateway;

  /** The code of the answer to a call of this client. */
  function codeOf(asked: Gateway, call: Call, name: string, key?: string): Promise<unknown> {
    const [method, address] = call;
    const client = certificates.get(name);
    const shown = client ? { cert: toPem(client.certificate), key: toPem(client.privateKey) } : {};
    const headers = {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    };
    const url = new URL(address, asked.managementUrl.replace('http:', 'https:'));
    const tls = { ca: toPem(authority.certificate), servername: 'localhost', agent: false, ...shown } as const;
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, headers, ...tls }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve((JSON.parse(Buffer.concat(chunks).toString()) as { code?: string }).code));
      });
      sent.on('error', reject).end(method === 'PATCH' ? '{"status":"revoked"}' : undefined);
    });
  }

  it.each([
    ['shop.example', 'credential_offer_not_found', 'scope_missing'],
    ['support.example', 'scope_missing', 'credential_offer_not_found'],
    ['batch', 'credential_offer_not_found', 'credential_offer_not_found'],
    ['other.example', 'scope_missing', 'scope_missing'],
    ['nobody', 'client_certificate_required', 'client_certificate_required'],
  ])('have the scopes of their entry and no others: %s', async (name, read, revoke) => {
    const before = gateway.asked.length;
    expect(await codeOf(gateway, READ, name)).toBe(read);
    expect(await codeOf(gateway, REVOKE, name)).toBe(revoke);
    const passed = [read, revoke].filter((code) => code === 'credential_offer_not_found').length;
    expect(gateway.asked.length - before).toBe(passed);
  });

  it('are named in the audit trail, by their alternative name or their subject', async () => {
    const before = gateway.asked.length;
    await codeOf(gateway, READ, 'shop.example');
    await codeOf(gateway, READ, 'batch');
    expect(actorsOf(gateway).slice(before)).toEqual(['certificate:DNS:shop.example', 'certificate:CN=batch']);
  });

  it('with a key may do what both allow, and both are named', async () => {
    expect(await codeOf(both, READ, 'batch', 'night-key')).toBe('credential_offer_not_found');
    expect(await codeOf(both, REVOKE, 'batch', 'night-key')).toBe('scope_missing');
    expect(await codeOf(both, READ, 'support.example', 'night-key')).toBe('scope_missing');
    expect(await codeOf(both, READ, 'batch')).toBe('management_key_missing');
    expect(actorsOf(both)).toEqual(['certificate:CN=batch key:night']);
  });
});
