import { BADGE, createSchemaApi, type SchemaApi } from './schema-api';
import { joinStage, type SharedStage } from './stage';
import { newTenantKey } from './wallet-api';

let stage: SharedStage;
let api: SchemaApi;
let url: string;
let published = 0;

beforeAll(async () => {
  stage = await joinStage();
  const { baseUrl } = stage.stack;
  api = createSchemaApi(baseUrl, await newTenantKey(stage, 'schemas'));
  url = await publish();
});
afterAll(() => stage?.stop());

async function publish(schema: object = BADGE): Promise<string> {
  const { body } = await api('POST', '/schemas', { data: { schema } });
  const answer = await api('PATCH', `/schemas/${body.id}/publish`, { slug: `badge-${(published += 1)}` });
  expect(answer.status).toBe(200);
  return String(answer.body.data['meta_schema']);
}
const code = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

describe('17.14 GET /schemas/{id}', () => {
  it('is the schema as the last call answered it, with its etag, also when published', async () => {
    const { body: made } = await api('POST', '/schemas', { data: { schema: BADGE } });
    const read = () => api('GET', `/schemas/${made.id}`);
    expect([(await read()).status, (await read()).body]).toEqual([200, made]);
    expect((await read()).headers.get('etag')).toBe(`"${made.etag}"`);
    const { body: named } = await api('PATCH', `/schemas/${made.id}/publish`, { slug: `badge-${(published += 1)}` });
    expect((await read()).body).toEqual(named);
  });

  it('is 404 for an unknown one', async () => {
    expect(code(await api('GET', '/schemas/AAAA'))).toEqual([404, 'schema_not_found']);
  });
});

describe('SchemaCreate, POST /schemas', () => {
  it('W:1.12 W:4.19 creates a schema, which may be empty, without a body too', async () => {
    for (const body of [undefined, {}, { data: {} }]) {
      const answer = await api('POST', '/schemas', body);
      expect([answer.status, answer.body.data]).toEqual([201, { schema: { fields: [] } }]);
      expect(answer.headers.get('etag')).toBe('"1"');
      expect(answer.headers.get('x-service-oas-version')).toBe('0.40.11');
    }
  });

  it('W:9.2 answers the envelope of every resource', async () => {
    const { body } = await api('POST', '/schemas', { labels: { team: 'blue' }, annotations: { note: 'x' } });
    expect(body).toEqual({
      kind: { name: 'Schema', version: '0.40.11' },
      id: expect.any(String),
      etag: '1',
      revision: 1,
      created_at: expect.stringMatching(/Z$/),
      modified_at: expect.stringMatching(/Z$/),
      labels: { team: 'blue' },
      annotations: { note: 'x' },
      data: { schema: { fields: [] } },
    });
  });

  it('is strict: every wrong place, with what was probably meant', async () => {
    const answer = await api('POST', '/schemas', { lables: {}, data: { schema: { fields: [{ kind: 'TEXT' }] } } });
    expect(code(answer)).toEqual([400, 'invalid_request']);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer.faults).toEqual(['lables', 'data.schema.fields[0].kind', 'data.schema.fields[0].value']);
    expect(JSON.stringify(answer.body)).toContain('did you mean labels?');
  });

  it('with one Idempotency-Key creates one schema', async () => {
    const key = { 'idempotency-key': 's'.repeat(32) };
    const first = await api('POST', '/schemas', { labels: { a: '1' } }, key);
    expect((await api('POST', '/schemas', { labels: { a: '1' } }, key)).body).toEqual(first.body);
    expect(code(await api('POST', '/schemas', {}, key))).toEqual([409, 'idempotency_conflict']);
  });
});

describe('PATCH /schemas/{id}', () => {
  it('W:1.16 W:3.12 is a merge patch that honours If-Match, until the schema is published', async () => {
    const { body } = await api('POST', '/schemas', {});
    const type = { 'content-type': 'application/merge-patch+json' };
    const changed = await api(
      'PATCH',
      `/schemas/${body.id}`,
      { data: { schema: BADGE } },
      { ...type, 'if-match': '"1"' },
    );
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"2"']);
    const late = await api('PATCH', `/schemas/${body.id}`, { labels: { a: 'b' } }, { 'if-match': '"1"' });
    expect(code(late)).toEqual([412, 'revision_mismatch']);
    await api('PATCH', `/schemas/${body.id}/publish`, { slug: 'patched' });
    expect(code(await api('PATCH', `/schemas/${body.id}`, {}))).toEqual([409, 'schema_published']);
  });
});

describe('SchemaPublish, PATCH /schemas/{id}/publish', () => {
  it('W:1.13 W:1.17 W:4.20 makes a schema immutable and publicly verifiable: everybody can read it, for ever', async () => {
    for (const [part, type] of [
      ['', 'application/vc'],
      ['/context', 'application/ld+json'],
      ['/json-schema', 'application/schema+json'],
      ['/type-metadata', 'application/json'],
    ]) {
      const response = await fetch(`${url}${part}`);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`]);
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
    }
    const document = (await (await fetch(url)).json()) as Record<string, unknown>;
    expect(document['proof']).toMatchObject({ type: 'DataIntegrityProof', cryptosuite: 'ecdsa-rdfc-2019' });
  });

  it('again is a no-op; another definition under the same slug and version is 409', async () => {
    const [one, other] = [
      await api('POST', '/schemas', { data: { schema: BADGE } }),
      await api('POST', '/schemas', {}),
    ];
    const first = await api('PATCH', `/schemas/${one.body.id}/publish`, { slug: 'twice' });
    expect((await api('PATCH', `/schemas/${one.body.id}/publish`, { slug: 'twice' })).body).toEqual(first.body);
    await api('PATCH', `/schemas/${other.body.id}`, { data: { schema: { fields: BADGE.fields.slice(1) } } });
    const taken = await api('PATCH', `/schemas/${other.body.id}/publish`, { slug: 'twice' });
    expect(code(taken)).toEqual([409, 'schema_version_taken']);
    const next = await api('PATCH', `/schemas/${other.body.id}/publish`, { slug: 'twice', version: 2 });
    expect(next.body.data['meta_schema']).toMatch(/\/twice\/2$/);
  });

  it('what is not published is not public', async () => {
    const response = await fetch(url.replace(/1$/, '2'));
    expect([response.status, response.headers.get('cache-control')]).toEqual([404, 'no-store']);
    expect(((await response.json()) as { code: string }).code).toBe('published_schema_not_found');
    expect((await fetch(url.replace(/[^/]+\/1$/, '..%2F1'))).status).toBe(404);
  });
});

describe('SchemaSearch and PublishedSchemaSearch', () => {
  it('W:4.21 W:4.22 filter with OR over entries and AND within one, sort, and page with a cursor', async () => {
    for (const name of ['a', 'b', 'c']) await api('POST', '/schemas', { labels: { group: 'paged', name } });
    const filter = [
      { labels: { group: { operator: 'EQUAL', value: 'paged' }, name: { operator: 'NOT_IN', value: ['b'] } } },
    ];
    const search = { filter, sort: [{ field: 'created_at', order: 'DESC' }], limit: 1 };
    const first = await api('POST', '/schemas/search', search);
    const second = await api('POST', '/schemas/search', { ...search, cursor: first.body['next_cursor'] });
    const names = [...first.items, ...second.items].map(({ labels }) => (labels as { name: string }).name);
    expect([names, 'next_cursor' in second.body]).toEqual([['c', 'a'], false]);
    const found = await api('POST', '/published-schemas/search', {
      filter: [{ meta_schema: { operator: 'EQUAL', value: url } }],
    });
    expect(found.items.map(({ kind, data }) => [kind, data['meta_schema']])).toEqual([
      [{ name: 'PublishedSchema', version: '0.40.11' }, url],
    ]);
  });

  it.each(['/schemas/search', '/published-schemas/search', '/drafts/search'])(
    '%s refuses what it does not know',
    async (path) => {
      const answer = await api('POST', path, { filter: [{ name: {} }], sort: [{ field: 'x' }], limits: 1 });
      expect(code(answer)).toEqual([400, 'invalid_request']);
      expect([...answer.faults].sort()).toEqual(['filter[0].name', 'limits', 'sort[0].field']);
    },
  );
});
