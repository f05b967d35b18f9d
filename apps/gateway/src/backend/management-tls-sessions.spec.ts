import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect, type ConnectionOptions } from 'node:tls';
import { createCertificateAuthority, toPem, type Authority } from '@vestibule/dev-pki';
import { fastify } from 'fastify';
import { guardEveryRequest } from '../http/early-guard';
import { startGateway, type Gateway } from '../testing/gateway.stage';
import { ClientCertificateGuard } from './client-certificate.guard';
import { exchange, opensslExchange, TLS_VERSIONS } from '../testing/tls-clients.stage';

const CLOSED = '/openapi.json';
const OPEN = '/health/live';
const REFUSED = { status: 403, code: 'client_certificate_required' };

/** Certificate and key of a client, as node:tls takes them and as files for openssl. */
interface Identity {
  readonly cert: string;
  readonly key: string;
  readonly arguments: readonly string[];
}

describe.each(TLS_VERSIONS)('sessions of the management listener with mutual TLS, %s', (version, flag) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-sessions-'));
  const file = (name: string, text?: string): string => {
    const full = path.join(folder, name);
    if (text !== undefined) writeFileSync(full, text);
    return full;
  };
  let gateway: Gateway;
  let port: number;
  let sessionFiles = 0;
  let ca: string;
  let backend: Identity;
  let stranger: Identity;

  async function identityOf(authority: Authority, name: string): Promise<Identity> {
    const issued = await authority.issue({ name });
    const [cert, key] = [toPem(issued.certificate), toPem(issued.privateKey)];
    return { cert, key, arguments: ['-cert', file(`${name}.pem`, cert), '-key', file(`${name}-key.pem`, key)] };
  }

  beforeAll(async () => {
    const authority = await createCertificateAuthority({ name: 'Backends', now: new Date() });
    backend = await identityOf(authority, 'backend');
    stranger = await identityOf(await createCertificateAuthority({ name: 'Strangers', now: new Date() }), 'stranger');
    const server = await authority.issue({ name: 'gateway', dnsNames: ['localhost'] });
    ca = toPem(authority.certificate);
    gateway = await startGateway({
      environment: {
        MANAGEMENT_TLS_CERTIFICATE_FILE: file('server.pem', toPem(server.certificate)),
        MANAGEMENT_TLS_KEY: toPem(server.privateKey),
        MANAGEMENT_CLIENT_CA_FILE: file('ca.pem', ca),
      },
    });
    port = Number(new URL(gateway.managementUrl).port);
  });
  afterAll(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true });
  });

  const optionsOf = (identity?: Identity): ConnectionOptions => ({
    host: '127.0.0.1',
    port,
    ca,
    minVersion: version,
    maxVersion: version,
    ...(identity ? { cert: identity.cert, key: identity.key } : {}),
  });

  const CLIENTS = [
    ['without a certificate', () => undefined],
    ['with a certificate of another authority', () => stranger],
    ['with its certificate', () => backend],
  ] as const;

  it.each(CLIENTS)('a session that began %s opens nothing to who shows none (node:tls)', async (_name, who) => {
    const first = await exchange(optionsOf(who()), OPEN);
    expect(first.status).toBe(200);
    for (const session of first.sessions) {
      expect(await exchange({ ...optionsOf(), session }, CLOSED)).toMatchObject({ ...REFUSED, reused: false });
    }
  });

  it.each(CLIENTS)('a session that began %s opens nothing to who shows none (openssl)', async (_name, who) => {
    const session = file(`${(sessionFiles += 1)}.session`);
    const first = await opensslExchange(port, OPEN, [flag, '-sess_out', session, ...(who()?.arguments ?? [])]);
    expect(first.status).toBe(200);
    // Without a ticket there is nothing to keep; TLS 1.3 sends one that is good for nothing.
    if (!existsSync(session)) return;
    expect(await opensslExchange(port, CLOSED, [flag, '-sess_in', session])).toEqual({ ...REFUSED, reused: false });
  });

  it('a session of its own does not spare a backend its certificate, which is looked at anew', async () => {
    const first = await exchange(optionsOf(backend), CLOSED);
    expect(first.status).toBe(200);
    for (const session of first.sessions) {
      expect(await exchange({ ...optionsOf(backend), session }, CLOSED)).toMatchObject({ status: 200, reused: false });
      expect(await exchange({ ...optionsOf(stranger), session }, CLOSED)).toMatchObject({ ...REFUSED, reused: false });
    }
  });

  // TLS 1.3 knows no renegotiation.
  const onlyBefore13 = version === 'TLSv1.2' ? it : (_title: string, _test: () => Promise<void>) => undefined;
  onlyBefore13('a connection is not renegotiated: it stays with the certificate that it began with', async () => {
    const socket = connect({ servername: 'localhost', ...optionsOf(backend) });
    await once(socket, 'secureConnect');
    const end = new Promise<string>((resolve) => {
      socket.once('error', (error) => resolve(error.message));
      socket.renegotiate({}, (error) => resolve(error?.message ?? 'renegotiated'));
    });
    expect(await end).toMatch(/no renegotiation/i);
    socket.destroy();
  });
});

describe('a listener that hands out sessions', () => {
  it.each(TLS_VERSIONS)('serves nobody without a certificate on a resumed one, %s', async (version) => {
    const authority = await createCertificateAuthority({ name: 'Backends', now: new Date() });
    const server = await authority.issue({ name: 'gateway', dnsNames: ['localhost'] });
    const ca = toPem(authority.certificate);
    const https = { cert: toPem(server.certificate), key: toPem(server.privateKey), ca };
    const instance = fastify({ https: { ...https, requestCert: true, rejectUnauthorized: false } });
    guardEveryRequest(instance as never, [
      new ClientCertificateGuard({
        isOpen: (url) => url === OPEN,
        isAllowed: () => true,
        scopesOf: () => [],
        clock: () => new Date(),
      }),
    ]);
    instance.get(OPEN, () => ({}));
    instance.get(CLOSED, () => ({}));
    await instance.listen({ port: 0, host: '127.0.0.1' });
    const { port } = instance.server.address() as AddressInfo;
    const options: ConnectionOptions = { host: '127.0.0.1', port, ca, minVersion: version, maxVersion: version };
    const { sessions } = await exchange(options, OPEN);
    expect(sessions).not.toEqual([]);
    for (const session of sessions) {
      const resumed = await exchange({ ...options, session }, CLOSED);
      expect(resumed).toMatchObject({ reused: true, code: REFUSED.code });
    }
    await instance.close();
  });
});
