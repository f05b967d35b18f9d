import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { createCertificateAuthority, toPem, type Authority } from '@vestibule/dev-pki';
import { startConnectProxy } from '@vestibule/testkit';
import { createEgress, type Egress, type EgressOptions, type GetOptions } from './index';

/** The time limit is not what ends these requests. */
const limits: GetOptions = {
  purpose: 'crl',
  accept: '*/*',
  maxBytes: 100_000,
  timeoutMilliseconds: 60_000,
  maxRedirects: 1,
};
const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
/** What a host says first, and then again and again. */
const ENDLESS: readonly (readonly [string, string, string])[] = [
  ['early hints', '', 'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n'],
  ['that it is still processing', '', 'HTTP/1.1 102 Processing\r\n\r\n'],
  ['an extension of a chunk', `${CHUNKED}1;a=`, 'aaaaaaaa'],
  ['chunks of one byte with extensions', CHUNKED, `1;${'a'.repeat(4_000)}\r\nx\r\n`],
  ['the zeros of the length of a chunk', CHUNKED, '00000000'],
  ['trailers', `${CHUNKED}0\r\n`, 'a: b\r\n'],
  ['empty lines', '', '\r\n\r\n'],
  ['a reason', 'HTTP/1.1 200 ', 'aaaaaaaa'],
  ['headers of a redirect', 'HTTP/1.1 302 Found\r\nlocation: /\r\n', 'x: a\r\n'],
];

let authority: Authority;
let tls: { cert: string; key: string };
beforeAll(async () => {
  authority = await createCertificateAuthority({ name: 'Root', now: new Date() });
  const leaf = await authority.issue({ name: 'host.test', dnsNames: ['host.test'] });
  tls = { cert: toPem(leaf.certificate), key: toPem(leaf.privateKey) };
});

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Answers each request with this, and counts what was handed to the network. */
function speak(first: string, again: string) {
  const piece = Buffer.from(again.repeat(Math.ceil(16_384 / again.length)));
  const said = { bytes: 0 };
  const answer = (socket: Socket | TLSSocket): void => {
    const goOn = (): void => {
      while (!socket.destroyed) {
        said.bytes += piece.byteLength;
        if (!socket.write(piece)) return void socket.once('drain', goOn);
      }
    };
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(first);
      goOn();
    });
  };
  return { said, answer };
}

function egressTo(port: number, more: Partial<EgressOptions> = {}): Egress {
  const egress = createEgress({
    allowDevelopmentHosts: [`host.test:${port}`],
    authorities: [toPem(authority.certificate)],
    resolve: async () => ['127.0.0.1'],
    ...more,
  });
  closing.push(() => egress.close());
  return egress;
}

const tooLarge = expect.objectContaining({ code: 'egress_too_large', kind: 'unavailable' }) as unknown;

describe('VP:Q5 an answer without an end that is no body', () => {
  it.each(ENDLESS)('is left over http: %s', async (_, first, again) => {
    const { said, answer } = speak(first, again);
    const port = await listen(createServer(answer));
    await expect(egressTo(port).get(`http://host.test:${port}/`, limits)).rejects.toEqual(tooLarge);
    expect(said.bytes).toBeLessThan(30_000_000);
  });

  it.each(ENDLESS)('is left over https: %s', async (_, first, again) => {
    const { said, answer } = speak(first, again);
    const port = await listen(createTlsServer(tls, answer));
    await expect(egressTo(port).get(`https://host.test:${port}/`, limits)).rejects.toEqual(tooLarge);
    expect(said.bytes).toBeLessThan(30_000_000);
  });

  it('is left behind a proxy', async () => {
    const { answer } = speak('', 'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n');
    const port = await listen(createTlsServer(tls, answer));
    const proxy = await startConnectProxy({ port });
    closing.push(() => proxy.close());
    const egress = egressTo(port, { allowDevelopmentHosts: [], proxies: new Map([['crl', proxy.url]]) });
    await expect(egress.get('https://host.test/', limits)).rejects.toEqual(tooLarge);
  });
});

describe('VP:O19 an answer of the largest size', () => {
  const body = Buffer.alloc(limits.maxBytes, 'x');
  const chunks = (size: number): string => {
    const chunk = `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;
    return `${chunk.repeat(limits.maxBytes / size)}0\r\n\r\n`;
  };

  it.each<[string, string]>([
    ['in one piece', `HTTP/1.1 200 OK\r\ncontent-length: ${limits.maxBytes}\r\n\r\n${body.toString()}`],
    ['in chunks of ten bytes', `${CHUNKED}${chunks(10)}`],
    ['after a few early hints', `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(9)}${CHUNKED}${chunks(1_000)}`],
  ])('is read over http and https, in the smallest records that there are: %s', async (_, text) => {
    const answer = (socket: Socket): void => void socket.once('data', () => socket.end(text));
    const plain = await listen(createServer(answer));
    const secured = await listen(
      createTlsServer(tls, (socket) => {
        socket.setMaxSendFragment(512);
        answer(socket);
      }),
    );
    expect((await egressTo(plain).get(`http://host.test:${plain}/`, limits)).body).toEqual(body);
    expect((await egressTo(secured).get(`https://host.test:${secured}/`, limits)).body).toEqual(body);
  });
});
