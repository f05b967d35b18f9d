import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { createCertificateAuthority, toPem, type Authority } from '@vestibule/dev-pki';
import { startConnectProxy } from '@vestibule/testkit';
import { createEgress, type Egress, type EgressOptions } from './egress';
import { startHttp, startHttps, type LoopbackServer } from './testing/loopback-server';

const limits = { accept: '*/*', maxBytes: 10_000, timeoutMilliseconds: 3_000, maxRedirects: 1 } as const;
const crl = { ...limits, purpose: 'crl' } as const;
const CONNECT = 'CONNECT lists.example:443 HTTP/1.1\r\nhost: lists.example:443\r\n\r\n';
const LOGIN = Buffer.from('user:p@ss').toString('base64');
const closers: (() => unknown)[] = [];
let authority: Authority;
let tls: { cert: string; key: string };
let host: LoopbackServer;
let moved = '';

async function proxyTo(port = host.port, options: { answer?: string; tls?: typeof tls } = {}) {
  const proxy = await startConnectProxy({ port, ...options });
  closers.push(() => proxy.close());
  return proxy;
}

/** A server that speaks when it is spoken to, and nothing else. Resolves to its URL. */
async function listenTo(speak: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('data', () => speak(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://user:p%40ss@127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function open(options: Partial<EgressOptions> = {}): Egress {
  const egress = createEgress({
    allowDevelopmentHosts: [],
    authorities: [toPem(authority.certificate)],
    resolve: () => Promise.reject(new Error('no name is resolved here')),
    ...options,
  });
  closers.push(() => egress.close());
  return egress;
}

const through = (url: string, options: Partial<EgressOptions> = {}) =>
  open({ ...options, proxies: new Map([['crl', url]]) });

const failure = (egress: Egress, url = 'https://lists.example/', options = {}): Promise<unknown> =>
  egress.get(url, { ...crl, ...options }).then(
    () => new Error('there was an answer'),
    (error: unknown) => error,
  );

beforeAll(async () => {
  authority = await createCertificateAuthority({ name: 'Lists', now: new Date() });
  const issued = await authority.issue({ name: 'lists', dnsNames: ['lists.example', 'localhost'] });
  tls = { cert: toPem(issued.certificate), key: toPem(issued.privateKey) };
  host = await startHttps((request, response) => {
    if (request.url === '/moved') response.writeHead(302, { location: moved });
    response.end(`list at ${String(request.headers.host)}`);
  }, tls);
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
afterAll(() => host.close());

describe('the proxy of a purpose', () => {
  it('is asked for the host by name, with its login, and TLS is with the host itself', async () => {
    const { url, asked } = await proxyTo();
    const { body } = await through(url).get('https://lists.example/a?b=c', crl);
    expect(body.toString()).toBe('list at lists.example');
    expect(asked).toEqual([`lists.example:443 Basic ${LOGIN}`]);
  });

  it('may speak TLS itself, with a certificate that is trusted', async () => {
    const { url, asked } = await proxyTo(host.port, { tls });
    expect((await through(url).get('https://lists.example/', crl)).body.toString()).toBe('list at lists.example');
    expect(await failure(through(url, { authorities: [] }))).toMatchObject({ code: 'egress_proxy' });
    expect(asked).toHaveLength(1);
  });

  it('leads to hosts without TLS, for documents that may come from there', async () => {
    const plain = await startHttp((request, response) => void response.end(`list at ${request.headers.host}`));
    closers.push(() => plain.close());
    const { url, asked } = await proxyTo(plain.port);
    const { body } = await through(url).get('http://lists.example/', { ...crl, allowHttp: true });
    expect(body.toString()).toBe('list at lists.example');
    expect(asked).toEqual([`lists.example:80 Basic ${LOGIN}`]);
  });

  it('is asked for addresses as HTTP writes them', async () => {
    const { url, asked } = await proxyTo(host.port, { answer: 'HTTP/1.1 403 Forbidden\r\n\r\n' });
    const egress = through(url);
    await failure(egress, 'https://[2606:4700:4700::1111]/');
    await failure(egress, 'https://1.1.1.1:8443/');
    expect(asked).toEqual([`[2606:4700:4700::1111]:443 Basic ${LOGIN}`, `1.1.1.1:8443 Basic ${LOGIN}`]);
  });

  it('does not stand for the certificate of the host', async () => {
    const { url } = await proxyTo();
    expect(await failure(through(url), 'https://other.example/')).toMatchObject({ code: 'egress_tls' });
    expect(await failure(through(url, { authorities: [] }))).toMatchObject({ code: 'egress_tls' });
  });

  it('is used for its purpose alone, and not for development hosts', async () => {
    const { url, asked } = await proxyTo();
    const egress = through(url, { allowDevelopmentHosts: [`localhost:${host.port}`] });
    const other = egress.get('https://lists.example/', { ...limits, purpose: 'status-lists' });
    await expect(other).rejects.toMatchObject({ code: 'egress_unresolved' });
    const development = failure(egress, `https://localhost:${host.port}/`);
    expect(await development).toMatchObject({ code: 'egress_unresolved' });
    expect(asked).toEqual([]);
  });

  it.each([
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://[::ffff:10.0.0.1]/',
    'https://localhost/',
    'https://metadata.internal/',
    'https://intranet/',
    'https://printer.local./',
    'http://lists.example/',
    'https://user:secret@lists.example/',
  ])('is never asked for %s', async (target) => {
    const { url, asked } = await proxyTo();
    expect(await failure(through(url), target)).toMatchObject({
      code: expect.stringMatching(/^egress_refused_(?:address|url)$/) as string,
    });
    expect(asked).toEqual([]);
  });

  it.each(['https://127.0.0.1/', 'https://10.1.2.3/x', 'http://lists.example/', 'https://metadata.internal/'])(
    'is not asked for %s by a redirect either',
    async (target) => {
      const { url, asked } = await proxyTo();
      moved = target;
      expect(await failure(through(url), 'https://lists.example/moved')).toMatchObject({
        code: expect.stringMatching(/^egress_refused_/) as string,
      });
      expect(asked).toHaveLength(1);
    },
  );
});

describe('a proxy that does not do its work', () => {
  it.each([
    ['refuses the login', 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n', 'egress_proxy_login'],
    ['refuses the host', 'HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno', 'egress_proxy_refused'],
    ['cannot reach the host', 'HTTP/1.1 502 Bad Gateway\r\n\r\n', 'egress_proxy_refused'],
    ['redirects', 'HTTP/1.0 302 Found\r\nlocation: http://10.0.0.1/\r\n\r\n', 'egress_proxy_refused'],
    ['only begins to answer', 'HTTP/1.1 100 Continue\r\n\r\n', 'egress_proxy'],
    ['speaks for the host', 'HTTP/1.1 200 OK\r\n\r\n\x16\x03', 'egress_proxy'],
    ['has an unknown status', 'HTTP/1.1 2000 OK\r\n\r\n', 'egress_proxy'],
    ['speaks another protocol', 'SSH-2.0-OpenSSH_9\r\n\r\n', 'egress_proxy'],
    ['never ends its answer', 'HTTP/1.1 200 OK\r\n', 'egress_timeout'],
    ['has an endless head', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}`, 'egress_proxy'],
  ])('but %s has a code of its own', async (_, answer, code) => {
    const egress = through(await listenTo((socket) => socket.write(answer, 'latin1')));
    expect(await failure(egress, undefined, { timeoutMilliseconds: 500 })).toMatchObject({ code });
  });

  it('because it is away, closes at once, or after half of its answer has a code of its own', async () => {
    const closing = [
      'http://127.0.0.1:1',
      await listenTo((socket) => socket.end()),
      await listenTo((socket) => socket.end('HTTP/1.1 200 OK\r\n')),
    ];
    for (const url of closing) expect(await failure(through(url))).toMatchObject({ code: 'egress_proxy' });
  });

  it('after it has opened a tunnel ends the request, whether in the handshake or before it', async () => {
    const opened = 'HTTP/1.1 200 Connection established\r\n\r\n';
    const ending = [
      await listenTo((socket) => socket.end(opened)),
      await listenTo((socket) => {
        socket.write(opened);
        socket.once('data', () => socket.resetAndDestroy());
      }),
      await listenTo((socket) => {
        socket.write(opened);
        socket.once('data', () => socket.end('\x16\x03\x03\x00\x7a\x02', 'latin1'));
      }),
    ];
    for (const url of ending) expect(await failure(through(url))).toMatchObject({ code: 'egress_failed' });
  });

  it('but is silent costs no more than the time of the request, and holds up none after it', async () => {
    let isSilent = true;
    const { port } = new URL((await proxyTo()).url);
    const url = await listenTo((socket) => {
      if (isSilent) return;
      const far = connect(Number(port), 'localhost', () => far.write(CONNECT));
      socket.pipe(far).pipe(socket);
    });
    const egress = through(url, { maxConcurrent: 1 });
    expect(await failure(egress, undefined, { timeoutMilliseconds: 200 })).toMatchObject({ code: 'egress_timeout' });
    isSilent = false;
    expect((await egress.get('https://lists.example/', crl)).status).toBe(200);
  });

  it('never has its login in an error', async () => {
    const answers = ['HTTP/1.1 407 No\r\n\r\n', 'HTTP/1.1 403 No\r\n\r\n', 'nonsense\r\n\r\n'];
    const urls = await Promise.all(answers.map((answer) => listenTo((socket) => socket.write(answer))));
    const texts = [];
    for (const url of [...urls, 'http://user:p%40ss@127.0.0.1:1', 'https://user:p%40ss@127.0.0.1:1'])
      texts.push(inspect(await failure(through(url)), { depth: 10, showHidden: true }));
    expect(texts).toHaveLength(5);
    for (const text of texts) expect(text).not.toMatch(/p%40ss|p@ss|dXNlcjpwQHNz/);
  });
});

describe('the measure of fetches', () => {
  it('has the purpose and the result of each, also of those that were refused', async () => {
    const { url } = await proxyTo();
    const measured: string[] = [];
    const egress = through(url, {
      observe: (purpose, seconds, result) => measured.push(`${purpose} ${result} ${seconds >= 0}`),
    });
    await egress.get('https://lists.example/', crl);
    await failure(egress, 'https://10.0.0.1/');
    await failure(egress, 'https://other.example/', { purpose: 'status-lists' });
    expect(measured).toEqual(['crl ok true', 'crl egress_refused_address true', 'status-lists egress_unresolved true']);
  });
});
