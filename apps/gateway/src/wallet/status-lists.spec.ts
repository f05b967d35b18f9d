import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { failing, jsonPost, startGateway, type Gateway } from '../testing/gateway.stage';

const LIST = '/oidc4vci/status-lists/hM6BcEYrSg2dyzIqCsPpvA';
const TOKEN = `eyJhbGciOiJFUzI1NiJ9.${'QUJD'.repeat(200)}.c2ln`;
const MAX_AGE = 217;

/** The list as the issuer has it, and what it was asked. */
let current = { etag: 'first', token: TOKEN };
let gateway: Gateway;

beforeEach(async () => {
  current = { etag: 'first', token: TOKEN };
  gateway = await startGateway({
    answers: {
      'issuer.status-list.get': ({ knownEtag }) => ({
        etag: current.etag,
        maxAgeSeconds: MAX_AGE,
        ...(knownEtag === current.etag ? {} : { token: current.token }),
      }),
    },
  });
});
afterEach(() => gateway.close());

const get = (headers: readonly (readonly [string, string])[] = [], path = LIST) => gateway.toPublic(path, { headers });
const questions = () => gateway.asked.map(({ question }) => question);

/** The body as bytes, which is needed where it is compressed. */
function getBytes(encoding: string): Promise<{ encoding: string | undefined; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${gateway.publicUrl}${LIST}`,
      { headers: { 'accept-encoding': encoding } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        const { 'content-encoding': name } = response.headers;
        response.on('end', () => resolve({ encoding: name, bytes: Buffer.concat(chunks) }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}

describe('GET of a status list', () => {
  it.each<readonly [string, readonly (readonly [string, string])[]]>([
    ['VCI:Z4 without Accept', []],
    ['VCI:Z4 with its media type', [['accept', 'application/statuslist+jwt']]],
    ['VCI:Z4 with any', [['accept', '*/*']]],
    ['VCI:Z4 with both forms', [['accept', 'application/statuslist+cwt, application/statuslist+jwt;q=0.5']]],
  ])('%s is the compact token as application/statuslist+jwt', async (_what, headers) => {
    const { status, headers: got, text } = await get(headers);
    expect([status, got['content-type'], text]).toEqual([200, 'application/statuslist+jwt', TOKEN]);
    expect(got['x-content-type-options']).toBe('nosniff');
  });

  it.each(['gzip', 'br, GZIP;q=0.5', '*', 'x-gzip'])(
    'VCI:Z5 is compressed for Accept-Encoding: %s',
    async (accepted) => {
      const { encoding, bytes } = await getBytes(accepted);
      expect(encoding).toBe('gzip');
      expect(bytes.byteLength).toBeLessThan(TOKEN.length);
      expect(gunzipSync(bytes).toString('ascii')).toBe(TOKEN);
    },
  );

  it.each(['identity', 'br', 'gzip;q=0', 'gzip;q=0.000, *', '*;q=0', ''])(
    'VCI:Z5 is plain for Accept-Encoding: %s',
    async (accepted) => {
      const { encoding, bytes } = await getBytes(accepted);
      expect(encoding).toBeUndefined();
      expect(bytes.toString('ascii')).toBe(TOKEN);
    },
  );

  it('VCI:Z6 is allowed across origins', async () => {
    const { headers } = await get([['origin', 'https://verifier.example']]);
    expect(headers['access-control-allow-origin']).toBe('*');
    const preflight = await gateway.toPublic(LIST, { method: 'OPTIONS', headers: [['origin', 'https://v.example']] });
    expect(preflight.headers['access-control-allow-origin']).toBe('*');
  });

  it('VCI:Z7 may be cached as long as the issuer says, apart for each encoding', async () => {
    const { headers } = await get();
    expect(headers['cache-control']).toBe(`public, max-age=${MAX_AGE}`);
    expect(headers['etag']).toBe('"first"');
    expect(headers['vary']?.toLowerCase()).toContain('accept-encoding');
    expect((await get([['accept-encoding', 'gzip']])).headers['etag']).toBe('"first-gzip"');
  });

  it.each(['"first"', 'W/"first"', '"other", "first-gzip"', '*'])(
    'is 304 without a body while If-None-Match: %s still names it',
    async (tag) => {
      const unchanged = await get([['if-none-match', tag]]);
      expect([unchanged.status, unchanged.text, unchanged.headers['etag']]).toEqual([304, '', '"first"']);
      expect(unchanged.headers['cache-control']).toBe(`public, max-age=${MAX_AGE}`);
      current = { etag: 'second', token: `${TOKEN}2` };
      const changed = await get([['if-none-match', '"first"']]);
      expect([changed.status, changed.text]).toEqual([200, `${TOKEN}2`]);
    },
  );

  it('travels over the bus once, and is asked about each time, so that a change is served at once', async () => {
    for (let round = 0; round < 2; round += 1) expect((await get()).text).toBe(TOKEN);
    const listId = LIST.split('/').at(-1);
    expect(questions()).toEqual([{ listId }, { listId, knownEtag: 'first' }]);
    current = { etag: 'second', token: `${TOKEN}2` };
    expect((await get()).text).toBe(`${TOKEN}2`);
  });

  it('keeps the 16 lists that were asked for last', async () => {
    const ids = Array.from({ length: 17 }, (_, index) => `list-${index}`);
    for (const id of ids) await get([], `/oidc4vci/status-lists/${id}`);
    await get([], '/oidc4vci/status-lists/list-16');
    await get([], '/oidc4vci/status-lists/list-0');
    expect(questions().slice(-2)).toEqual([{ listId: 'list-16', knownEtag: 'first' }, { listId: 'list-0' }]);
  });

  it('answers HEAD like GET without a body', async () => {
    const { status, headers, text } = await gateway.toPublic(LIST, { method: 'HEAD' });
    expect([status, headers['etag'], text]).toEqual([200, '"first"', '']);
  });

  it.each(['?time=1', '?time=', '?time=1&time=2'])(
    'VCI:Z8 of the past (%s) is 501, and not the list of now',
    async (query) => {
      const { status, json, text } = await get([], `${LIST}${query}`);
      expect(status).toBe(501);
      expect(Object.keys(json).sort()).toEqual(['error', 'error_description']);
      expect(json['error_description']).toBe('status lists of the past are not offered: leave out time');
      expect(text).not.toContain(TOKEN);
      expect(questions()).toEqual([]);
    },
  );

  it.each(['application/statuslist+cwt', 'application/statuslist+cwt, application/statuslist+jwt;q=0'])(
    'VCI:Z4 VCI:Z15 as a CWT (%s) is 406, and nobody is asked for it',
    async (accept) => {
      const { status, json, headers } = await get([['accept', accept]]);
      expect([status, headers['content-type']?.split(';')[0]]).toEqual([406, 'application/json']);
      expect(json).toEqual({
        error: 'invalid_request',
        error_description: 'status lists are offered as application/statuslist+jwt alone',
      });
      expect(questions()).toEqual([]);
    },
  );

  it('that is not there, or has no possible id, is 404', async () => {
    const other = await startGateway({
      answers: { 'issuer.status-list.get': failing('not_found', 'status_list_not_found') },
    });
    try {
      for (const id of ['unknown', 'not%20an%20id', 'x'.repeat(200)]) {
        const { status, headers } = await other.toPublic(`/oidc4vci/status-lists/${id}`);
        expect([status, headers['cache-control']]).toEqual([404, 'no-store']);
      }
      expect(other.asked).toHaveLength(1);
    } finally {
      await other.close();
    }
  });

  it('that cannot be signed is 503 with Retry-After and is not cached', async () => {
    const other = await startGateway({
      answers: { 'issuer.status-list.get': failing('unavailable', 'status_list_unavailable') },
    });
    try {
      const { status, headers } = await other.toPublic(LIST);
      expect([status, headers['cache-control'], headers['retry-after']]).toEqual([503, 'no-store', '5']);
    } finally {
      await other.close();
    }
  });

  it('VCI:Z12 is no way to all lists: there is no list of lists', async () => {
    for (const path of ['/oidc4vci/status-lists', '/oidc4vci/status-lists/']) {
      expect((await gateway.toPublic(path)).status).toBe(404);
    }
  });
});

describe('PATCH /offers/{offer_id}/status', () => {
  const answer = { offer_id: 'offer-1', status: 'revoked', credentials: 2 };
  const patch = (body: unknown) => ({ ...jsonPost(body), method: 'PATCH' });

  async function change(path: string, body: unknown, answers: Parameters<typeof startGateway>[0]) {
    const other = await startGateway(answers);
    try {
      return { ...(await other.toManagement(path, patch(body))), asked: other.asked };
    } finally {
      await other.close();
    }
  }

  it('passes id and body on and answers 200', async () => {
    const got = await change(
      '/offers/offer-1/status',
      { status: 'revoked' },
      { answers: { 'issuer.credential-status.change': answer } },
    );
    expect([got.status, got.json]).toEqual([200, answer]);
    expect(got.asked[0]?.question).toEqual({ offerId: 'offer-1', body: { status: 'revoked' } });
  });

  it.each([
    ['not_found', 'credential_offer_not_found', 404],
    ['conflict', 'credential_not_issued', 409],
    ['conflict', 'credential_without_status', 409],
    ['conflict', 'credential_revocation_final', 409],
    ['invalid', 'invalid_request', 400],
  ] as const)('answers %s %s with %d problem details', async (kind, code, status) => {
    const answers = { 'issuer.credential-status.change': failing(kind, code) };
    const got = await change('/offers/offer-1/status', { status: 'revoked' }, { answers });
    expect([got.status, got.json['code']]).toEqual([status, code]);
    expect(got.headers['content-type']).toContain('application/problem+json');
  });

  it('refuses a body that is no object, and an id that is none, without asking', async () => {
    const answers = { 'issuer.credential-status.change': answer };
    const badBody = await change('/offers/offer-1/status', '"revoked"', { answers });
    expect([badBody.status, badBody.json['code'], badBody.asked]).toEqual([400, 'invalid_request', []]);
    const badId = await change('/offers/not%20an%20id/status', { status: 'revoked' }, { answers });
    expect([badId.status, badId.json['code'], badId.asked]).toEqual([404, 'credential_offer_not_found', []]);
  });

  it('is not on the public listener', async () => {
    expect((await gateway.toPublic('/offers/offer-1/status', patch({ status: 'revoked' }))).status).toBe(404);
  });
});
