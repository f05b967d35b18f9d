import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { createCertificateAuthority, toPem } from '@vestibule/dev-pki';
import { createEgress, requireContent, type Egress, type EgressOptions, type GetOptions } from './index';
import { startHttp, startHttps, type LoopbackServer } from './testing/loopback-server';

const MEDIA_TYPE = 'application/statuslist+jwt';
const limits: GetOptions = {
  purpose: 'crl',
  accept: MEDIA_TYPE,
  maxBytes: 10_000,
  timeoutMilliseconds: 60_000,
  maxRedirects: 2,
};
const code = (expected: string) => expect.objectContaining({ code: expected, kind: 'unavailable' });

const opened: (LoopbackServer | Egress)[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

async function serve(listener: RequestListener): Promise<LoopbackServer> {
  const server = await startHttp(listener);
  opened.push(server);
  return server;
}

function egressTo(options: Partial<EgressOptions> = {}): Egress {
  const egress = createEgress({ allowDevelopmentHosts: [], ...options });
  opened.push(egress);
  return egress;
}

/** An egress for which `name:port` is a development host that resolves to 127.0.0.1. */
async function serveAs(name: string, listener: RequestListener) {
  const server = await serve(listener);
  const host = `${name}:${server.port}`;
  const egress = egressTo({ allowDevelopmentHosts: [host], resolve: async () => ['127.0.0.1'] });
  return { server, egress, url: `http://${host}/list` };
}

describe('a GET', () => {
  it('VP:O3 sends Accept and nothing that tells who asks', async () => {
    const seen = jest.fn();
    const { egress, url } = await serveAs('issuer.test', (request, response) => {
      seen(request.method, request.url, request.headers);
      response.setHeader('content-type', `${MEDIA_TYPE}; charset=utf-8`);
      response.setHeader('set-cookie', 'a=b');
      response.end('token');
    });
    const response = await egress.get(`${url}?a=1#f`, limits);
    expect(response).toEqual({
      status: 200,
      contentType: `${MEDIA_TYPE}; charset=utf-8`,
      body: Buffer.from('token'),
      finalUrl: `${url}?a=1`,
    });
    expect(requireContent(response, MEDIA_TYPE).toString()).toBe('token');
    await egress.get(url, limits);
    const { host } = new URL(url);
    const headers = {
      host,
      accept: MEDIA_TYPE,
      'accept-encoding': 'gzip',
      'user-agent': 'vestibule',
      connection: 'close',
    };
    expect(seen.mock.calls).toEqual([
      ['GET', '/list?a=1', headers],
      ['GET', '/list', headers],
    ]);
  });

  it('asks only for what has changed, with the entity tag that the host has sent', async () => {
    let tag: string | undefined = '"a-1"';
    const { egress, url } = await serveAs('lists.test', (request, response) => {
      if (tag !== undefined) response.setHeader('etag', tag);
      const isKnown = request.headers['if-none-match'] === tag;
      response.writeHead(isKnown ? 304 : 200).end(isKnown ? '' : 'list');
    });
    const { etag } = await egress.get(url, limits);
    expect(etag).toBe('"a-1"');
    expect(await egress.get(url, { ...limits, ifNoneMatch: etag })).toMatchObject({ status: 304 });
    for (const wrong of ['a', '"a', `"${'a'.repeat(300)}"`, undefined]) {
      tag = wrong;
      expect((await egress.get(url, limits)).etag).toBeUndefined();
    }
  });

  it('VP:O3 returns every status, which the caller must check', async () => {
    for (const [status, contentType, expected] of [
      [404, MEDIA_TYPE, 'egress_status'],
      [500, MEDIA_TYPE, 'egress_status'],
      [304, MEDIA_TYPE, 'egress_status'],
      [200, 'text/html', 'egress_content_type'],
      [200, 'application/statuslist+cwt', 'egress_content_type'],
      [200, undefined, 'egress_content_type'],
    ] as const) {
      const { egress, url } = await serveAs('issuer.test', (_, response) => {
        response.writeHead(status, contentType ? { 'content-type': contentType } : {}).end('body');
      });
      const response = await egress.get(url, limits);
      expect(response.status).toBe(status);
      expect(() => requireContent(response, MEDIA_TYPE)).toThrow(code(expected));
    }
  });

  it('VP:Q5 speaks TLS with a development host and checks its name', async () => {
    const root = await createCertificateAuthority({ name: 'Root', now: new Date() });
    const leaf = await root.issue({ name: 'Leaf', dnsNames: ['issuer.test'] });
    const tls = { cert: toPem(leaf.certificate), key: toPem(leaf.privateKey) };
    const server = await startHttps((_, response) => response.end('token'), tls);
    opened.push(server);
    const hosts = [`issuer.test:${server.port}`, `other.test:${server.port}`];
    const resolve = async () => ['127.0.0.1'];
    const trusting = egressTo({ allowDevelopmentHosts: hosts, resolve, authorities: [toPem(root.certificate)] });
    const strict = egressTo({ allowDevelopmentHosts: hosts, resolve });
    expect((await trusting.get(`https://${hosts[0]}/`, limits)).body.toString()).toBe('token');
    await expect(trusting.get(`https://${hosts[1]}/`, limits)).rejects.toEqual(code('egress_tls'));
    await expect(strict.get(`https://${hosts[0]}/`, limits)).rejects.toEqual(code('egress_tls'));
  });
});

describe('a host that must not be asked', () => {
  it.each([['https://127.0.0.1'], ['https://[::1]'], ['https://10.0.0.1'], ['https://localhost']])(
    'VP:Q5 is refused before anything is resolved: %s',
    async (origin) => {
      const server = await serve((_, response) => response.end());
      const resolve = jest.fn(async () => ['127.0.0.1']);
      const get = egressTo({ resolve }).get(`${origin}:${server.port}/`, limits);
      await expect(get).rejects.toEqual(code('egress_refused_address'));
      expect([resolve.mock.calls.length, server.connections()]).toEqual([0, 0]);
    },
  );

  it.each([[['127.0.0.1']], [['169.254.169.254']], [['1.1.1.1', '127.0.0.1']], [['::1']], [['::ffff:127.0.0.1']]])(
    'VP:Q5 is refused when its name resolves to %j, and sees no connection',
    async (addresses) => {
      const server = await serve((_, response) => response.end());
      const get = egressTo({ resolve: async () => addresses }).get(`https://status.example:${server.port}/`, limits);
      await expect(get).rejects.toEqual(code('egress_refused_address'));
      expect(server.connections()).toBe(0);
    },
  );

  it('VP:Q5 is not asked with http', async () => {
    const get = egressTo({ resolve: async () => ['1.1.1.1'] }).get('http://status.example/', limits);
    await expect(get).rejects.toEqual(code('egress_refused_url'));
  });

  it('VP:Q5 does not resolve or does not listen', async () => {
    const unknown = egressTo({ resolve: () => Promise.reject(new Error('ENOTFOUND')) });
    await expect(unknown.get('https://status.example/', limits)).rejects.toEqual(code('egress_unresolved'));
    const { server, egress, url } = await serveAs('issuer.test', (_, response) => response.end());
    await server.close();
    await expect(egress.get(url, limits)).rejects.toEqual(code('egress_failed'));
  });
});

describe('a redirect', () => {
  const redirectTo =
    (location: string, status = 302): RequestListener =>
    (_, response) => {
      response.writeHead(status, { location }).end('x'.repeat(100_000));
    };

  it.each([301, 302, 303, 307, 308])('VP:O18 is followed for status %d', async (status) => {
    const { egress, url } = await serveAs('issuer.test', (request, response) => {
      if (request.url === '/list') redirectTo('/moved?x=1', status)(request, response);
      else response.end('token');
    });
    const response = await egress.get(url, limits);
    expect([response.body.toString(), response.finalUrl]).toEqual(['token', url.replace('list', 'moved?x=1')]);
  });

  it('VP:O18 that loops is stopped at the limit', async () => {
    const asked = jest.fn();
    const { egress, url } = await serveAs('issuer.test', (request, response) => {
      asked();
      redirectTo('/list')(request, response);
    });
    await expect(egress.get(url, limits)).rejects.toEqual(code('egress_redirects'));
    expect(asked).toHaveBeenCalledTimes(3);
    await expect(egress.get(url, { ...limits, maxRedirects: 0 })).rejects.toEqual(code('egress_redirects'));
    expect(asked).toHaveBeenCalledTimes(4);
  });

  it.each([
    ['http://127.0.0.1:PORT/', 'egress_refused_url'],
    ['https://127.0.0.1:PORT/', 'egress_refused_address'],
    ['https://localhost:PORT/', 'egress_refused_address'],
    ['https://status.example:PORT/', 'egress_refused_address'],
    ['file:///etc/passwd', 'egress_refused_url'],
    ['https://user@status.example/', 'egress_refused_url'],
    ['http://[', 'egress_refused_url'],
  ])('VP:O18 to %s is refused, and nobody is connected to', async (location, expected) => {
    const target = await serve((_, response) => response.end('secret'));
    const { egress, url } = await serveAs('issuer.test', redirectTo(location.replace('PORT', String(target.port))));
    await expect(egress.get(url, limits)).rejects.toEqual(code(expected));
    expect(target.connections()).toBe(0);
  });

  it('VP:O18 without a Location is an answer like others', async () => {
    const { egress, url } = await serveAs('issuer.test', (_, response) => response.writeHead(302).end());
    expect((await egress.get(url, limits)).status).toBe(302);
  });
});

describe('the content encoding', () => {
  const encoded =
    (encoding: string, body: Buffer): RequestListener =>
    (_, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(body);
    };

  it.each(['gzip', 'x-gzip', 'GZIP'])('VP:O3 may be %s', async (encoding) => {
    const { egress, url } = await serveAs('issuer.test', encoded(encoding, gzipSync('token')));
    expect((await egress.get(url, limits)).body.toString()).toBe('token');
  });

  it('VP:O3 may be identity', async () => {
    const { egress, url } = await serveAs('issuer.test', encoded('identity', Buffer.from('token')));
    expect((await egress.get(url, limits)).body.toString()).toBe('token');
  });

  it.each<[string, Buffer]>([
    ['br', Buffer.from('token')],
    ['deflate', Buffer.from('token')],
    ['gzip, gzip', gzipSync(gzipSync('token'))],
    ['gzip', Buffer.from('no gzip')],
    ['gzip', gzipSync('token').subarray(0, 15)],
  ])('VP:O3 must not be %s when it is unknown or broken', async (encoding, body) => {
    const { egress, url } = await serveAs('issuer.test', encoded(encoding, body));
    await expect(egress.get(url, limits)).rejects.toEqual(code('egress_encoding'));
  });

  it('VP:O19 is bounded after decoding: a gzip bomb is refused', async () => {
    const { egress, url } = await serveAs('issuer.test', encoded('gzip', gzipSync(Buffer.alloc(5_000_000))));
    await expect(egress.get(url, limits)).rejects.toEqual(code('egress_too_large'));
  });
});
