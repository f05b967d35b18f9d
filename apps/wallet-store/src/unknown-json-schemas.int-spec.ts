import { CURRENT, openSchemas, VALUES } from './testing/schemas.fixture-spec';

jest.setTimeout(120_000);

let stage: Awaited<ReturnType<typeof openSchemas>>;
beforeAll(async () => {
  stage = await openSchemas({ configuration: { unknownJsonSchemas: 'accept' } });
});
afterAll(() => stage.close());

const UNKNOWN = 'https://unknown.example/schema.json';
const caller = () => ({ ...stage.asTenant(), version: CURRENT });

it('17.7 UNKNOWN_JSON_SCHEMAS=accept: an unknown JSON Schema validates nothing, a known one still does', async () => {
  const { data } = await stage.publishBadge();
  const other = await stage.schemas.createSchema({
    ...caller(),
    body: { data: { schema: { fields: [{ kind: 'NUMBER', value: { name: 'given_name' } }] }, slug: 'other' } },
  });
  const published = await stage.schemas.publishSchema({ ...caller(), id: other.id, body: {} });
  const create = (urls: unknown[]) =>
    stage.schemas.createDraft({
      ...caller(),
      body: { data: { meta_schema: data['meta_schema'], vcdm_json_schemas: urls, values: VALUES } } as never,
    });
  const issue = ({ id }: { id: string }) => stage.schemas.issueDraft({ ...caller(), id, body: {} });
  expect((await issue(await create([UNKNOWN]))).data['document']).toMatchObject({
    credentialSchema: [{ id: UNKNOWN, type: 'JsonSchema' }],
  });
  const draft = await create([UNKNOWN, published.data['vcdm_json_schema']]);
  await expect(issue(draft)).rejects.toMatchObject({ code: 'json_schema_violated' });
  const vocabulary = { meta_schema: data['meta_schema'], json_ld_vocabs: [UNKNOWN], values: VALUES };
  await expect(stage.schemas.createDraft({ ...caller(), body: { data: vocabulary } as never })).rejects.toMatchObject({
    code: 'invalid_request',
  });
});
