import { createServer as createPlainServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createCertificateAuthority, toPem } from '@vestibule/dev-pki';
import { startConnectProxy } from '@vestibule/testkit';
import type { CallbackTarget } from './callback-target';
import { DELIVERY_LIMITS } from './delivery-policy';
import { createPoster } from './post-callback';

const LOGIN = Buffer.from('user:p@ss').toString('base64');
const posting = { id: 'event-1', body: Buffer.from('{}'), url: null };
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A backend; over TLS it is `backend.example`, by an authority that only `authorities` know. */
async function startBackend(isTls = true) {
  const received: IncomingMessage[] = [];
  const listener: RequestListener = (request, response) => {
    received.push(request);
    request.resume().on('end', () => response.writeHead(204).end());
  };
  const authority = await createCertificateAuthority({ name: 'Backends', now: new Date() });
  const { certificate, privateKey } = await authority.issue({ name: 'backend', dnsNames: ['backend.example'] });
  const tls = { cert: toPem(certificate), key: toPem(privateKey) };
  const server = isTls ? createTlsServer(tls, listener) : createPlainServer(listener);
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  closers.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, received, authorities: toPem(authority.certificate) };
}

async function proxyTo(port: number, answer?: string) {
  const proxy = await startConnectProxy({ port, ...(answer === undefined ? {} : { answer }) });
  closers.push(() => proxy.close());
  return proxy;
}

function posterTo(target: CallbackTarget, origin?: string) {
  const limits = { ...DELIVERY_LIMITS, timeoutMilliseconds: 3_000, concurrency: 1 };
  const poster = createPoster({ target, limits, clock: () => new Date(), ...(origin === undefined ? {} : { origin }) });
  closers.push(() => poster.close());
  return poster;
}

describe('a callback through a proxy', () => {
  it('reaches its receiver by name, with TLS from end to end and one tunnel for several events', async () => {
    const { port, received, authorities } = await startBackend();
    const { url, asked } = await proxyTo(port);
    const target = { url: 'https://backend.example/events', authorization: 'Bearer x', authorities };
    const poster = posterTo({ ...target, proxies: new Map([['*', url]]) });
    for (let count = 0; count < 3; count += 1) expect((await poster.post(posting)).result).toBe('http_204');
    expect(asked).toEqual([`backend.example:443 Basic ${LOGIN}`]);
    expect(received.map(({ url: path, headers }) => `${path} ${headers.authorization}`)).toEqual(
      Array(3).fill('/events Bearer x'),
    );
    // The login of the proxy is for the proxy.
    expect(received.flatMap(({ rawHeaders }) => rawHeaders).join()).not.toContain(LOGIN);
  });

  it('does not trust the proxy for the certificate of the receiver', async () => {
    const { port, received } = await startBackend();
    const { url } = await proxyTo(port);
    const poster = posterTo({ url: 'https://backend.example/', proxies: new Map([['*', url]]) });
    expect(await poster.post(posting)).toEqual({ end: 'failed', result: 'tls_error' });
    expect(received).toEqual([]);
  });

  it('may be one for one origin alone', async () => {
    const { port, received } = await startBackend(false);
    const { url, asked } = await proxyTo(port);
    const own = `http://localhost:${port}`;
    const target = { url: own, origins: ['http://far.example'], proxies: new Map([['http://far.example', url]]) };
    expect((await posterTo(target).post(posting)).result).toBe('http_204');
    expect(asked).toEqual([]);
    const far = { ...posting, url: 'http://far.example/hook' };
    expect((await posterTo(target, 'http://far.example').post(far)).result).toBe('http_204');
    expect(asked).toEqual([`far.example:80 Basic ${LOGIN}`]);
    expect(received.map(({ url: path }) => path)).toEqual(['/', '/hook']);
  });

  it.each([
    ['HTTP/1.1 407 No\r\n\r\n', 'proxy_login_refused'],
    ['HTTP/1.1 503 No\r\n\r\n', 'proxy_refused'],
    ['nonsense\r\n\r\n', 'proxy_error'],
  ])('fails by name when the proxy says %j', async (answer, result) => {
    const { url } = await proxyTo(1, answer);
    const poster = posterTo({ url: 'https://backend.example/', proxies: new Map([['*', url]]) });
    expect(await poster.post(posting)).toEqual({ end: 'failed', result });
  });

  it('fails as a timeout where the proxy waits for the receiver', async () => {
    const { url } = await proxyTo(1, 'HTTP/1.1 200 OK\r\n');
    const target = { url: 'https://backend.example/', proxies: new Map([['*', url]]) };
    const limits = { ...DELIVERY_LIMITS, timeoutMilliseconds: 100 };
    const poster = createPoster({ target, limits, clock: () => new Date() });
    closers.push(() => poster.close());
    expect(await poster.post(posting)).toEqual({ end: 'failed', result: 'timeout' });
  });
});
