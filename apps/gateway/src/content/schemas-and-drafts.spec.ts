import { createHash } from 'node:crypto';
import { jsonPost, startGateway, type Gateway, type Sent } from '../testing/gateway.stage';

const KEY = ['x-api-key', 'an-api-key-of-a-tenant'] as const;
const apiKeyDigest = createHash('sha256').update(KEY[1]).digest('base64url');
const RESOURCE = {
  kind: { name: 'Draft', version: '0.40.11' },
  id: 'did:x:d',
  etag: '7',
  revision: 7,
  created_at: '2026-03-01T12:00:00.000Z',
  modified_at: '2026-03-01T12:00:00.000Z',
  labels: {},
  annotations: {},
  data: {},
};
const answers = { 'wallet-store.draft.update': RESOURCE, 'wallet-store.schema.create': RESOURCE };
const OLD = ['x-service-oas-version', '0.38.2'] as const;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ answers });
});
afterAll(() => gateway.close());

const patch = (...headers: (readonly [string, string])[]): Sent => ({
  ...jsonPost({}, KEY, ...headers),
  method: 'PATCH',
});
const update = (...headers: (readonly [string, string])[]) =>
  gateway.toManagement('/drafts/did:x:d', patch(...headers));
const asked = () => gateway.questionOf('wallet-store.draft.update');

describe('If-Match', () => {
  it.each<[string, number]>([
    ['"7"', 7],
    ['7', 7],
    [' "7" ', 7],
    ['W/"7"', 0],
    ['"seven"', 0],
    ['"0"', 0],
    ['""', 0],
  ])('%s names revision %i, where 0 is none', async (tag, ifRevision) => {
    const { status, headers } = await update(['if-match', tag]);
    expect([status, headers['etag']]).toEqual([200, '"7"']);
    expect(asked()).toEqual({ apiKeyDigest, version: '0.40.11', id: 'did:x:d', body: {}, ifRevision });
  });

  it('* and none name no revision; several are refused', async () => {
    for (const headers of [[], [['if-match', '*']]] as const) {
      expect((await update(...headers)).status).toBe(200);
      expect(asked()).not.toHaveProperty('ifRevision');
    }
    for (const several of [
      [['if-match', '"1", "2"']],
      [
        ['if-match', '"1"'],
        ['if-match', '"2"'],
      ],
    ] as const) {
      expect((await update(...several)).status).toBe(400);
    }
  });
});

describe('X-Service-OAS-Version', () => {
  it('is answered, with Deprecation for the previous version only, which has no end of its own', async () => {
    const { headers } = await update();
    expect([headers['x-service-oas-version'], headers['deprecation'], headers['sunset']]).toEqual([
      '0.40.11',
      undefined,
      undefined,
    ]);
    const old = await update(OLD);
    expect(old.headers).toMatchObject({
      'x-service-oas-version': '0.38.2',
      deprecation: '@1795219200',
    });
    expect(old.headers).not.toHaveProperty('sunset');
    expect(asked()).toMatchObject({ version: '0.38.2' });
  });

  it.each<[string, string, number]>([
    ['no JSON', '{', 400],
    ['a number that is not exact', '{"data":{"sum":9007199254740993}}', 400],
    ['a body of another type', 'text', 415],
    ['a body that is too large', JSON.stringify('x'.repeat(300_000)), 413],
  ])('is answered to %s as well', async (what, body, expected) => {
    const type = ['content-type', what.endsWith('type') ? 'text/plain' : 'application/json'] as const;
    const send = (...headers: (readonly [string, string])[]) =>
      gateway.toManagement('/drafts/did:x:d', { method: 'PATCH', headers: [KEY, type, ...headers], body });
    const [current, old] = [await send(), await send(OLD)];
    expect([current.status, current.headers['x-service-oas-version']]).toEqual([expected, '0.40.11']);
    expect(old.headers).toMatchObject({ 'x-service-oas-version': '0.38.2', deprecation: '@1795219200' });
    const unknown = await send(['x-service-oas-version', '1']);
    expect([unknown.status, unknown.json['code']]).toEqual([400, 'api_version_unknown']);
  });

  it.each([[['0.38.0']], [['']], [['0.40.11', '0.38.2']]])('%j is unknown', async (versions) => {
    const { status, json } = await update(...versions.map((version) => ['x-service-oas-version', version] as const));
    expect([status, json['code']]).toEqual([400, 'api_version_unknown']);
  });

  it('17.1 carries Sunset for the previous version before its configured end, whenever that is', async () => {
    const inAYear = new Date(Math.ceil(Date.now() / 1000) * 1000 + 366 * 86_400_000);
    const ending = await startGateway({ answers, environment: { PREVIOUS_API_ENDS_AT: inAYear.toISOString() } });
    try {
      const { status, headers } = await ending.toPublic('/drafts/did:x:d', patch(OLD));
      expect([status, headers['sunset']]).toEqual([200, inAYear.toUTCString()]);
    } finally {
      await ending.close();
    }
  });

  it('17.1 W:9.6 gets 410 for the previous version after its configured end, the current one goes on', async () => {
    const ended = await startGateway({ answers, environment: { PREVIOUS_API_ENDS_AT: '2026-01-01T00:00:00Z' } });
    try {
      const { status, json, headers } = await ended.toPublic('/drafts/did:x:d', patch(OLD));
      expect([status, json['code']]).toEqual([410, 'api_version_gone']);
      expect(headers).toMatchObject({ sunset: 'Thu, 01 Jan 2026 00:00:00 GMT', 'x-service-oas-version': '0.38.2' });
      expect((await ended.toPublic('/drafts/did:x:d', patch())).status).toBe(200);
    } finally {
      await ended.close();
    }
  });
});

describe('bodies', () => {
  it.each(['toManagement', 'toPublic'] as const)('on %s may be a merge patch, and must be JSON objects', async (to) => {
    const type = ['content-type', 'application/merge-patch+json'] as const;
    const merge: Sent = { method: 'PATCH', headers: [KEY, type], body: '{"data":{}}' };
    expect((await gateway[to]('/drafts/did:x:d', merge)).status).toBe(200);
    for (const [body, code] of [
      ['[]', 'invalid_request'],
      ['{', 'invalid_json'],
      ['{"a":1,"a":2}', 'invalid_json'],
      ['{"data":{"sum":9007199254740993}}', 'invalid_request'],
      ['{"data":{"sum":1e999}}', 'invalid_request'],
    ]) {
      const { status, json } = await gateway[to]('/drafts/did:x:d', { ...merge, body: body as string });
      expect([status, json['code']]).toEqual([400, code]);
    }
    const form: Sent = { ...merge, headers: [KEY, ['content-type', 'text/plain']] };
    expect((await gateway[to]('/drafts/did:x:d', form)).status).toBe(415);
  });

  it.each(['/schemas', '/drafts'])('%s takes one Idempotency-Key: of two none is chosen', async (path) => {
    const key = (letter: string) => ['idempotency-key', letter.repeat(32)] as const;
    const before = gateway.asked.length;
    const { status, json } = await gateway.toPublic(path, jsonPost({}, KEY, key('a'), key('b')));
    expect([status, json['code'], gateway.asked.length]).toEqual([400, 'invalid_request', before]);
    await gateway.toPublic(path, jsonPost({}, KEY, key('a')));
    expect(gateway.asked.at(-1)?.question['idempotencyKey']).toBe('a'.repeat(32));
  });

  it('may be left out where a schema is made', async () => {
    const { status } = await gateway.toPublic('/schemas', { method: 'POST', headers: [KEY] });
    expect([status, gateway.questionOf('wallet-store.schema.create')?.['body']]).toEqual([201, {}]);
  });
});
