import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createNetServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type SecureVersion } from 'node:tls';
import { createCertificateAuthority, toPem, type Authority, type KeyType } from '@vestibule/dev-pki';
import { createEgress, type Egress, type GetOptions } from './index';

const limits: GetOptions = {
  purpose: 'crl',
  accept: '*/*',
  maxBytes: 2_000_000,
  timeoutMilliseconds: 30_000,
  maxRedirects: 0,
};
const code = (expected: string) => expect.objectContaining({ code: expected, kind: 'unavailable' });

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Chain {
  readonly root: string;
  readonly cert: string;
  readonly key: string;
}

/** A chain of so many certificates, the leaf for `host.test`, below a root that is not in it. */
async function chainOf(length: number, keyType: KeyType = 'P-256', filling = 0): Promise<Chain> {
  const extensions = filling > 0 ? [{ oid: '1.2.3.4', critical: false, value: randomBytes(filling) }] : [];
  const root = await createCertificateAuthority({ name: 'Root', now: new Date(), keyType });
  let authority: Authority = root;
  const above: Buffer[] = [];
  for (let depth = 1; depth < length; depth += 1) {
    authority = await authority.issueAuthority({ name: `A${depth}`, keyType, extensions });
    above.unshift(authority.certificate);
  }
  const leaf = await authority.issue({ name: 'host.test', dnsNames: ['host.test'], extensions });
  return { root: toPem(root.certificate), cert: toPem([leaf.certificate, ...above]), key: toPem(leaf.privateKey) };
}

async function listen(server: Server): Promise<number> {
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket.on('error', () => undefined).on('close', () => connections.delete(socket)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    for (const connection of connections) connection.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Asks a host for a body of so many bytes, by an egress that trusts the root of the chain. */
async function ask(chain: Chain, bytes: number, version: SecureVersion = 'TLSv1.3') {
  const { cert, key } = chain;
  const server = createTlsServer({ cert, key, minVersion: version, maxVersion: version }, (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`));
  });
  server.on('tlsClientError', () => undefined);
  const port = await listen(server);
  return egressTo(port, [chain.root]).get(`https://host.test:${port}/`, limits);
}

function egressTo(port: number, authorities: readonly string[] = []): Egress {
  const allowDevelopmentHosts = [`host.test:${port}`];
  const egress = createEgress({ allowDevelopmentHosts, authorities, resolve: async () => ['127.0.0.1'] });
  closing.push(() => egress.close());
  return egress;
}

describe.each<SecureVersion>(['TLSv1.2', 'TLSv1.3'])('a host that speaks %s', (version) => {
  it.each<[string, () => Promise<Chain>]>([
    ['a chain of 4 certificates of P-521', () => chainOf(4, 'P-521')],
    ['a chain of 2 certificates of 6,000 bytes', () => chainOf(2, 'P-256', 6_000)],
  ])('is heard with %s, whatever it says afterwards', async (_, chain) => {
    expect((await ask(await chain(), 1_000_000, version)).body).toHaveLength(1_000_000);
  });

  it.each<[string, () => Promise<Chain>]>([
    ['a chain of 95 certificates', () => chainOf(95)],
    ['a chain of 60 certificates of P-521', () => chainOf(60, 'P-521')],
    ['a chain of 3 certificates of 6,000 bytes', () => chainOf(3, 'P-256', 6_000)],
    ['one certificate of 60,000 bytes', () => chainOf(1, 'P-256', 60_000)],
  ])('is left before its chain is looked at, though it is right: %s', async (_, chain) => {
    await expect(ask(await chain(), 1, version)).rejects.toEqual(code('egress_tls'));
  });
});

describe('a host that does not get through its handshake', () => {
  /** A host that does this with each connection; resolves when the connection is closed by the other side. */
  async function hostThat(act: (socket: Socket) => void) {
    let closed: () => void = () => undefined;
    const isClosed = new Promise<void>((resolve) => (closed = resolve));
    const port = await listen(createNetServer((socket) => void act(socket.on('close', closed).resume())));
    const egress = egressTo(port);
    return { egress, isClosed, get: (options = limits) => egress.get(`https://host.test:${port}/`, options) };
  }

  it.each<[string, (socket: Socket) => void, string]>([
    ['sends what is no TLS', (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n'), 'egress_tls'],
    ['hangs up', (socket) => socket.destroy(), 'egress_failed'],
    ['hangs up in the middle', (socket) => socket.end(Buffer.from('1603030100', 'hex')), 'egress_failed'],
    ['sends handshakes without an end', (socket) => sendForEver(socket), 'egress_tls'],
  ])('fails: it %s', async (_, act, expected) => {
    const { get, isClosed } = await hostThat(act);
    await expect(get()).rejects.toEqual(code(expected));
    await isClosed;
  });

  it('is left when the time is over', async () => {
    const { get, egress } = await hostThat(() => undefined);
    await expect(get({ ...limits, timeoutMilliseconds: 200 })).rejects.toEqual(code('egress_timeout'));
    await egress.close();
  });

  /** Records of a handshake message of 16 MiB that never ends: OpenSSL would keep and wait. */
  function sendForEver(socket: Socket): void {
    const record = Buffer.concat([
      Buffer.from('1603031000', 'hex'),
      Buffer.from('0200ffff', 'hex'),
      Buffer.alloc(4_092),
    ]);
    const next = () => socket.destroyed || socket.write(record, () => setImmediate(next));
    next();
  }
});
