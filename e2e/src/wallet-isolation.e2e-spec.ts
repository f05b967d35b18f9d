import { BADGE, createSchemaApi, OLD, VALUES, type SchemaApi } from './schema-api';
import { joinStage, type SharedStage } from './stage';
import { createWalletApi, newTenantKey, ownerQuery, runApiKeys, type OwnedWallet, type WalletApi } from './wallet-api';
import { createW3cIssuer } from './w3c-issuer';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}
type Description = { readonly paths: Record<string, Record<string, Operation>> };
interface Called {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  /** The headers that ask for the version of the API that describes it. */
  readonly headers: Record<string, string>;
}
/** The ids of one tenant, by what they name. */
type Ids = OwnedWallet & {
  readonly credentialDid: string;
  readonly presentationDid: string;
  readonly draftId: string;
  /** A credential that began as a draft. */
  readonly issuedId: string;
  readonly schemaId: string;
};

const BASE = '/api/wallet/v1';
const DESCRIPTIONS = [
  { file: 'openapi-wallet-content-0.40.11.json', headers: {}, isDescribed: () => true },
  // The wallet content API v1 is the same in both.
  { file: 'openapi-wallet-content-0.38.2.json', headers: OLD, isDescribed: (path: string) => !path.startsWith(BASE) },
];
let stage: SharedStage;
let api: WalletApi;
let schemaApi: SchemaApi;
let theirs: SchemaApi;
let own: Ids;
let foreign: Ids;
let publishedUrl: string;
let operations: Called[];

async function idsOf(key: string): Promise<Ids> {
  const { baseUrl } = stage.stack;
  const [tenant, schemas] = [createWalletApi(baseUrl, key), createSchemaApi(baseUrl, key)];
  const owner = await tenant.newWallet();
  const credentialDid = await tenant.importCredential(owner, await (await createW3cIssuer()).issue({ name: 'Ada' }));
  const presentationDid = await tenant.newPresentation(owner, credentialDid);
  await tenant.call('POST', `/vp/${presentationDid}/issue`);
  const [published, schema] = [await newSchema(schemas), await newSchema(schemas)];
  const { body } = await schemas('PATCH', `/schemas/${published}/publish`, { slug: 'badge' });
  publishedUrl = String(body.data['meta_schema']);
  const newDraft = async (values: object) => {
    const draft = { data: { meta_schema: publishedUrl, values } };
    return (await schemas('POST', `/drafts?${ownerQuery(owner)}`, draft)).body.id;
  };
  const [draftId, issuedId] = [await newDraft({}), await newDraft(VALUES)];
  const withStatus = { status_purposes: ['revocation'] };
  expect((await schemas('POST', `/drafts/${issuedId}/issue`, withStatus)).status).toBe(200);
  return { ...owner, credentialDid, presentationDid, draftId, issuedId, schemaId: schema };
}

async function newSchema(schemas: SchemaApi): Promise<string> {
  const { status, body } = await schemas('POST', '/schemas', { data: { schema: BADGE } });
  expect(status).toBe(201);
  return body.id;
}

beforeAll(async () => {
  stage = await joinStage();
  const { baseUrl, managementUrl } = stage.stack;
  const [key, foreignKey] = [await newTenantKey(stage, 'one'), await newTenantKey(stage, 'other')];
  api = createWalletApi(baseUrl, key);
  schemaApi = createSchemaApi(baseUrl, key);
  theirs = createSchemaApi(baseUrl, foreignKey);
  [own, foreign] = [await idsOf(key), await idsOf(foreignKey)];
  const described = await Promise.all(
    DESCRIPTIONS.map(async ({ file, headers, isDescribed }) => {
      const { paths } = (await (await fetch(`${managementUrl}/${file}`)).json()) as Description;
      return Object.entries(paths)
        .filter(([path]) => isDescribed(path))
        .flatMap(([path, methods]) =>
          Object.entries(methods).map(([method, operation]) => ({
            method: method.toUpperCase(),
            path,
            operation,
            headers,
          })),
        );
    }),
  );
  operations = described.flat();
});
afterAll(() => stage?.stop());

/** Which id a parameter of an operation takes. */
function slotOf(path: string, name: string): keyof Ids | undefined {
  if (name === 'entityDid' || name === 'walletDid') return name;
  if (name === 'did') return path.includes('/vp') ? 'presentationDid' : 'credentialDid';
  if (path.startsWith('/schemas/{id}') && name === 'id') return 'schemaId';
  if (name === 'id') return path.startsWith('/drafts/') ? 'draftId' : 'issuedId';
  return undefined;
}

/** The slots of an operation: those of its address, and of a body that names credentials. */
function slotsOf({ path, operation }: Called): (keyof Ids)[] {
  const named = (operation.parameters ?? []).flatMap(({ name }) => slotOf(path, name) ?? []);
  return operation.operationId === 'PresentationCreateV1' ? [...named, 'credentialDid'] : named;
}

async function callWith({ method, path, operation, headers }: Called, ids: Ids) {
  const query = new URLSearchParams();
  let address = path;
  for (const { name, in: place } of operation.parameters ?? []) {
    const slot = slotOf(path, name);
    if (slot && place === 'path') address = address.replace(`{${name}}`, ids[slot]);
    if (slot && place === 'query') query.set(name, ids[slot]);
  }
  const bodies: Record<string, object> = {
    PresentationCreateV1: { CredentialDids: [ids.credentialDid] },
    CredentialImportV1: { Body: { '@context': ['https://www.w3.org/ns/credentials/v2'] } },
    PresentationUpdateV1: { MetaData: { Labels: { taken: 'over' } } },
    SchemaUpdate: { labels: { taken: 'over' } },
    SchemaPublish: { slug: 'taken-over' },
    DraftCreate: { data: { [headers === OLD ? 'schema' : 'meta_schema']: publishedUrl } },
    DraftUpdate: { labels: { taken: 'over' } },
    CredentialStatusChange: { status: 'revoked' },
  };
  const body = bodies[operation.operationId];
  const url = `${address}?${query.toString()}`;
  if (path.startsWith(BASE)) return api.call(method, url.slice(BASE.length), body);
  return schemaApi(method, url, body, headers);
}

describe('a tenant', () => {
  it('gets 404 from every operation for every id of another tenant, alone or with others, and sees nothing of it', async () => {
    expect(operations.length).toBeGreaterThanOrEqual(11 + 2 * 11);
    let calls = 0;
    for (const operation of operations) {
      const slots = slotsOf(operation);
      const choices = Array.from({ length: 2 ** slots.length - 1 }, (_, index) => index + 1);
      for (const choice of choices) {
        const foreignSlots = slots.filter((_, bit) => (choice & (1 << bit)) !== 0);
        const ids = { ...own, ...Object.fromEntries(foreignSlots.map((slot) => [slot, foreign[slot]])) };
        const { status, body, items } = await callWith(operation, ids);
        const called = [operation.operation.operationId, ...foreignSlots];
        expect([...called, status, items]).toEqual([...called, 404, []]);
        expect((body as Record<string, unknown>)['code']).toMatch(/_not_found$/);
        calls += 1;
      }
    }
    expect(calls).toBeGreaterThan(60);
  });

  it('gets the same answer for a foreign id as for one that does not exist', async () => {
    for (const operation of operations) {
      for (const slot of slotsOf(operation)) {
        const absent = slot === 'schemaId' ? 'A'.repeat(foreign[slot].length) : 'did:key:zUnknown';
        const answers = [foreign[slot], absent].map((did) => callWith(operation, { ...own, [slot]: did }));
        const [hidden, unknown] = await Promise.all(answers);
        expect(hidden?.body).toEqual({ ...unknown?.body, instance: hidden?.body['instance'] });
      }
    }
  });

  it('finds what is its own with the same calls', async () => {
    const reads = operations.filter(({ method }) => method === 'GET');
    for (const operation of reads) expect((await callWith(operation, own)).status).toBe(200);
    expect((await api.get(`/credentials?${ownerQuery(own)}`)).items.length).toBeGreaterThan(0);
  });

  it('finds its own in every search, and nothing of another tenant', async () => {
    const kinds = { schemas: 'schemaId', drafts: 'draftId', 'published-schemas': undefined } as const;
    for (const [kind, slot] of Object.entries(kinds)) {
      const answers = await Promise.all([schemaApi, theirs].map((call) => call('POST', `/${kind}/search`, {})));
      const [found = [], hidden = []] = answers.map(({ items }) => items.map(({ id }) => id));
      expect([kind, found.length > 0, hidden.length > 0]).toEqual([kind, true, true]);
      if (slot) expect([kind, found.includes(own[slot]), hidden.includes(foreign[slot])]).toEqual([kind, true, true]);
      expect(found.filter((id) => hidden.includes(id))).toEqual([]);
    }
  });

  it('gets only its own with the cursor of another tenant', async () => {
    const { body } = await theirs('POST', '/schemas/search', { limit: 1 });
    const cursor = (body as Record<string, unknown>)['next_cursor'];
    expect(typeof cursor).toBe('string');
    const ids = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);
    const found = ids((await schemaApi('POST', '/schemas/search', {})).items);
    const resumed = await schemaApi('POST', '/schemas/search', { cursor });
    expect(resumed.status).toBe(200);
    for (const id of ids(resumed.items)) expect(found).toContain(id);
  });

  it('shares no Idempotency-Key with another tenant', async () => {
    const key = { 'idempotency-key': 'isolation'.padEnd(32, 'x') };
    const [mine, hers] = [await schemaApi('POST', '/schemas', {}, key), await theirs('POST', '/schemas', {}, key)];
    expect([mine.status, hers.status]).toEqual([201, 201]);
    expect(hers.body.id).not.toBe(mine.body.id);
    expect((await theirs('POST', '/schemas', {}, key)).body.id).toBe(hers.body.id);
  });
});

describe('the X-API-KEY header', () => {
  // Each run of the command is a process of its own.
  const PROCESSES_MILLISECONDS = 60_000;

  it(
    'belongs to a tenant: keys are made, listed and revoked by an operator command',
    async () => {
      const key = await newTenantKey(stage, 'second');
      const theirs = createWalletApi(stage.stack.baseUrl, key);
      expect(await theirs.newWallet()).toMatchObject({ walletDid: expect.stringMatching(/^did:key:/) });
      const [listed = ''] = await runApiKeys(stage, 'list', '--tenant', 'second');
      const [id = ''] = listed.split('\t');
      await runApiKeys(stage, 'revoke', '--id', id);
      expect((await theirs.call('POST', '/entity')).status).toBe(401);
      expect(stage.readLog().join('')).not.toContain(key);
    },
    PROCESSES_MILLISECONDS,
  );
});
