import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BADGE, createSchemaApi, OLD, PLAIN, VALUES, type ResourceAnswer, type SchemaApi } from './schema-api';
import { CONTENT, startStage, type Stage } from './stage';

type Members = Record<string, unknown>;
const SENIOR = 'https://schemas.example/senior.json';
const STRICT = 'https://schemas.example/strict.json';
const UNKNOWN = 'https://unknown.example/any.json';

/** What the operator lists: who has a level of at least five, and who is not called Mallory. */
const LISTED = {
  [SENIOR]: {
    $id: SENIOR,
    properties: { credentialSubject: { $ref: '#/$defs/subject' } },
    $defs: { subject: { properties: { level: { minimum: 5 } }, required: ['level'] } },
  },
  [STRICT]: { properties: { credentialSubject: { not: { properties: { given_name: { const: 'Mallory' } } } } } },
};

let folder: string;
let stage: Stage;
let api: SchemaApi;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'json-schemas-'));
  const file = path.join(folder, 'schemas.json');
  writeFileSync(file, JSON.stringify(LISTED));
  stage = await startStage({ apps: CONTENT, environment: { 'wallet-store': { JSON_SCHEMAS_FILE: file } } });
  api = createSchemaApi(stage.stack.baseUrl, stage.stack.files.secrets.apiKey);
  url = await publish('badge', BADGE);
});
afterAll(async () => {
  await stage?.stop();
  rmSync(folder, { recursive: true });
});

async function publish(slug: string, schema: object): Promise<string> {
  const { body } = await api('POST', '/schemas', { data: { schema, slug } });
  return String((await api('PATCH', `/schemas/${body.id}/publish`, {})).body.data['meta_schema']);
}

const create = (content: Members = {}) =>
  api('POST', '/drafts', { data: { meta_schema: url, values: VALUES, ...content } });
const issue = ({ body }: ResourceAnswer) => api('POST', `/drafts/${body.id}/issue`, {});
const outcome = ({ status, body, faults }: ResourceAnswer) => [status, body.code, faults];
const level = (value: number) => ({ ...VALUES, level: { kind: 'NUMBER', value } });

describe('17.7 JSON Schemas', () => {
  it.each<[string, Members, unknown[]]>([
    ['a listed one', { vcdm_json_schemas: [SENIOR], values: level(4) }, ['credentialSubject.level']],
    ['the second of two', { vcdm_json_schemas: [STRICT, SENIOR], values: level(1) }, ['credentialSubject.level']],
    [
      'a listed one with a missing claim',
      { vcdm_json_schemas: [SENIOR], values: { given_name: VALUES.given_name } },
      ['credentialSubject.level'],
    ],
    [
      'a listed one, of a temporary schema',
      { meta_schema: { schema: BADGE }, vcdm_json_schemas: [SENIOR] },
      ['credentialSubject.level'],
    ],
  ])('17.7 %s refuses the document at issue, and the draft stays a draft', async (_what, content, paths) => {
    const draft = await create(content);
    expect(draft.status).toBe(201);
    expect(outcome(await issue(draft))).toEqual([400, 'json_schema_violated', paths]);
    const patched = await api('PATCH', `/drafts/${draft.body.id}`, { data: { values: level(5) } });
    expect(patched.status).toBe(200);
    expect((await issue(draft)).body.data['document']).toMatchObject({ credentialSubject: { level: 5 } });
  });

  it('W:2.20 17.7 one that is published here validates, whichever schema the draft has', async () => {
    const other = await publish('other', { fields: [{ kind: 'NUMBER', value: { name: 'given_name' } }] });
    const draft = await create({ vcdm_json_schemas: [`${other}/json-schema`] });
    expect(outcome(await issue(draft))).toMatchObject([400, 'json_schema_violated', [expect.any(String)]]);
    await api('PATCH', `/drafts/${draft.body.id}`, { data: { vcdm_json_schemas: [`${url}/json-schema`] } });
    const issued = await issue(draft);
    expect(issued.body.data['document']).toMatchObject({ credentialSchema: [{ id: `${url}/json-schema` }] });
  });

  it('17.7 that are satisfied are in the document, in their order', async () => {
    const { body } = await issue(await create({ vcdm_json_schemas: [STRICT, SENIOR], values: level(7) }));
    expect(body.data['document']).toMatchObject({ credentialSchema: [{ id: STRICT }, { id: SENIOR }] });
  });

  it('17.7 one that is named twice is in the document once', async () => {
    const { body } = await issue(await create({ vcdm_json_schemas: [SENIOR, STRICT, SENIOR], values: level(7) }));
    const document = body.data['document'] as Members;
    expect(document['credentialSchema']).toEqual([SENIOR, STRICT].map((id) => ({ id, type: 'JsonSchema' })));
  });

  it('17.7 an unknown one is refused when the draft is written or updated, with its path', async () => {
    const refused = [400, 'invalid_request', ['data.vcdm_json_schemas[1]']];
    expect(outcome(await create({ vcdm_json_schemas: [SENIOR, UNKNOWN] }))).toEqual(refused);
    const draft = await create();
    const change = { data: { vcdm_json_schemas: [SENIOR, UNKNOWN] } };
    expect(outcome(await api('PATCH', `/drafts/${draft.body.id}`, change))).toEqual(refused);
    expect((await issue(draft)).status).toBe(200);
  });

  it.each([
    () => `${url}/context`,
    () => url,
    () => url.replace(/1$/, '9999'),
    () => `${url}/json-schema/`,
    () => `${url}/json-schema#a`,
    () => `${SENIOR}#`,
  ])('17.7 an address beside that of a JSON Schema is unknown (%#)', async (address) => {
    const answer = await create({ vcdm_json_schemas: [address()] });
    expect(outcome(answer)).toEqual([400, 'invalid_request', ['data.vcdm_json_schemas[0]']]);
  });
});

describe('17.7 vocabularies', () => {
  it('17.7 an unknown one is refused when the draft is written or updated, with every other fault', async () => {
    const wrong = { ...VALUES, level: { kind: 'STRING', value: 'x' } };
    const answer = await create({ json_ld_vocabs: [`${url}/context`, UNKNOWN], values: wrong });
    expect(answer.status).toBe(400);
    expect(answer.faults).toContain('data.json_ld_vocabs[1]');
    expect(answer.faults.some((fault) => fault.startsWith('data.values.level'))).toBe(true);
    const draft = await create();
    const patched = await api('PATCH', `/drafts/${draft.body.id}`, { data: { json_ld_vocabs: [url] } });
    expect(outcome(patched)).toEqual([400, 'invalid_request', ['data.json_ld_vocabs[0]']]);
  });

  it('17.7 a built-in one is known, and the previous version has none to judge', async () => {
    const context = 'https://www.w3.org/ns/credentials/undefined-terms/v2';
    expect((await issue(await create({ json_ld_vocabs: [context] }))).status).toBe(200);
    expect((await api('POST', '/drafts', { data: { schema: url, values: PLAIN } }, OLD)).status).toBe(201);
  });
});
