import { BADGE, createSchemaApi, VALUES, type SchemaApi } from './schema-api';
import { joinStage, type SharedStage } from './stage';
import { strangerAccepts } from './w3c-issuer';
import { createWalletApi, ownerQuery, type OwnedWallet, type WalletApi } from './wallet-api';

type Members = Record<string, unknown>;
const STATES = ['draft', 'issued', 'abandoned'] as const;
type State = (typeof STATES)[number];

let stage: SharedStage;
let api: SchemaApi;
let content: WalletApi;
let wallet: OwnedWallet;
let url: string;
/** One credential and one presentation in each state. */
const credentials: Partial<Record<State, string>> = {};
const presentations: Partial<Record<State, string>> = {};

async function publish(slug: string): Promise<string> {
  const { body } = await api('POST', '/schemas', { data: { schema: BADGE } });
  const answer = await api('PATCH', `/schemas/${body.id}/publish`, { slug });
  expect(answer.status).toBe(200);
  return String(answer.body.data['meta_schema']);
}

const draft = async (more: Members = {}) => {
  const body = { data: { meta_schema: url, values: VALUES, ...more } };
  return api('POST', `/drafts?${ownerQuery(wallet)}`, body);
};

beforeAll(async () => {
  stage = await joinStage();
  const { baseUrl, files } = stage.stack;
  api = createSchemaApi(baseUrl, files.secrets.apiKey);
  content = createWalletApi(baseUrl, files.secrets.apiKey);
  wallet = await content.newWallet();
  url = await publish('contract');
  for (const state of STATES) credentials[state] = (await draft()).body.id;
  await api('POST', `/drafts/${String(credentials.issued)}/issue`, {});
  await api('DELETE', `/drafts/${String(credentials.abandoned)}`);
  for (const state of STATES) presentations[state] = await content.newPresentation(wallet, String(credentials.issued));
  await content.call('POST', `/vp/${String(presentations.issued)}/issue`);
  await content.call('DELETE', `/vp/${String(presentations.abandoned)}`);
});
afterAll(() => stage?.stop());

describe.each([
  ['credentials', 'credential', 'CredentialDid', credentials],
  ['vp', 'vp', 'PresentationDid', presentations],
] as const)('GET /%s', (list, one, did, known) => {
  const listed = async (query = '') => (await content.get(`/${list}?${ownerQuery(wallet)}${query}`)).items;

  it('W:1.10 W:2.3 W:2.4 W:4.6 W:4.13 W:4.16 lists what the wallet has, in every state', async () => {
    const items = await listed();
    expect(items.map((item) => [item[did], item['State']])).toEqual(STATES.map((state) => [known[state], state]));
    expect(await listed('&queryMode=All')).toEqual(items);
  });

  it.each(STATES)('W:1.11 W:4.7 W:4.14 W:4.15 filters by state=%s', async (state) => {
    expect((await listed(`&state=${state}`)).map((item) => item[did])).toEqual([known[state]]);
  });

  it('W:1.8 W:1.9 W:3.1 W:3.3 W:3.9 W:3.10 gives each by its DID, with a proof once it is issued', async () => {
    for (const state of STATES) {
      const { status, body } = await content.get(`/${one}/${String(known[state])}?${ownerQuery(wallet)}`);
      expect([status, body[did], body['State']]).toEqual([200, known[state], state]);
      expect('proof' in (body['Body'] as object)).toBe(state === 'issued');
    }
  });
});

describe('the latest version', () => {
  it('W:4.5 W:4.6 W:4.25 of a credential is read and listed after each update', async () => {
    const { body } = await draft();
    await api('PATCH', `/drafts/${body.id}`, { data: { values: { level: { value: 8 } } } });
    const read = await content.get(`/credential/${body.id}?${ownerQuery(wallet)}`);
    expect(read.body).toMatchObject({ Revision: 2, Body: { credentialSubject: { level: 8 } } });
    const { items } = await content.get(`/credentials?${ownerQuery(wallet)}&state=draft&getBodies=true`);
    expect(items.find((item) => item['CredentialDid'] === body.id)).toEqual(read.body);
    await api('DELETE', `/drafts/${body.id}`);
  });

  it('W:4.11 W:4.13 of a presentation likewise', async () => {
    const did = await content.newPresentation(wallet, String(credentials.issued));
    await content.call('PATCH', `/vp/${did}`, { MetaData: { Labels: { tier: 'gold' } } });
    const read = await content.get(`/vp/${did}?${ownerQuery(wallet)}`);
    expect(read.body).toMatchObject({ Revision: 2, MetaData: { Labels: { tier: 'gold' } } });
    const { items } = await content.get(`/vp?${ownerQuery(wallet)}&state=draft`);
    expect(items.find((item) => item['PresentationDid'] === did)).toMatchObject({ Revision: 2 });
    await content.call('DELETE', `/vp/${did}`);
  });
});

describe('values', () => {
  const typed = (kind: string, value: unknown) => ({
    ...VALUES,
    [kind === 'STRING' ? 'given_name' : 'level']: { kind, value },
  });

  it.each([
    ['STRING', 'Ada', 7],
    ['NUMBER', 7.5, 'seven'],
  ])('W:2.7 W:2.8 W:2.9 W:2.10 W:2.11 W:2.12 of kind %s hold %j, and not %j', async (kind, right, wrong) => {
    const made = await draft({ values: typed(kind, right) });
    expect([made.status, made.body.data['values']]).toEqual([201, typed(kind, right)]);
    const path = `data.values.${kind === 'STRING' ? 'given_name' : 'level'}.value`;
    const refused = await draft({ values: typed(kind, wrong) });
    expect([refused.status, refused.faults]).toEqual([400, [path]]);
    const patched = await api('PATCH', `/drafts/${made.body.id}`, { data: { values: typed(kind, wrong) } });
    expect([patched.status, patched.faults]).toEqual([400, [path]]);
    await api('DELETE', `/drafts/${made.body.id}`);
  });

  it.each([[{ given_name: 'Ada' }], [{ given_name: { value: 'Ada' } }], [[]]])(
    'W:2.7 W:9.7 are no %j',
    async (values) => {
      expect((await draft({ values })).status).toBe(400);
    },
  );
});

describe('a draft', () => {
  it('W:2.18 W:2.19 mixes vocabularies of the platform and external ones, after that of its schema', async () => {
    const other = `${await publish('contract-vocabulary')}/context`;
    const external = 'https://www.w3.org/ns/credentials/undefined-terms/v2';
    const { body } = await draft({ json_ld_vocabs: [other, external] });
    const issued = await api('POST', `/drafts/${body.id}/issue`, {});
    expect((issued.body.data['document'] as Members)['@context']).toEqual([
      'https://www.w3.org/ns/credentials/v2',
      `${url}/context`,
      other,
      external,
    ]);
  });

  it('W:2.12 W:2.21 W:2.22 W:4.26 is found by DraftSearch as a draft resource', async () => {
    const id = String(credentials.draft);
    const owner = { entity_did: wallet.entityDid, wallet_did: wallet.walletDid };
    const { status, items } = await api('POST', '/drafts/search', {
      filter: [{ id: { operator: 'EQUAL', value: id } }],
    });
    expect([status, items.map((item) => [item.id, item.data])]).toEqual([
      200,
      [[id, { ...owner, meta_schema: url, json_ld_vocabs: [], vcdm_json_schemas: [], values: VALUES }]],
    ]);
  });
});

describe('a published schema', () => {
  it('W:1.17 W:1.18 W:3.13 is there for everybody, with a proof that a stranger can verify', async () => {
    const document = (await (await fetch(url)).json()) as Members;
    expect(document['credentialSubject']).toMatchObject({ metaSchema: { schema: BADGE } });
    expect(await strangerAccepts(document)).toBe(true);
    expect(await strangerAccepts({ ...document, validFrom: '2000-01-01T00:00:00Z' })).toBe(false);
  });
});

describe('the API description', () => {
  type Description = { readonly paths: Members; readonly components: { readonly schemas: Members } };
  const descriptions = async () =>
    Promise.all(
      ['/openapi.json', '/openapi-public.json', '/openapi-wallet-content-0.40.11.json'].map(
        async (name) => (await stage.management('GET', name)).body as unknown as Description,
      ),
    );

  it('W:2.23 W:9.8 has ClaimsSchema, and no DraftSchema any more', async () => {
    const names = (await descriptions()).map(({ components }) => Object.keys(components.schemas));
    expect(names[2]).toContain('ClaimsSchema');
    expect(names.flat()).not.toContain('DraftSchema');
  });

  it('W:1.19 has no operation for DIDComm messages', async () => {
    const paths = (await descriptions()).flatMap((description) => Object.keys(description.paths));
    expect(paths).toContain('/api/wallet/v1/credentials');
    expect(paths.filter((path) => /didcomm|message/i.test(path))).toEqual([]);
  });
});
