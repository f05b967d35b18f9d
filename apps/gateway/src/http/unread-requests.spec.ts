import { connect } from 'node:net';
import { startGateway, type Gateway } from '../testing/gateway.stage';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

interface Heard {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends bytes as they are, and reads the one answer until the connection is closed. */
function exchange(url: string, text: string): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', body = ''] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n', 2);
      const [first = '', ...lines] = head.split('\r\n');
      const headers = lines.map((line) => line.split(/: ?/, 2) as [string, string]);
      const status = Number(first.split(' ')[1]);
      resolve({ status, headers: new Map(headers), body: JSON.parse(body) as Heard['body'] });
    });
  });
}

const UNREADABLE: readonly (readonly [string, string, number])[] = [
  ['two lengths', 'POST /oidc4vci/token HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\na', 400],
  [
    'a length and chunks',
    'POST /oidc4vci/token HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  ['a folded header', 'POST /oidc4vci/token HTTP/1.1\r\nhost: a\r\nauthorization:\r\n Basic a\r\n\r\n', 400],
  ['a blank in a header name', 'GET /oidc4vp HTTP/1.1\r\nhost : a\r\n\r\n', 400],
  ['another protocol', 'EHLO a\r\n\r\n', 400],
  ['a NUL in a header', 'GET /oidc4vp HTTP/1.1\r\nhost: a\r\nx: \0\r\n\r\n', 400],
  ['headers of 40,000 bytes', `GET /oidc4vp HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
];

describe('what cannot be read as HTTP', () => {
  it.each(UNREADABLE)('is answered to wallets as they read errors: %s', async (_, text, status) => {
    const heard = await exchange(gateway.publicUrl, text);
    expect(heard).toMatchObject({ status, body: { error: 'invalid_request' } });
    expect(Object.keys(heard.body).sort()).toEqual(['error', 'error_description']);
    expect(heard.headers.get('cache-control')).toBe('no-store');
    expect(heard.headers.get('connection')).toBe('close');
  });

  it.each(UNREADABLE)('is answered to backends with problem details: %s', async (_, text, status) => {
    const heard = await exchange(gateway.managementUrl, text);
    expect(heard).toMatchObject({ status, body: { status, code: 'invalid_request' } });
    expect(heard.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(heard.body['detail']).toContain('header');
    expect(heard.body['instance']).toBe(heard.headers.get('x-request-id'));
  });
});
