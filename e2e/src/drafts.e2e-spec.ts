import { BADGE, createSchemaApi, OLD, PLAIN, VALUES, type SchemaApi } from './schema-api';
import { joinStage, type SharedStage } from './stage';
import { createWalletApi, newTenantKey, ownerQuery, type OwnedWallet } from './wallet-api';

let stage: SharedStage;
let api: SchemaApi;
let foreign: SchemaApi;
let wallet: OwnedWallet;
let url: string;
let published = 0;

beforeAll(async () => {
  stage = await joinStage();
  const { baseUrl, files } = stage.stack;
  api = createSchemaApi(baseUrl, files.secrets.apiKey);
  foreign = createSchemaApi(baseUrl, await newTenantKey(stage, 'foreign'));
  wallet = await createWalletApi(baseUrl, files.secrets.apiKey).newWallet();
  url = await publish();
});
afterAll(() => stage?.stop());

async function publish(schema: object = BADGE): Promise<string> {
  const { body } = await api('POST', '/schemas', { data: { schema } });
  const answer = await api('PATCH', `/schemas/${body.id}/publish`, { slug: `badge-${(published += 1)}` });
  expect(answer.status).toBe(200);
  return String(answer.body.data['meta_schema']);
}
const draft = async (content: object = {}, more = {}) =>
  (await api('POST', '/drafts', { data: { meta_schema: url, values: VALUES, ...content } }, more)).body;
const PLACE = { entity_did: expect.any(String), wallet_did: expect.any(String) };
const code = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

describe('DraftCreate, POST /drafts', () => {
  it('W:1.15 W:2.10 W:2.12 W:2.14 W:2.21 W:2.22 W:4.24 answers meta_schema, json_ld_vocabs, vcdm_json_schemas and values, and no schema', async () => {
    const answer = await api('POST', '/drafts', { data: { meta_schema: url, values: VALUES } });
    expect(answer.status).toBe(201);
    const content = { meta_schema: url, json_ld_vocabs: [], vcdm_json_schemas: [], values: VALUES };
    expect(answer.body.data).toEqual({ ...PLACE, ...content });
  });

  it('W:3.1 is a credential in state draft of the wallet that is named', async () => {
    const body = { data: { meta_schema: url, values: VALUES } };
    const { body: made } = await api('POST', `/drafts?${ownerQuery(wallet)}`, body);
    const listed = await api('GET', `/api/wallet/v1/credential/${made.id}?${ownerQuery(wallet)}`);
    expect(listed.body).toMatchObject({ State: 'draft', CredentialDid: made.id });
    expect(listed.body['Body']).not.toHaveProperty('proof');
  });

  it('W:2.15 W:2.16 W:2.17 W:9.10 takes a temporary schema in schema or in meta_schema; either is required', async () => {
    for (const content of [{ schema: { schema: BADGE } }, { meta_schema: { schema: BADGE } }]) {
      const answer = await api('POST', '/drafts', { data: content });
      expect([answer.status, String(answer.body.data['meta_schema'])]).toEqual([
        201,
        expect.stringContaining('/temporary/'),
      ]);
      expect((await fetch(String(answer.body.data['meta_schema']))).status).toBe(404);
    }
    expect((await api('POST', '/drafts', { data: {} })).faults).toEqual(['data.meta_schema']);
    const both = await api('POST', '/drafts', { data: { schema: { schema: BADGE }, meta_schema: url } });
    expect(both.faults).toEqual(['data.schema']);
  });

  it('checks the kind of values at once', async () => {
    const values = { level: { kind: 'STRING', value: 'x' }, since: { kind: 'DATE', value: '2026-02-30' }, nme: {} };
    const answer = await api('POST', '/drafts', { data: { meta_schema: url, values } });
    expect(answer.faults).toEqual([
      'data.values.nme',
      'data.values.level.kind',
      'data.values.level.value',
      'data.values.since.value',
    ]);
  });
});

describe('17.14 the wallet of a draft', () => {
  it.each(['current', 'previous'])('is in every answer about it, in the %s version', async (version) => {
    const headers = version === 'previous' ? OLD : {};
    const place = { entity_did: wallet.entityDid, wallet_did: wallet.walletDid };
    const content = version === 'previous' ? { schema: url, values: PLAIN } : { meta_schema: url, values: VALUES };
    const made = await api('POST', `/drafts?${ownerQuery(wallet)}`, { data: content }, headers);
    const { id } = made.body;
    const filter = [{ wallet_did: { operator: 'EQUAL', value: wallet.walletDid } }];
    const { items } = await api('POST', '/drafts/search', { filter }, headers);
    const answers = [
      made.body,
      items.find((item) => item.id === id),
      (await api('GET', `/drafts/${id}`, undefined, headers)).body,
      // What an answer says may come back.
      (await api('PATCH', `/drafts/${id}`, { data: made.body.data }, headers)).body,
      (await api('DELETE', `/drafts/${id}`, undefined, headers)).body,
    ];
    for (const answer of answers) expect(answer?.data).toMatchObject(place);
  });

  it('cannot be changed', async () => {
    const { id } = await draft();
    const answer = await api('PATCH', `/drafts/${id}`, { data: { wallet_did: wallet.walletDid, entity_did: null } });
    expect([answer.status, answer.faults]).toEqual([400, ['data.wallet_did', 'data.entity_did']]);
  });
});

describe('17.14 GET /drafts/{id}', () => {
  it('is the draft as the last call answered it, with its etag, in any state', async () => {
    const made = await draft();
    const read = () => api('GET', `/drafts/${made.id}`);
    expect([(await read()).status, (await read()).body]).toEqual([200, made]);
    const { body: changed } = await api('PATCH', `/drafts/${made.id}`, { labels: { tier: 'gold' } });
    expect((await read()).body).toEqual(changed);
    expect((await read()).headers.get('etag')).toBe(`"${changed.etag}"`);
    const { body: abandoned } = await api('DELETE', `/drafts/${made.id}`);
    expect((await read()).body).toEqual(abandoned);
  });

  it('answers in the version that is asked for', async () => {
    const { id } = await draft();
    const { body } = await api('GET', `/drafts/${id}`, undefined, OLD);
    expect(body).toMatchObject({ kind: { version: '0.38.2' }, data: { schema: url, values: PLAIN } });
    expect(body.data).not.toHaveProperty('meta_schema');
  });

  it.each(['unknown', 'foreign'])('is 404 for an %s one', async (whose) => {
    const { id } = await draft();
    const answer = whose === 'foreign' ? await foreign('GET', `/drafts/${id}`) : await api('GET', '/drafts/did:key:zX');
    expect(code(answer)).toEqual([404, 'draft_not_found']);
  });
});

describe('DraftUpdate, PATCH /drafts/{id}', () => {
  it('W:2.11 W:3.2 W:4.25 can be repeated any number of times', async () => {
    const { id } = await draft();
    for (const level of [4, 5, 6]) {
      const { body } = await api('PATCH', `/drafts/${id}`, { data: { values: { level: { value: level } } } });
      expect(body.data['values']).toEqual({ ...VALUES, level: { kind: 'NUMBER', value: level } });
    }
  });

  it.each([{ 'if-match': '"1"' }, {}])(
    'of 8 at once with %j exactly one wins per revision, none is lost',
    async (header) => {
      const { id } = await draft();
      const patch = (level: number) =>
        api(
          'PATCH',
          `/drafts/${id}`,
          { data: { values: { level: { value: level } } } },
          header as Record<string, string>,
        );
      const answers = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(patch));
      const won = answers.filter(({ status }) => status === 200);
      const lost = answers.filter(({ status }) => status !== 200);
      if ('if-match' in header) expect(won).toHaveLength(1);
      for (const answer of lost) expect(answer.status).toBe('if-match' in header ? 412 : 409);
      expect(won.map(({ body }) => body['revision']).sort()).toEqual(won.map((_, index) => index + 2));
      const last = won.find(({ body }) => body['revision'] === won.length + 1);
      const { items } = await api('POST', '/drafts/search', { filter: [{ id: { operator: 'EQUAL', value: id } }] });
      expect(items).toEqual([last?.body]);
    },
  );
});

describe('states', () => {
  const operations: Record<string, (id: string) => Promise<{ status: number; body: { code?: string } }>> = {
    update: (id) => api('PATCH', `/drafts/${id}`, {}),
    issue: (id) => api('POST', `/drafts/${id}/issue`, {}),
    abandon: (id) => api('DELETE', `/drafts/${id}`),
    values: (id) => api('GET', `/credentials/${id}/values`),
  };
  const rows: [string, string, number, string | undefined][] = [
    ['draft', 'update', 200, undefined],
    ['draft', 'issue', 200, undefined],
    ['draft', 'abandon', 200, undefined],
    ['draft', 'values', 404, 'credential_not_found'],
    ['issued', 'update', 409, 'transition_forbidden'],
    ['issued', 'issue', 409, 'transition_forbidden'],
    ['issued', 'abandon', 409, 'transition_forbidden'],
    ['issued', 'values', 200, undefined],
    ['abandoned', 'update', 409, 'transition_forbidden'],
    ['abandoned', 'issue', 409, 'transition_forbidden'],
    ['abandoned', 'abandon', 409, 'transition_forbidden'],
    ['abandoned', 'values', 404, 'credential_not_found'],
  ];
  it.each(rows)('W:3.4 W:3.5 W:3.7 W:3.8 from %s, %s gives %s %s', async (state, operation, status, expected) => {
    const { id } = await draft();
    if (state === 'issued') await operations['issue']?.(id);
    if (state === 'abandoned') await operations['abandon']?.(id);
    const answer = await operations[operation]?.(id);
    expect([answer?.status, answer?.body.code]).toEqual([status, expected]);
  });

  it('W:3.6 what is abandoned shows since when', async () => {
    const { id } = await draft();
    const { body } = await api('DELETE', `/drafts/${id}`);
    expect(body['deleted_at']).toBe(body['modified_at']);
  });

  it('a draft with missing values is not issued: every one of them is named', async () => {
    const { id } = await draft({ values: {} });
    const answer = await api('POST', `/drafts/${id}/issue`, {});
    expect([...code(answer), answer.faults]).toEqual([400, 'draft_incomplete', ['data.values.given_name']]);
  });
});

describe('GetCredentialClaimValues, GET /credentials/{id}/values', () => {
  it('W:2.13 W:4.23 gives back what the draft had, in the same structure', async () => {
    const { id } = await draft();
    await api('POST', `/drafts/${id}/issue`, {});
    expect((await api('GET', `/credentials/${id}/values`)).body.data).toEqual({ values: VALUES });
    expect((await api('GET', `/credentials/${id}/values`, undefined, OLD)).body.data).toEqual({ values: PLAIN });
  });
});

describe('json_ld_vocabs and vcdm_json_schemas', () => {
  it('W:2.18 W:2.20 are in the issued document: contexts after that of the schema, JSON Schemas instead of its own', async () => {
    const other = await publish();
    const schemas = [`${await publish()}/json-schema`, `${other}/json-schema`];
    const { id } = await draft({ json_ld_vocabs: [`${other}/context`], vcdm_json_schemas: schemas });
    const { body } = await api('POST', `/drafts/${id}/issue`, {});
    expect(body.data['document']).toMatchObject({
      '@context': ['https://www.w3.org/ns/credentials/v2', `${url}/context`, `${other}/context`],
      credentialSchema: schemas.map((one) => ({ id: one, type: 'JsonSchema' })),
    });
  });
});

describe('X-Service-OAS-Version', () => {
  it('W:9.3 W:9.4 W:9.7 W:9.9 W:9.11 0.38.2 gives plain values, and schema for meta_schema; what one version writes, the other reads', async () => {
    const made = await api('POST', '/drafts', { data: { schema: url, values: PLAIN } }, OLD);
    expect([made.status, made.body.data]).toEqual([201, { ...PLACE, schema: url, values: PLAIN }]);
    const { items } = await api('POST', '/drafts/search', {
      filter: [{ id: { operator: 'EQUAL', value: made.body.id } }],
    });
    expect(items[0]?.data).toMatchObject({ meta_schema: url, values: VALUES });
    const patched = await api('PATCH', `/drafts/${made.body.id}`, { data: { values: { level: 9 } } }, OLD);
    expect(patched.body.data['values']).toEqual({ ...PLAIN, level: 9 });
  });

  it('17.1 W:9.4 W:9.5 is answered with the version and its deprecation, on every operation', async () => {
    const { id } = await draft();
    const schema = await api('POST', '/schemas', {});
    const calls: [string, string, unknown?][] = [
      ['POST', '/schemas', {}],
      ['PATCH', `/schemas/${schema.body.id}`, { data: { schema: BADGE } }],
      ['PATCH', `/schemas/${schema.body.id}/publish`, { slug: 'old-version' }],
      ['POST', '/schemas/search', {}],
      ['POST', '/published-schemas/search', {}],
      ['POST', '/drafts', { data: { schema: url } }],
      ['PATCH', `/drafts/${id}`, {}],
      ['POST', '/drafts/search', {}],
      ['POST', `/drafts/${id}/issue`, {}],
      ['GET', `/credentials/${id}/values`],
      ['DELETE', `/drafts/${(await draft()).id}`],
    ];
    for (const [method, path, body] of calls) {
      const { status, headers } = await api(method, path, body, OLD);
      expect([path, status < 300, headers.get('x-service-oas-version')]).toEqual([path, true, '0.38.2']);
      expect(headers.get('deprecation')).toMatch(/^@\d+$/);
      // No end is configured here, and none is said.
      expect(headers.get('sunset')).toBeNull();
    }
  });

  it.each(['0.38.0', '0.40', '1', ''])('%s is unknown', async (version) => {
    const answer = await api('POST', '/schemas', {}, { 'x-service-oas-version': version });
    expect(code(answer)).toEqual([400, 'api_version_unknown']);
  });
});

describe('a tenant', () => {
  it('sees no schema, draft or value of another one, and cannot change them', async () => {
    const { id } = await draft();
    const schema = await api('POST', '/schemas', {});
    const calls: [string, string, unknown?][] = [
      ['PATCH', `/schemas/${schema.body.id}`, {}],
      ['PATCH', `/schemas/${schema.body.id}/publish`, { slug: 'stolen' }],
      ['PATCH', `/drafts/${id}`, {}],
      ['POST', `/drafts/${id}/issue`, {}],
      ['DELETE', `/drafts/${id}`],
      ['GET', `/credentials/${id}/values`],
      ['POST', `/drafts?${ownerQuery(wallet)}`, { data: { meta_schema: url } }],
    ];
    for (const [method, path, body] of calls)
      expect([path, (await foreign(method, path, body)).status]).toEqual([path, 404]);
    for (const path of ['/schemas/search', '/published-schemas/search', '/drafts/search']) {
      expect((await foreign('POST', path, {})).items).toEqual([]);
    }
  });

  it('without a known key gets 401', async () => {
    const unknown = createSchemaApi(stage.stack.baseUrl, 'unknown-key');
    for (const path of ['/schemas', '/drafts/search']) {
      expect(code(await unknown('POST', path, {}))).toEqual([401, 'api_key_invalid']);
    }
  });
});
