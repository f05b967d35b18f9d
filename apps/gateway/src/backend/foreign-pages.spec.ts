import { createHash } from 'node:crypto';
import { startGateway, type Gateway, type Sent } from '../testing/gateway.stage';

const answers = {
  'verifier.callback.retry': { retried: 1 },
  'verifier.callback.replay': { replayed: 1, more: false },
  'verifier.callback.list': { items: [] },
};
const digestOf = (key: string) => createHash('sha256').update(key).digest('base64url');

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ answers });
});
afterAll(() => gateway.close());

type Header = readonly [string, string];
const post = (...headers: Header[]): Sent => ({ method: 'POST', headers, body: '' });
const retry = (sent: Sent, of: Gateway = gateway) => of.toManagement('/callbacks/verifier/retry', sent);

describe('a page of another site that makes the browser of an employee call the management listener', () => {
  it.each<[string, Header[]]>([
    [
      'fetch without a body',
      [
        ['origin', 'https://evil.example'],
        ['sec-fetch-site', 'cross-site'],
      ],
    ],
    [
      'a sister site',
      [
        ['origin', 'https://evil.internal.example'],
        ['sec-fetch-site', 'same-site'],
      ],
    ],
    ['an older browser', [['origin', 'https://evil.example']]],
    [
      'a form',
      [
        ['origin', 'https://evil.example'],
        ['content-type', 'text/plain'],
      ],
    ],
    ['a page without an origin', [['origin', 'null']]],
    ['another port of this machine', [['origin', 'http://127.0.0.1:1']]],
    ['a mark that is unknown', [['sec-fetch-site', 'elsewhere']]],
    [
      'two marks',
      [
        ['sec-fetch-site', 'same-origin'],
        ['sec-fetch-site', 'cross-site'],
      ],
    ],
  ])('changes nothing: %s', async (_name, headers) => {
    const before = gateway.asked.length;
    for (const path of [
      '/callbacks/verifier/retry',
      '/callbacks/verifier/an-id/replay',
      '/callbacks/test',
      '/nowhere',
    ]) {
      const { status, json } = await gateway.toManagement(path, post(...headers));
      expect([status, json['code']]).toEqual([403, 'foreign_page']);
    }
    expect(gateway.asked).toHaveLength(before);
  });

  it('may lead its reader here, who sees what anybody sees', async () => {
    const headers: Header[] = [
      ['sec-fetch-site', 'cross-site'],
      ['sec-fetch-mode', 'navigate'],
    ];
    expect((await gateway.toManagement('/docs', { headers })).status).toBe(200);
    const { status, headers: got } = await gateway.toManagement('/callbacks/verifier', {
      headers: [['origin', 'https://evil.example']],
    });
    expect([status, got['access-control-allow-origin']]).toEqual([200, undefined]);
  });
});

describe('everybody else', () => {
  it.each<[string, Header[]]>([
    ['a backend', []],
    [
      'the page of the API descriptions',
      [
        ['sec-fetch-site', 'same-origin'],
        ['origin', 'http://127.0.0.1'],
      ],
    ],
    ['somebody without a page', [['sec-fetch-site', 'none']]],
  ])('changes what they may: %s', async (_name, headers) => {
    expect((await retry(post(...headers))).json).toEqual({ retried: 1 });
  });

  it('is recognised by the origin where the browser sends no mark', async () => {
    const host = new URL(gateway.managementUrl).host;
    expect((await retry(post(['origin', `http://${host}`]))).status).toBe(200);
    expect((await retry(post(['host', 'GATEWAY:8081'], ['origin', 'http://gateway:8081']))).status).toBe(200);
    expect((await retry(post(['host', 'gateway'], ['origin', 'https://gateway']))).status).toBe(200);
    expect((await retry(post(['host', 'gateway:8081'], ['origin', 'http://gateway']))).status).toBe(403);
  });

  it('who shows a bearer key is no browser that acts for a page', async () => {
    const keyed = await startGateway({ answers, environment: { MANAGEMENT_KEY_DIGESTS: digestOf('a-key') } });
    const marked: Header[] = [
      ['origin', 'https://app.example'],
      ['sec-fetch-site', 'cross-site'],
    ];
    expect((await retry(post(...marked, ['authorization', 'Bearer a-key']), keyed)).status).toBe(200);
    expect((await retry(post(...marked), keyed)).json['code']).toBe('management_key_missing');
    await keyed.close();
  });
});
