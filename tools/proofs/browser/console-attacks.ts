import { strict as assert } from 'node:assert';
import { request } from 'node:http';

interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

function ask(url: string, { method = 'GET', path, headers }: Asked): Promise<Told> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers }, (response) => {
      response.resume();
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers }));
    });
    sent.once('error', reject);
    sent.end(method === 'GET' ? undefined : '{}');
  });
}

/** What another site in the same browser, or a name that leads here, could try. */
export async function attackConsole(url: string): Promise<void> {
  const { host } = new URL(url);
  const json = { 'content-type': 'application/json' };
  const rows: readonly (readonly [number, Asked])[] = [
    [421, { path: '/', headers: { host: 'attacker.example' } }],
    [421, { path: '/api/about', headers: { host: `attacker.example:${new URL(url).port}` } }],
    [421, { path: '/api/wallet', headers: { host: '127.0.0.1' } }],
    [403, { path: '/api/wallet', headers: { host, 'sec-fetch-site': 'cross-site' } }],
    [403, { path: '/api/callbacks', headers: { host, 'sec-fetch-site': 'same-site' } }],
    [403, { path: '/api/callbacks', headers: { host, origin: 'https://attacker.example' } }],
    [403, { method: 'POST', path: '/api/management/oidc4vp', headers: { host, origin: 'null', ...json } }],
    [403, { method: 'POST', path: '/api/management/oidc4vp', headers: { host, ...json } }],
    [
      415,
      { method: 'POST', path: '/api/wallet/present', headers: { host, origin: url, 'content-type': 'text/plain' } },
    ],
    [404, { method: 'POST', path: '/api/management/callbacks/test', headers: { host, origin: url, ...json } }],
    [404, { path: '/api/management/oidc4vp/../docs', headers: { host } }],
    [404, { path: '/api/management/openapi.json', headers: { host } }],
    [404, { path: '/assets/..%2fpackage.json', headers: { host } }],
    [404, { path: '/status/none', headers: { host } }],
    [405, { method: 'POST', path: '/', headers: { host, origin: url, ...json } }],
    [200, { path: '/', headers: { host } }],
  ];
  for (const [status, asked] of rows) {
    assert.equal((await ask(url, asked)).status, status, `${asked.method ?? 'GET'} ${asked.path}`);
  }
  const { headers } = await ask(url, { path: '/', headers: { host } });
  const policy = String(headers['content-security-policy']);
  assert.match(policy, /default-src 'none'; script-src 'self';/);
  assert.doesNotMatch(policy, /unsafe|\*|https?:/);
}
