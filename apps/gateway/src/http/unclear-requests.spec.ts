import { connect } from 'node:net';
import { startGateway, type Gateway } from '../testing/gateway.stage';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ environment: { TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_PER_MINUTE: '10' } });
});
afterAll(() => gateway.close());

/** All that comes back until the listener ends the connection; the rest is sent when the first answer begins. */
function exchange(url: string, text: string, rest = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text));
    let got = '';
    socket.on('data', (bytes) => (got += bytes.toString('utf8')));
    socket.once('data', () => socket.write(rest));
    socket.on('error', reject);
    socket.on('close', () => resolve(got));
  });
}

const statuses = (got: string): string[] => [...got.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status ?? '');
const listeners = (): [string, string][] => [
  ['management', gateway.managementUrl],
  ['public', gateway.publicUrl],
];
const OTHER = 'GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n';
const headers = (count: number): string => Array.from({ length: count }, (_, at) => `a${at}: b\r\n`).join('');

describe('a request that a proxy reads otherwise than we do', () => {
  it('is refused and ends the connection: chunks in HTTP/1.0 (RFC 9112 §6.1)', async () => {
    const chunked = 'Host: 127.0.0.1\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n';
    for (const [, url] of listeners()) {
      for (const body of ['0\r\n\r\n', '']) {
        const got = await exchange(url, `POST /oidc4vp HTTP/1.0\r\n${chunked}${body}${OTHER}`);
        expect(statuses(got)).toEqual(['400']);
        expect(got).toMatch(/^connection: close\r$/im);
      }
    }
    expect(gateway.asked).toEqual([]);
  });

  it.each([
    ['a coding besides chunks (RFC 9112 §6.1)', 'Host: h\r\nTransfer-Encoding: gzip, chunked', '2\r\n{}\r\n0\r\n\r\n'],
    ['two hosts (RFC 9112 §3.2)', 'Host: h\r\nHost: h\r\nContent-Length: 2', '{}'],
  ])('is refused and ends the connection: %s', async (_, head, body) => {
    for (const [, url] of listeners()) {
      const json = 'Content-Type: application/json\r\nConnection: keep-alive';
      const got = await exchange(url, `POST /oidc4vp HTTP/1.1\r\n${json}\r\n${head}\r\n\r\n${body}${OTHER}`);
      expect(statuses(got)).toEqual(['400']);
      expect(got).toMatch(/^connection: close\r$/im);
    }
    expect(gateway.asked).toEqual([]);
  });

  it('is refused and ends the connection: more headers than we look at', async () => {
    for (const [, url] of listeners()) {
      const got = await exchange(url, `GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers(200)}\r\n${OTHER}`);
      expect(statuses(got)).toEqual(['400']);
    }
    const fits = `GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers(199)}\r\n${OTHER}`;
    expect(statuses(await exchange(gateway.managementUrl, fits))).toEqual(['200', '200']);
  });

  it('gets one answer although its body cannot be read to its end', async () => {
    for (const [, url] of listeners()) {
      const head = 'POST /nowhere HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n';
      expect(statuses(await exchange(url, head, `no length\r\n${OTHER}`))).toEqual(['404']);
    }
  });

  it('never hides the address that a proxy adds at the end', async () => {
    const flood = Array.from({ length: 15 }, async (_, at) => {
      const invented = `X-Forwarded-For: 203.0.113.${at}\r\n${headers(1_500)}`;
      const added = 'X-Forwarded-For: 198.51.100.1\r\nConnection: close\r\n';
      return exchange(gateway.publicUrl, `GET /oidc4vp/a/request HTTP/1.1\r\nHost: h\r\n${invented}${added}\r\n`);
    });
    const answers = (await Promise.all(flood)).map(statuses);
    expect(answers).toHaveLength(15);
    // Newer lines of Node refuse so many headers by themselves, with 431.
    for (const answer of answers) expect(['400', '431']).toContain(answer.join(' '));
  });
});
