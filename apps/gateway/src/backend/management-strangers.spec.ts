import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCertificateAuthority, toPem, type Authority, type IssuedCertificate } from '@vestibule/dev-pki';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { startGateway, type Gateway } from '../testing/gateway.stage';

/* Whoever has a certificate or token that is almost right: for another use, of another time, or of somebody else. */

const DAY = 86_400_000;
const AUDIENCE = 'https://management.example';
const ISSUER = 'https://login.example';
const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-strangers-'));
const file = (name: string, text: string): string => {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};
const usage = (last: number) => ({
  oid: '2.5.29.37',
  critical: false,
  value: Buffer.from([0x30, 10, 0x06, 8, 0x2b, 6, 1, 5, 5, 7, 3, last]),
});

let authority: Authority;
let own: IssuedCertificate;
let client: IssuedCertificate;
let pair: { readonly publicKey: CryptoKey; readonly privateKey: CryptoKey };
let encryption: typeof pair;
let keys: Server;
const opened: Gateway[] = [];
let withCertificates: Gateway;
let withTokens: Gateway;
let withBoth: Gateway;

beforeAll(async () => {
  authority = await createCertificateAuthority({ name: 'Machines', now: new Date() });
  own = await authority.issue({ name: 'gateway', dnsNames: ['localhost'] });
  client = await authority.issue({ name: 'shop' });
  pair = await generateKeyPair('ES256', { extractable: true });
  encryption = await generateKeyPair('ES256', { extractable: true });
  const jwks: JWK[] = [
    { ...(await exportJWK(pair.publicKey)), kid: 'k1' },
    { ...(await exportJWK(encryption.publicKey)), kid: 'k2', use: 'enc' },
  ];
  keys = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys: jwks }));
  });
  await new Promise<void>((resolve) => keys.listen(0, '127.0.0.1', resolve));
  const tls = {
    MANAGEMENT_TLS_CERTIFICATE_FILE: file('server.pem', toPem(own.certificate)),
    MANAGEMENT_TLS_KEY: toPem(own.privateKey),
    MANAGEMENT_CLIENT_CA_FILE: file('ca.pem', toPem(authority.certificate)),
  };
  const tokens = {
    MANAGEMENT_TOKEN_ISSUER: ISSUER,
    MANAGEMENT_TOKEN_AUDIENCE: AUDIENCE,
    MANAGEMENT_TOKEN_JWKS_URL: `http://127.0.0.1:${(keys.address() as AddressInfo).port}/jwks`,
  };
  const start = async (environment: Record<string, string>) => {
    const gateway = await startGateway({ environment });
    opened.push(gateway);
    return gateway;
  };
  withCertificates = await start(tls);
  withTokens = await start(tokens);
  withBoth = await start({ ...tls, ...tokens });
});
afterAll(async () => {
  await Promise.all(opened.map((gateway) => gateway.close()));
  keys.closeAllConnections();
  await new Promise((resolve) => keys.close(resolve));
  rmSync(folder, { recursive: true });
});

interface Shown {
  readonly identity?: IssuedCertificate;
  /** Sent after the certificate. */
  readonly above?: readonly Uint8Array[];
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Status and code of an answer over TLS. */
function get(gateway: Gateway, { identity, above = [], token, headers = {} }: Shown) {
  const shown = identity
    ? { cert: toPem([identity.certificate, ...above.map(Buffer.from)]), key: toPem(identity.privateKey) }
    : {};
  const sent = { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  const url = new URL('/openapi.json', gateway.managementUrl.replace('http:', 'https:'));
  const tls = { ca: toPem(authority.certificate), servername: 'localhost', agent: false as const };
  return new Promise<[number | undefined, unknown]>((resolve, reject) => {
    request(url, { ...tls, ...shown, headers: sent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const { code } = JSON.parse(Buffer.concat(chunks).toString()) as { code?: string };
        resolve([response.statusCode, code]);
      });
    })
      .on('error', reject)
      .end();
  });
}

const OPEN = [200, undefined];
const REQUIRED = [403, 'client_certificate_required'];
const INVALID = [401, 'management_token_invalid'];

describe('a client certificate', () => {
  it('opens the listener, for clients or for any use', async () => {
    expect(await get(withCertificates, { identity: client })).toEqual(OPEN);
    const forClients = await authority.issue({ name: 'shop', extensions: [usage(2)] });
    expect(await get(withCertificates, { identity: forClients })).toEqual(OPEN);
  });

  it.each<[string, () => Promise<Shown>]>([
    ['for servers alone', async () => ({ identity: await authority.issue({ name: 'shop', extensions: [usage(1)] }) })],
    ['for email alone', async () => ({ identity: await authority.issue({ name: 'shop', extensions: [usage(4)] }) })],
    [
      'that has expired',
      async () => ({
        identity: await authority.issue({
          name: 'shop',
          notBefore: new Date(Date.now() - 2 * DAY),
          notAfter: new Date(Date.now() - DAY),
        }),
      }),
    ],
    [
      'that is not valid yet',
      async () => ({ identity: await authority.issue({ name: 'shop', notBefore: new Date(Date.now() + DAY) }) }),
    ],
    [
      'of an authority with the same name',
      async () => {
        const other = await createCertificateAuthority({ name: 'Machines', now: new Date() });
        return { identity: await other.issue({ name: 'shop' }), above: [other.certificate] };
      },
    ],
    [
      'that another client issued',
      async () => {
        const { privateKey: signingKey, certificate } = client;
        return {
          identity: await authority.issue({ name: 'shop', issuerName: 'shop', signingKey }),
          above: [certificate],
        };
      },
    ],
    ['that only a header names', () => Promise.resolve({ headers: headersOfProxies() })],
  ])('%s opens nothing', async (_what, make) => {
    expect(await get(withCertificates, await make())).toEqual(REQUIRED);
  });
});

/** What proxies that end TLS say of client certificates, and where else an identity might be taken from. */
function headersOfProxies() {
  const pem = encodeURIComponent(toPem(client.certificate));
  return {
    'x-forwarded-client-cert': `Hash=00;Cert="${pem}";Subject="CN=shop"`,
    'x-ssl-client-cert': pem,
    'x-ssl-client-verify': 'SUCCESS',
    'client-cert': `:${Buffer.from(client.certificate).toString('base64')}:`,
    'x-client-verify': 'SUCCESS',
    'x-forwarded-for': '127.0.0.1',
    'x-real-ip': '127.0.0.1',
    'x-original-url': '/health/live',
    'x-rewrite-url': '/health/live',
    forwarded: 'for=127.0.0.1;proto=https',
  };
}

const now = Math.floor(Date.now() / 1000);
const CLAIMS = { iss: ISSUER, aud: AUDIENCE, sub: 'shop', iat: now - 10, exp: now + 3_000, scope: 'present' };
const HEADER = { alg: 'ES256', typ: 'at+jwt', kid: 'k1' };
const token = (claims: object = {}, header: object = {}, key = pair.privateKey) =>
  new SignJWT({ ...CLAIMS, ...claims }).setProtectedHeader({ ...HEADER, ...header }).sign(key);
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('an access token', () => {
  const status = async (text: string) => {
    const sent = { headers: [['authorization', `Bearer ${text}`]] as const };
    const { status: got, json } = await withTokens.toManagement('/openapi.json', sent);
    return [got, json['code']];
  };

  it('opens the listener', async () => {
    expect(await status(await token())).toEqual(OPEN);
  });

  it.each<[string, () => Promise<string>]>([
    [
      'whose header brings its own key',
      async () => {
        const other = await generateKeyPair('ES256', { extractable: true });
        const jwk = await exportJWK(other.publicKey);
        return token({}, { jwk, jku: 'https://other.example/jwks' }, other.privateKey);
      },
    ],
    ['of a key for encryption', () => token({}, { kid: 'k2' }, encryption.privateKey)],
    ['of a key for encryption under the kid of another', () => token({}, {}, encryption.privateKey)],
    [
      'whose secret is the public key',
      async () => {
        const input = `${encoded({ ...HEADER, alg: 'HS256' })}.${encoded(CLAIMS)}`;
        const secret = await exportSPKI(pair.publicKey);
        return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
      },
    ],
    ['with a signature of zeros', () => Promise.resolve(`${encoded(HEADER)}.${encoded(CLAIMS)}.${'A'.repeat(86)}`)],
    [
      'with a critical extension',
      async () => {
        const [, payload, signature] = (await token()).split('.');
        return `${encoded({ ...HEADER, crit: ['exp'], exp: now })}.${payload}.${signature}`;
      },
    ],
    ['for an audience that begins with this one', () => token({ aud: `${AUDIENCE}.other.example` })],
    ['for several others', () => token({ aud: ['https://other.example', `${AUDIENCE}/`] })],
    ['of an issuer with a slash more', () => token({ iss: `${ISSUER}/` })],
    ['that is bound to a certificate', () => token({ cnf: { 'x5t#S256': hashOf(client) } })],
    ['that is bound to a key', () => token({ cnf: { jkt: 'a'.repeat(43) } })],
    ['that is bound to nothing that can be read', () => token({ cnf: null })],
  ])('%s opens nothing', async (_what, make) => {
    expect(await status(await make())).toEqual(INVALID);
  });
});

const hashOf = ({ certificate }: IssuedCertificate) => createHash('sha256').update(certificate).digest('base64url');

describe('an access token that is bound to a certificate', () => {
  it('is for who shows that, and for nobody else', async () => {
    const bound = await token({ cnf: { 'x5t#S256': hashOf(client) } });
    expect(await get(withBoth, { identity: client, token: bound })).toEqual(OPEN);
    expect(await get(withBoth, { identity: client, token: await token() })).toEqual(OPEN);
    const other = await authority.issue({ name: 'shop' });
    expect(await get(withBoth, { identity: other, token: bound })).toEqual(INVALID);
    expect(await get(withBoth, { token: bound, headers: headersOfProxies() })).toEqual(REQUIRED);
    const both = await token({ cnf: { 'x5t#S256': hashOf(client), jkt: 'a'.repeat(43) } });
    expect(await get(withBoth, { identity: client, token: both })).toEqual(INVALID);
  });
});
