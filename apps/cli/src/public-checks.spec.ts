import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCertificateAuthority, toPem, type Authority } from '@vestibule/dev-pki';
import { UsageError } from './command';
import { examinePublicly } from './public-checks';
import { lookAt } from './public-look';

const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-public-'));
const DAY_MILLISECONDS = 86_400_000;
const servers: Server[] = [];
let root: Authority;
let intermediate: Authority;
let ca: string;

beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Public', now: new Date() });
  intermediate = await root.issueAuthority({ name: 'Between' });
  ca = path.join(folder, 'ca.pem');
  writeFileSync(ca, toPem(root.certificate));
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Planted {
  readonly name?: string;
  readonly days?: number;
  /** Is the intermediate sent? */
  readonly whole?: boolean;
  /** Answers before the gateway; false: let the gateway answer. */
  readonly instead?: (path: string) => readonly [number, string] | undefined;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const open = (server: Server) =>
  new Promise<number>((resolve) => {
    servers.push(server);
    server.listen(0, '127.0.0.1', () => resolve(portOf(server)));
  });

/** What a gateway with these public addresses answers to strangers. */
function gateway(issuer: () => string, instead: Planted['instead']): RequestListener {
  return (request, response) => {
    const place = request.url ?? '';
    const other = instead?.(place);
    const document = /^\/\.well-known\/(openid-credential-issuer|oauth-authorization-server|jwt-vc-issuer)(.*)$/.exec(
      place,
    );
    const isKnown = document !== null && `https://localhost:${request.socket.localPort}${document[2]}` === issuer();
    const named = document?.[1] === 'openid-credential-issuer' ? { credential_issuer: issuer() } : { issuer: issuer() };
    const [status, body] = other ?? (isKnown ? [200, JSON.stringify(named)] : [404, '{"error":"not_found"}']);
    response.writeHead(status, { connection: 'close' }).end(body);
  };
}

/** A deployment, and the line of the doctor for it. */
async function deployment(planted: Planted = {}, issuerPath = '') {
  const { name = 'localhost', days = 90, whole = true } = planted;
  const leaf = await intermediate.issue({
    name: 'public',
    dnsNames: [name],
    notAfter: new Date(Date.now() + days * DAY_MILLISECONDS),
  });
  const chain = whole ? [leaf.certificate, intermediate.certificate] : [leaf.certificate];
  let base = '';
  const server = createServer(
    { cert: toPem(chain), key: toPem(leaf.privateKey) },
    gateway(() => `${base}${issuerPath}`, planted.instead),
  );
  base = `https://localhost:${await open(server)}`;
  return { base, issuer: `${base}${issuerPath}` };
}

const examine = (options: Readonly<Record<string, string>>, environment: Readonly<Record<string, string>> = {}) =>
  examinePublicly({
    arguments: {},
    options: { ca, ...options },
    host: {
      environment: { MANAGEMENT_PORT: '1', ...environment },
      apps: '',
      read: () => Promise.resolve(''),
      print: () => undefined,
      paint: () => undefined,
      report: () => undefined,
    },
  });
const codes = async (...given: Parameters<typeof examine>) =>
  (await examine(...given)).flatMap(({ check, level, code, remedy }) =>
    level === 'ok' ? [] : [`${check}: ${code}`, ...(remedy ? [] : ['without a remedy'])],
  );

describe('vestibule doctor --public', () => {
  it.each(['', '/tenants/one'])('finds nothing where wallets find everything, with an issuer at %p', async (path) => {
    const { base, issuer } = await deployment({}, path);
    const results = await examine({ url: base, issuer });
    expect(results.map(({ check, level }) => `${check}: ${level}`)).toEqual([
      'public name: ok',
      'public listener: ok',
      'well-known documents: ok',
      'management: ok',
    ]);
  });

  const html = [200, '<html>'] as const;
  it.each<[string, Planted, readonly string[]]>([
    ['the chain without its intermediate', { whole: false }, ['public listener: public_chain_incomplete']],
    ['a certificate for another name', { name: 'other.example' }, ['public listener: public_certificate_refused']],
    ['a certificate that is over', { days: -1 }, ['public listener: public_certificate_refused']],
    ['a certificate that ends soon', { days: 10 }, ['public listener: certificate_ends_soon']],
    [
      'a proxy that does not forward wallets',
      { instead: (place) => (place.startsWith('/oidc4vp') ? html : undefined) },
      ['public listener: public_not_gateway'],
    ],
    [
      'a proxy that keeps well-known documents for itself',
      { instead: (place) => (place.includes('jwt-vc-issuer') ? [404, '<html>'] : undefined) },
      ['well-known documents: well_known_missing'],
    ],
    [
      'a document of another issuer',
      { instead: (place) => (place.includes('oauth-') ? [200, '{"issuer":"https://other.example"}'] : undefined) },
      ['well-known documents: well_known_differs'],
    ],
    [
      'a proxy that forwards everything',
      { instead: (place) => (['/health/ready', '/metrics'].includes(place) ? [200, '{}'] : undefined) },
      ['management: management_exposed', 'management: management_exposed'],
    ],
    [
      'a proxy that forwards everything to a listener that asks for keys, while a service is away',
      {
        instead: (place) =>
          place === '/health/live' ? [200, '{}'] : /health|metrics|call/.test(place) ? [503, ''] : undefined,
      },
      ['management: management_exposed'],
    ],
    [
      'a proxy that forwards only what backends call',
      { instead: (place) => (place === '/offers' ? [200, '[]'] : undefined) },
      ['management: management_exposed'],
    ],
  ])('finds %s', async (_what, planted, expected) => {
    const { base } = await deployment(planted);
    expect(await codes({ url: base })).toEqual(expected);
  });

  it('finds a management port that is open beside the public one', async () => {
    const { base } = await deployment();
    const port = await open(createHttpServer((_request, response) => response.end()));
    const found = await codes({}, { BASE_URL: base, MANAGEMENT_PORT: String(port) });
    expect(found).toEqual(['management: management_exposed']);
  });

  it('finds names that lead nowhere, and addresses without https', async () => {
    const { base } = await deployment();
    expect(await codes({ url: 'https://nowhere.invalid' })).toEqual(['public name: public_name_unknown']);
    expect(await codes({ url: base.replace('https', 'http') })).toContain('public name: public_without_https');
    await new Promise((resolve) => servers.pop()?.close(resolve));
    expect(await codes({ url: base })).toEqual(['public listener: public_unreachable']);
  });

  it('says which address it needs', async () => {
    await expect(examine({})).rejects.toThrow(UsageError);
    await expect(examine({ url: 'no url' })).rejects.toThrow('--url must be a URL');
  });
});

describe('an address that is looked at', () => {
  it('is given up after some time, even if bytes of its answer go on coming', async () => {
    const dripping: NodeJS.Timeout[] = [];
    const server = createHttpServer((_request, response) => {
      response.writeHead(200);
      dripping.push(setInterval(() => response.write(' '), 5));
    });
    const url = new URL(`http://127.0.0.1:${await open(server)}`);
    await expect(lookAt(url, undefined, 100)).resolves.toEqual({ failure: 'ETIMEDOUT' });
    dripping.forEach(clearInterval);
  });
});
