import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RouteFault } from './answer';
import { createRelay } from './management-relay';

let server: Server;
let asked: string[];
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? 'without key'}`);
    const isList = request.url?.startsWith('/offers?') ?? false;
    response.setHeader('link', isList ? '</offers?limit=1&cursor=abc>; rel="next"' : '');
    response.end(isList ? '[1]' : '{"ready":true}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => (asked = []));
afterAll(() => server.close());

const address = () => ({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'secret' });
const statusOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 200,
    (error: unknown) => (error instanceof RouteFault ? error.status : error),
  );

describe('21.1 the relay of the console', () => {
  it('passes on what is listed, with the key, and names the next page of a list', async () => {
    const relay = createRelay(address(), false);
    expect(await relay({ method: 'GET', path: '/health/ready' })).toEqual({ status: 200, body: { ready: true } });
    expect(await relay({ method: 'GET', path: '/offers?limit=1' })).toEqual({
      status: 200,
      body: { items: [1], next: 'abc' },
    });
    await relay({ method: 'DELETE', path: '/oidc4vp/abc', body: {} });
    expect(asked).toEqual([
      'GET /health/ready Bearer secret',
      'GET /offers?limit=1 Bearer secret',
      'DELETE /oidc4vp/abc Bearer secret',
    ]);
  });

  it.each<[string, string]>([
    ['GET', '/openapi.json'],
    ['GET', '/docs'],
    ['GET', '/oidc4vp/../docs'],
    ['GET', '/oidc4vp/a/b'],
    ['GET', '/offers?x=#'],
    ['GET', '/offers\nx'],
    ['POST', '/callbacks/test'],
    ['DELETE', '/callbacks/verifier/abc'],
    ['PUT', '/oidc4vp'],
  ])('asks nothing else: %s %j', async (method, path) => {
    expect(await statusOf(createRelay(address(), false)({ method, path }))).toBe(404);
    expect(asked).toEqual([]);
  });

  it.each<[string, string]>([
    ['POST', '/oidc4vp'],
    ['POST', '/offers'],
    ['DELETE', '/offers/abc'],
    ['PATCH', '/offers/abc/status'],
    ['POST', '/callbacks/verifier/retry'],
  ])('changes nothing in a remote installation: %s %s', async (method, path) => {
    expect(await statusOf(createRelay(address(), true)({ method, path }))).toBe(403);
    expect(asked).toEqual([]);
  });

  it('says that nobody is there', async () => {
    const relay = createRelay({ url: 'http://127.0.0.1:1' }, true);
    expect(await statusOf(relay({ method: 'GET', path: '/health/ready' }))).toBe(502);
  });
});
