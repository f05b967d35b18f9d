import { createHash, randomUUID } from 'node:crypto';
import { BADGE, createSchemaApi, OLD, type ResourceAnswer, type SchemaApi } from './schema-api';
import { joinStage, type SharedStage } from './stage';
import { createW3cIssuer } from './w3c-issuer';

type Members = Record<string, unknown>;
let stage: SharedStage;
let api: SchemaApi;

beforeAll(async () => {
  stage = await joinStage();
  api = createSchemaApi(stage.stack.baseUrl, stage.stack.files.secrets.apiKey);
});
afterAll(() => stage?.stop());

const OTHER = { fields: BADGE.fields.slice(1) };
/** A slug that no other test uses. */
const newSlug = () => `s${randomUUID().replaceAll('-', '')}`;

async function create(definition: Members = {}): Promise<string> {
  const { status, body } = await api('POST', '/schemas', { data: { schema: BADGE, ...definition } });
  expect(status).toBe(201);
  return body.id;
}

const publish = (id: string, body?: Members, headers?: Record<string, string>) =>
  api('PATCH', `/schemas/${id}/publish`, body, headers);

const nameOf = ({ status, body }: ResourceAnswer) => [status, body.data?.['slug'], body.data?.['version']];
const codeOf = ({ status, body }: ResourceAnswer) => [status, body.code];

describe('17.4 the name of a publication', () => {
  const slug = newSlug();
  const named = newSlug();

  it.each<[string, Members, Members | undefined, [string, number]]>([
    ['the definition', { slug: `${slug}a`, version: 3 }, {}, [`${slug}a`, 3]],
    ['the definition, without a body', { slug: `${slug}b`, version: 3 }, undefined, [`${slug}b`, 3]],
    ['the definition, as version 1 when it has none', { slug: `${slug}c` }, {}, [`${slug}c`, 1]],
    ['the body', {}, { slug: `${slug}d`, version: 4 }, [`${slug}d`, 4]],
    ['the body, as version 1 when neither has one', {}, { slug: `${slug}e` }, [`${slug}e`, 1]],
    ['the body before the definition', { slug: named, version: 9 }, { slug: `${slug}f`, version: 2 }, [`${slug}f`, 2]],
    ['the body for the slug, the definition for the version', { version: 5 }, { slug: `${slug}g` }, [`${slug}g`, 5]],
    ['the definition for the slug, the body for the version', { slug: `${slug}h` }, { version: 6 }, [`${slug}h`, 6]],
  ])('17.4 comes from %s', async (_what, definition, body, expected) => {
    const answer = await publish(await create(definition), body);
    expect(nameOf(answer)).toEqual([200, ...expected]);
    const [name, version] = expected;
    expect((await fetch(String(answer.body.data['meta_schema']))).status).toBe(200);
    expect(answer.body.data['meta_schema']).toMatch(new RegExp(`/${name}/${version}$`));
  });

  it('17.4 is taken from the definition in the previous version of the API too', async () => {
    expect(nameOf(await publish(await create({ slug: `${slug}i`, version: 2 }), {}, OLD))).toEqual([
      200,
      `${slug}i`,
      2,
    ]);
  });

  it('17.13 is that of the definition where the body has null', async () => {
    const name = newSlug();
    const answer = await publish(await create({ slug: name, version: 2 }), { slug: null, version: null });
    expect(nameOf(answer)).toEqual([200, name, 2]);
  });

  it.each([{}, { version: 2 }])('17.4 without a slug in either, %j is 400 at slug', async (body) => {
    const answer = await publish(await create(), body);
    expect([...codeOf(answer), answer.faults]).toEqual([400, 'invalid_request', ['slug']]);
  });

  it.each([{ slug: 7 }, { slug: 'Not A Slug' }, { version: 0 }, { version: '2' }])(
    '17.4 %j is 400, and does not fall back to the definition',
    async (body) => {
      const answer = await publish(await create({ slug: newSlug(), version: 2 }), body);
      expect([...codeOf(answer), answer.faults]).toEqual([400, 'invalid_request', Object.keys(body)]);
    },
  );
});

describe('17.4 versions of a slug', () => {
  it('17.4 the same definition under the same name is a no-op, by the same schema and by another', async () => {
    const [slug, id] = [newSlug(), await create()];
    const first = await publish(id, { slug });
    expect((await publish(id, { slug, version: 1 })).body).toEqual(first.body);
    expect((await publish(id)).body).toEqual(first.body);
    const twin = await publish(await create({ slug }));
    expect([twin.status, twin.body.data]).toEqual([200, first.body.data]);
  });

  it('17.4 an older version again is a no-op too, although a higher one is published', async () => {
    const [slug, first, second] = [newSlug(), await create(), await create({ schema: OTHER })];
    const published = await publish(first, { slug });
    await publish(second, { slug, version: 2 });
    expect((await publish(first, { slug })).body).toEqual(published.body);
    expect(nameOf(await publish(await create(), { slug }))).toEqual([200, slug, 1]);
  });

  it('17.4 a version that another definition has is 409 schema_version_taken, the highest or not', async () => {
    const [slug, first, second] = [newSlug(), await create(), await create({ schema: OTHER })];
    await publish(first, { slug, version: 1 });
    await publish(second, { slug, version: 2 });
    expect(codeOf(await publish(await create({ schema: OTHER }), { slug, version: 1 }))).toEqual([
      409,
      'schema_version_taken',
    ]);
    expect(codeOf(await publish(await create(), { slug, version: 2 }))).toEqual([409, 'schema_version_taken']);
  });

  it('W:1.14 17.4 a version below the highest one of the slug is 409 schema_version_outdated, for any definition', async () => {
    const [slug, first, third] = [newSlug(), await create(), await create({ schema: OTHER })];
    await publish(first, { slug, version: 10 });
    await publish(third, { slug, version: 30 });
    for (const version of [1, 9, 11, 29]) {
      for (const schema of [BADGE, OTHER]) {
        const id = await create({ schema });
        expect(codeOf(await publish(id, { slug, version }))).toEqual([409, 'schema_version_outdated']);
        const { body } = await api('PATCH', `/schemas/${id}`, { labels: { still: 'editable' } });
        expect(body['revision']).toBe(2);
      }
    }
    expect(nameOf(await publish(await create(), { slug, version: 31 }))).toEqual([200, slug, 31]);
    const other = newSlug();
    expect(nameOf(await publish(await create(), { slug: other, version: 1 }))).toEqual([200, other, 1]);
  });

  it('17.4 from parallel publications the versions only ever grow', async () => {
    const slug = newSlug();
    const versions = [3, 1, 2, 5, 4];
    const ids = await Promise.all(versions.map(() => create()));
    const answers = await Promise.all(versions.map((version, index) => publish(ids[index] ?? '', { slug, version })));
    const published = versions.filter((_, index) => answers[index]?.status === 200);
    for (const answer of answers) {
      if (answer.status !== 200) expect(codeOf(answer)).toEqual([409, 'schema_version_outdated']);
    }
    expect(published).toContain(5);
    const { items } = await api('POST', '/published-schemas/search', {
      filter: [{ slug: { operator: 'EQUAL', value: slug } }],
    });
    expect(items.map(({ data }) => data['version']).sort()).toEqual([...published].sort());
  });
});

describe('17.8 digests of published documents in relatedResource', () => {
  it.each(['context', 'json-schema', 'type-metadata'])(
    '17.8 that of %s is compared with what is served',
    async (part) => {
      const { body } = await publish(await create(), { slug: newSlug() });
      const id = `${String(body.data['meta_schema'])}/${part}`;
      const served = await (await fetch(id)).text();
      const sri = (text: string) => `sha384-${createHash('sha384').update(text).digest('base64')}`;
      const issuer = await createW3cIssuer();
      const imported = async (text: string) => {
        const relatedResource = { id, digestSRI: sri(text) };
        const credential = await issuer.issue({ given_name: 'Ada' }, { relatedResource });
        const answer = await api('POST', '/api/wallet/v1/credentials', { Body: credential });
        return [answer.status, answer.body.code];
      };
      expect(await imported(served)).toEqual([201, undefined]);
      expect(await imported(`${served}\n`)).toEqual([400, 'vc_related_resource_mismatch']);
    },
  );
});
