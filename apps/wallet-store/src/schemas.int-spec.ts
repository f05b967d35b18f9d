import { canonicalize, CREDENTIALS_V2, verifyCredential } from '@vestibule/vcdm';
import { BADGE, BASE_URL, openSchemas, type SchemaStage } from './testing/schemas.fixture-spec';

const code = (expected: string) => expect.objectContaining({ code: expected });
const faultsAt = (...paths: string[]) =>
  expect.objectContaining({ code: 'invalid_request', faults: paths.map((path) => expect.objectContaining({ path })) });
let stage: SchemaStage;
beforeAll(async () => {
  stage = await openSchemas();
});
afterAll(() => stage.close());

const create = (body = {}) => stage.schemas.createSchema({ ...stage.asTenant(), body });
const publish = (id: string, body: object, ifRevision?: number) =>
  stage.schemas.publishSchema({ ...stage.asTenant(), id, body: body as never, ifRevision });
const documentOf = async (url: unknown) => {
  const [tenant = '', slug = '', version = '', document = 'schema'] = String(url)
    .slice(`${BASE_URL}/schemas/`.length)
    .split('/');
  const name = { tenant, slug, version: Number(version), document: document as 'schema' };
  return JSON.parse((await stage.schemas.getPublishedSchema(name)).json) as Record<string, unknown>;
};

describe('SchemaCreate', () => {
  it('may be empty, and answers the envelope of every resource', async () => {
    expect(await create()).toEqual({
      kind: { name: 'Schema', version: '0.40.11' },
      id: expect.stringMatching(/^[\w-]{20,}$/),
      etag: '1',
      revision: 1,
      created_at: expect.stringMatching(/Z$/),
      modified_at: expect.stringMatching(/Z$/),
      labels: {},
      annotations: {},
      data: { schema: { fields: [] } },
    });
  });

  it('names every fault, with what was probably meant', async () => {
    const body = { label: {}, labels: { a: 1 }, data: { shema: {}, slug: 'A', schema: { fields: [{ kind: 'X' }] } } };
    await expect(create(body)).rejects.toMatchObject({
      code: 'invalid_request',
      faults: expect.arrayContaining([
        { path: 'label', message: 'is not a known member; did you mean labels?' },
        { path: 'data.shema', message: 'is not a known member; did you mean schema?' },
        expect.objectContaining({ path: 'labels.a' }),
        expect.objectContaining({ path: 'data.slug' }),
        expect.objectContaining({ path: 'data.schema.fields[0].kind' }),
        expect.objectContaining({ path: 'data.schema.fields[0].value' }),
      ]),
    });
  });

  it('with one Idempotency-Key makes one schema; with another body it is a conflict', async () => {
    const call = { ...stage.asTenant(), idempotencyKey: 'k'.repeat(32), body: { labels: { once: 'yes' } } };
    const [first, again] = [await stage.schemas.createSchema(call), await stage.schemas.createSchema(call)];
    expect(again).toEqual(first);
    await expect(stage.schemas.createSchema({ ...call, body: {} })).rejects.toThrow(code('idempotency_conflict'));
  });
});

describe('PATCH /schemas/{id}', () => {
  const update = (id: string, body: object, ifRevision?: number) =>
    stage.schemas.updateSchema({ ...stage.asTenant(), id, body: body as never, ifRevision });

  it('merges, and makes a new revision', async () => {
    const { id } = await create({ labels: { a: '1', b: '2' } });
    const changed = await update(id, { labels: { a: null, c: '3' }, data: { schema: BADGE, slug: 'badge' } });
    expect(changed).toMatchObject({ revision: 2, etag: '2', labels: { b: '2', c: '3' }, data: { slug: 'badge' } });
    expect(changed.data['schema']).toEqual(BADGE);
    expect((await update(id, { data: { slug: null } })).data).toEqual({ schema: BADGE });
  });

  it('honours If-Match; of 8 parallel changes exactly one wins, and none is lost', async () => {
    const { id } = await create();
    await expect(update(id, {}, 2)).rejects.toThrow(code('revision_mismatch'));
    for (const etag of [1, undefined]) {
      const before = etag ?? 2;
      const outcomes = await Promise.allSettled(
        Array.from({ length: 8 }, (_, n) => update(id, { labels: { n: String(n) } }, etag)),
      );
      const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled');
      if (etag === 1) expect(winners).toHaveLength(1);
      const after = await update(id, {});
      expect(after.revision).toBe(before + winners.length + 1);
      const reason = code(etag === undefined ? 'concurrent_change' : 'revision_mismatch');
      for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toEqual(reason);
      if (etag === 1) await stage.outside(`UPDATE wallet_store.claims_schema SET revision = 2 WHERE id = $1`, [id]);
    }
  });

  it('of a schema of another tenant, or of none, is 404', async () => {
    const { id } = await create();
    const foreign = await stage.newTenant();
    const theirs = stage.schemas.updateSchema({ ...stage.asTenant('0.40.11', foreign), id, body: {} });
    await expect(theirs).rejects.toThrow(code('schema_not_found'));
    await expect(update('none', {})).rejects.toThrow(code('schema_not_found'));
  });
});

describe('SchemaPublish', () => {
  it('makes a schema public: schema, context, JSON Schema and Type Metadata at their addresses', async () => {
    const { id } = await create({ data: { schema: BADGE } });
    const { data } = await publish(id, { slug: 'public-badge' });
    const url = `${BASE_URL}/schemas/${stage.tenant.id}/public-badge/1`;
    expect(data).toEqual({
      schema: BADGE,
      slug: 'public-badge',
      version: 1,
      meta_schema: url,
      json_ld_vocab: `${url}/context`,
      vcdm_json_schema: `${url}/json-schema`,
      type_metadata: `${url}/type-metadata`,
    });
    expect(await documentOf(`${url}/context`)).toMatchObject({
      '@context': { PublicBadge: { '@id': `${url}#PublicBadge` }, since: { '@id': `${url}#since` } },
    });
    expect(await documentOf(`${url}/json-schema`)).toMatchObject({ $id: `${url}/json-schema` });
    expect(await documentOf(`${url}/type-metadata`)).toMatchObject({ vct: `${url}/type-metadata` });
  });

  it('gives it a Data Integrity proof of its owner, which others can verify', async () => {
    const { data } = await stage.publishBadge();
    const document = await documentOf(data['meta_schema']);
    expect(document).toMatchObject({
      id: data['meta_schema'],
      type: ['VerifiableCredential', 'JsonSchemaCredential'],
      credentialSubject: { type: 'JsonSchema', metaSchema: { schema: BADGE } },
      proof: { type: 'DataIntegrityProof', cryptosuite: 'ecdsa-rdfc-2019' },
    });
    expect((document['@context'] as unknown[])[0]).toBe(CREDENTIALS_V2);
    const options = {
      now: new Date(),
      skewSeconds: 60,
      contexts: stage.contexts,
      canonicalize,
      statusLists: stage.statusLists,
    };
    await expect(verifyCredential(document as never, options)).resolves.toBeDefined();
    const changed = JSON.parse(JSON.stringify(document).replace('Given name', 'Other name')) as never;
    await expect(verifyCredential(changed, options)).rejects.toThrow(code('vc_proof_invalid'));
  });

  it('is signed by the entity that is named', async () => {
    const { id } = await create({ data: { schema: BADGE } });
    const { entityDid } = stage.tenant.owner;
    const call = { ...stage.asTenant(), id, body: { slug: 'named' } };
    await expect(stage.schemas.publishSchema({ ...call, entityDid: 'did:x:none' })).rejects.toThrow(
      code('entity_not_found'),
    );
    const { data } = await stage.schemas.publishSchema({ ...call, entityDid });
    expect((await documentOf(data['meta_schema']))['issuer']).toBe(entityDid);
  });

  it('again is a no-op; another definition under the same slug and version is 409, under the next version it is not', async () => {
    const { id } = await create({ data: { schema: BADGE } });
    const first = await publish(id, { slug: 'same' });
    expect(await publish(id, { slug: 'same', version: 1 })).toEqual(first);
    const twin = await create({ data: { schema: BADGE } });
    expect((await publish(twin.id, { slug: 'same' })).data).toEqual(first.data);
    const other = await create({ data: { schema: { fields: BADGE.fields.slice(1) } } });
    await expect(publish(other.id, { slug: 'same' })).rejects.toThrow(code('schema_version_taken'));
    expect((await publish(other.id, { slug: 'same', version: 2 })).data['version']).toBe(2);
  });

  it('makes the schema immutable', async () => {
    const { id } = await stage.publishBadge();
    const change = stage.schemas.updateSchema({ ...stage.asTenant(), id, body: { labels: { a: 'b' } } });
    await expect(change).rejects.toThrow(code('schema_published'));
    await expect(publish(id, { slug: 'another-name' })).rejects.toThrow(code('schema_published'));
  });

  it('refuses a schema without claims, a missing slug and an outdated If-Match', async () => {
    const { id } = await create();
    await expect(publish(id, { slug: 'empty' })).rejects.toEqual(faultsAt('schema.fields'));
    await expect(publish(id, { slugg: 'x' })).rejects.toEqual(faultsAt('slugg', 'slug', 'schema.fields'));
    await expect(publish(id, { slug: 'x' }, 7)).rejects.toThrow(code('revision_mismatch'));
  });

  it('is found under no other address', async () => {
    const get = (change: object) =>
      stage.schemas.getPublishedSchema({
        tenant: stage.tenant.id,
        slug: 'none',
        version: 1,
        document: 'schema',
        ...change,
      });
    await expect(get({})).rejects.toThrow(code('published_schema_not_found'));
    await expect(get({ tenant: 'no uuid' })).rejects.toThrow(code('published_schema_not_found'));
  });
});

describe('searches', () => {
  const search = async (body: object) => {
    const page = await stage.schemas.searchSchemas({ ...stage.asTenant(), body: body as never });
    return { names: page.items.map(({ labels }) => labels['name']), cursor: page.next_cursor };
  };
  const named = (key: string, operator: string, value: unknown) => ({ labels: { [key]: { operator, value } } });
  const OWN = named('group', 'EQUAL', 'search');

  beforeAll(async () => {
    for (const [name, colour] of [
      ['a', 'red'],
      ['b', 'blue'],
      ['c', 'red'],
      ['d', undefined],
    ] as const) {
      await create({ labels: { group: 'search', name, ...(colour ? { colour } : {}) } });
    }
  });
  const merged = (...conditions: ReturnType<typeof named>[]) => ({
    labels: Object.assign({}, ...conditions.map(({ labels }) => labels)) as object,
  });

  it.each<[string, object[], string[]]>([
    ['EQUAL', [merged(OWN, named('colour', 'EQUAL', 'red'))], ['a', 'c']],
    ['NOT_EQUAL, also where there is no label', [merged(OWN, named('colour', 'NOT_EQUAL', 'red'))], ['b', 'd']],
    ['IN', [merged(OWN, named('colour', 'IN', ['red', 'blue']))], ['a', 'b', 'c']],
    ['NOT_IN', [merged(OWN, named('colour', 'NOT_IN', ['red', 'blue']))], ['d']],
    ['several entries, of which one must hold', [named('name', 'EQUAL', 'a'), named('name', 'EQUAL', 'd')], ['a', 'd']],
  ])('filter by %s', async (_what, filter, expected) => {
    expect((await search({ filter })).names).toEqual(expected);
  });

  it.each([[[]], [[{}]], [[{ labels: {} }]]])('17.13 refuse the empty filter %j', async (filter) => {
    await expect(search({ filter })).rejects.toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('filter by fields, which members of one entry AND', async () => {
    const published = { operator: 'EQUAL', value: 'true' };
    expect((await search({ filter: [{ ...OWN, published }] })).names).toEqual([]);
    const { data } = await stage.publishBadge('found');
    const found = await stage.schemas.searchPublishedSchemas({
      ...stage.asTenant(),
      body: { filter: [{ slug: { operator: 'EQUAL', value: 'found' } }] },
    });
    expect(found.items.map((item) => item.data['meta_schema'])).toEqual([data['meta_schema']]);
    expect(found.items[0]?.kind.name).toBe('PublishedSchema');
    const byUrl = { meta_schema: { operator: 'IN', value: [String(data['meta_schema'])] } };
    const page = await stage.schemas.searchPublishedSchemas({ ...stage.asTenant(), body: { filter: [byUrl] } });
    expect(page.items).toEqual(found.items);
  });

  it.each([
    [[{ field: 'created_at', order: 'ASC' }], ['a', 'b', 'c', 'd']],
    [[{ field: 'created_at', order: 'DESC' }], ['d', 'c', 'b', 'a']],
    [
      [{ field: 'version' }, { field: 'created_at', order: 'DESC' }],
      ['d', 'c', 'b', 'a'],
    ],
  ])('sort by %j and go on page by page', async (sort, expected) => {
    const body = { filter: [OWN], sort, limit: 3 };
    const first = await search(body);
    expect(first.names).toEqual(expected.slice(0, 3));
    const second = await search({ ...body, cursor: first.cursor });
    expect(second).toEqual({ names: expected.slice(3), cursor: undefined });
  });

  it('refuse what is not known, with a hint, and a cursor of another order', async () => {
    const refused = (body: object) => expect(search(body)).rejects;
    await refused({ filters: [] }).toMatchObject({ faults: [{ message: expect.stringContaining('filter') }] });
    await refused({ filter: [{ slugg: {} }] }).toEqual(faultsAt('filter[0].slugg'));
    await refused({ filter: [{ slug: { operator: 'IN', value: 'x' } }] }).toEqual(faultsAt('filter[0].slug.value'));
    await refused({ sort: [{ field: 'labels' }], limit: 0 }).toEqual(faultsAt('sort[0].field', 'limit'));
    const { cursor } = await search({ filter: [OWN], limit: 1 });
    await refused({ cursor, sort: [{ field: 'id' }] }).toEqual(faultsAt('cursor'));
    await refused({ cursor: 'eyJzb3J0Ijoi' }).toEqual(faultsAt('cursor'));
    for (const day of ['2026-02-30T00:00:00.000Z', '2026-04-31T00:00:00.000Z', '2026-01-01T24:00:00.000Z']) {
      const position = JSON.stringify({ sort: 'created_at+,id+', after: [day, 'x'] });
      await refused({ cursor: Buffer.from(position).toString('base64url') }).toEqual(faultsAt('cursor'));
    }
  });

  it('show nothing of another tenant', async () => {
    const foreign = await stage.newTenant();
    const theirs = { ...stage.asTenant('0.40.11', foreign), body: {} };
    expect(await stage.schemas.searchSchemas(theirs)).toEqual({ items: [] });
    expect(await stage.schemas.searchPublishedSchemas(theirs)).toEqual({ items: [] });
  });
});
