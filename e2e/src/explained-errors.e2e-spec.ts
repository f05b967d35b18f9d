import { API_VERSIONS } from '@vestibule/contracts';
import { BADGE, createSchemaApi, OLD, PLAIN, VALUES, type SchemaApi } from './schema-api';
import { joinStage, type SharedStage } from './stage';
import { createWalletApi, newTenantKey } from './wallet-api';

interface Parameter {
  readonly name: string;
  readonly in: string;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { example?: unknown }>> };
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
type Body = Readonly<Record<string, unknown>>;
interface Fault {
  readonly path: string;
  readonly message: string;
}
interface Answer {
  readonly status: number;
  readonly text: string;
  readonly faults: readonly Fault[];
}

/** What the sentences of libraries that validate have in them (zod, ajv, class-validator). */
const RAW =
  /Invalid (?:input|option|string|key|union|element|ISO)|Too (?:small|big):|expected .+, received|Unrecognized key|must NOT have|must be equal to one of the allowed|should not|property .+ should|discriminator|\bNaN\b|\bundefined\b|Zod/;
const DOCUMENTS = ['openapi.json', ...API_VERSIONS.map((version) => `openapi-wallet-content-${version}.json`)];

let stage: SharedStage;
let key: string;
let api: SchemaApi;
let ids: Readonly<Record<string, string>>;
let url: string;

async function idsOf(): Promise<Readonly<Record<string, string>>> {
  const wallets = createWalletApi(stage.stack.baseUrl, key);
  const owner = await wallets.newWallet();
  const schema = (await api('POST', '/schemas', { data: { schema: BADGE } })).body.id;
  const published = (await api('POST', '/schemas', { data: { schema: BADGE } })).body.id;
  const { body } = await api('PATCH', `/schemas/${published}/publish`, { slug: 'explained-badge' });
  url = String(body.data['meta_schema']);
  const query = new URLSearchParams({ ...owner });
  const draft = (await api('POST', `/drafts?${query.toString()}`, { data: { meta_schema: url, values: VALUES } })).body
    .id;
  return { ...owner, schema, draft };
}

beforeAll(async () => {
  stage = await joinStage();
  key = await newTenantKey(stage, 'explained');
  api = createSchemaApi(stage.stack.baseUrl, key);
  ids = await idsOf();
});
afterAll(() => stage?.stop());

async function call(method: string, path: string, body: unknown, more: Readonly<Record<string, string>> = {}) {
  const { managementUrl } = stage.stack;
  const response = await fetch(`${managementUrl}${path}`, {
    method,
    headers: {
      'x-api-key': key,
      ...REQUEST_ID,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...more,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') ?? false;
  const faults = isProblem ? ((JSON.parse(text) as { errors?: Fault[] }).errors ?? []) : [];
  return { status: response.status, text, faults } satisfies Answer;
}

/** Not random, since it is a part of every refusal, and chance may spell anything. */
const REQUEST_ID = { 'x-request-id': 'explained-errors' };

/** What a refusal has of a library. Other answers are not read: there are random signatures and keys in them. */
const rawIn = ({ status, text }: Answer) => (status < 400 ? null : RAW.exec(text));

/** The operations of a document; those that are the same in both versions are in that of the current one alone. */
async function pathsIn(file: string): Promise<Paths> {
  const { paths } = (await (await fetch(`${stage.stack.managementUrl}/${file}`)).json()) as { paths: Paths };
  const isOther = (path: string) => file.includes('0.40.11') || !path.startsWith('/api/wallet/');
  return Object.fromEntries(Object.entries(paths).filter(([path]) => isOther(path)));
}

const WRONG: readonly unknown[] = [1.5, '', 'x', true, [], [null], { x: 1 }, 1e9];

/** A body with something wrong in each of its places, one after the other. */
function mistaken(value: unknown, depth = 0): unknown[] {
  if (depth > 5 || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    return value.slice(0, 1).flatMap((part) => [...WRONG, ...mistaken(part, depth + 1)].map((wrong) => [wrong]));
  }
  const own = value as Body;
  const inMembers = Object.keys(own).flatMap((name) =>
    [...WRONG, ...mistaken(own[name], depth + 1)].map((wrong) => ({ ...own, [name]: wrong })),
  );
  return [...inMembers, { ...own, zebra: 1 }];
}

function addressOf(path: string, { parameters = [] }: Operation): string {
  const address = path
    .replace('/schemas/{id}', `/schemas/${ids['schema']}`)
    .replace('/drafts/{id}', `/drafts/${ids['draft']}`)
    .replace(/\{\w+\}/g, 'unknown');
  const owner = parameters.filter(({ in: place, name }) => place === 'query' && name in ids);
  const query = new URLSearchParams(owner.map(({ name }): [string, string] => [name, ids[name] ?? '']));
  return owner.length === 0 ? address : `${address}?${query.toString()}`;
}

describe('17.13 errors of every operation', () => {
  it.each(DOCUMENTS)(
    'of %s have no sentence of a library, whatever is wrong in a body',
    async (file) => {
      const paths = await pathsIn(file);
      const more = file.includes('0.38.2') ? OLD : {};
      let refused = 0;
      for (const [path, methods] of Object.entries(paths)) {
        for (const [method, operation] of Object.entries(methods)) {
          const media = operation.requestBody?.content['application/json'];
          if (!media || operation.operationId === 'testCallbacks') continue;
          const bodies = [...WRONG, ...mistaken(media.example ?? {})];
          for (const body of bodies) {
            const answer = await call(method.toUpperCase(), addressOf(path, operation), body, more);
            const { status, faults } = answer;
            expect([operation.operationId, body, status < 500, rawIn(answer)]).toEqual([
              operation.operationId,
              body,
              true,
              null,
            ]);
            for (const { message } of faults) expect(message).toMatch(/^\S/);
            if (faults.length > 0) refused += 1;
          }
        }
      }
      expect(refused).toBeGreaterThan(30);
    },
    240_000,
  );

  it.each(DOCUMENTS)(
    'of %s have none for a query either',
    async (file) => {
      const paths = await pathsIn(file);
      for (const [path, methods] of Object.entries(paths)) {
        for (const [method, operation] of Object.entries(methods)) {
          const parameters = (operation.parameters ?? []).filter((one) => one.in === 'query');
          for (const name of [...parameters.map((one) => one.name), 'zebra']) {
            for (const value of ['', 'x', '-1', '1.5', '99999999999', '%00']) {
              const address = addressOf(path, { operationId: '' });
              const body = method === 'get' || method === 'delete' ? undefined : {};
              const answer = await call(method.toUpperCase(), `${address}?${name}=${value}`, body);
              expect([operation.operationId, name, value, answer.status < 500, rawIn(answer)]).toEqual([
                operation.operationId,
                name,
                value,
                true,
                null,
              ]);
            }
          }
        }
      }
    },
    240_000,
  );
});

describe('17.13 an error leads on', () => {
  const messageAt = async (path: string, body: unknown, at: string, more = {}) =>
    (await call('POST', path, body, more)).faults.find((one) => one.path === at)?.message ?? 'no fault';

  it('says where a known member belongs', async () => {
    expect(await messageAt('/schemas', { schema: BADGE }, 'schema')).toContain('its place is data.schema');
    expect(await messageAt('/schemas', { fields: [] }, 'fields')).toContain('its place is data.schema.fields');
    expect(await messageAt('/drafts', { meta_schema: url, data: {} }, 'meta_schema')).toContain('data.meta_schema');
    const elsewhere = { data: { meta_schema: url, wallet_did: 'did:x:y', holder_did: 'did:x:y' } };
    expect(await messageAt('/drafts', elsewhere, 'data.wallet_did')).toContain('the query string, as walletDid');
    expect(await messageAt('/drafts', elsewhere, 'data.holder_did')).toContain('POST /drafts/{id}/issue');
  });

  it('names meta_schema, {kind, value} and the header where a body has the form of the other version', async () => {
    const current = { data: { schema: url, values: PLAIN } };
    expect(await messageAt('/drafts', current, 'data.schema')).toContain('data.meta_schema');
    const untyped = { data: { meta_schema: url, values: PLAIN } };
    expect(await messageAt('/drafts', untyped, 'data.values.given_name')).toMatch(/"kind".*X-Service-OAS-Version/);
    const previous = { data: { meta_schema: url, json_ld_vocabs: [] } };
    expect(await messageAt('/drafts', previous, 'data.meta_schema', OLD)).toMatch(/schema.*X-Service-OAS-Version/);
    expect(await messageAt('/drafts', previous, 'data.json_ld_vocabs', OLD)).toContain('X-Service-OAS-Version');
    const typed = { data: { schema: url, values: VALUES } };
    expect(await messageAt('/drafts', typed, 'data.values.given_name', OLD)).toContain('{kind, value}');
  });

  it('says which states and kinds of values a filter can have', async () => {
    const filter = [{ state: { operator: 'EQUAL', value: 'signed' } }];
    expect(await messageAt('/drafts/search', { filter }, 'filter[0].state.value')).toContain(
      'draft, issued, abandoned',
    );
    expect(await messageAt('/drafts/search', { filter: [] }, 'filter')).toContain('at least one entry');
    expect(await messageAt('/drafts/search', { filter: [{}] }, 'filter[0]')).toContain('at least one condition');
    const version = [{ version: { operator: 'EQUAL', value: 'x' } }];
    expect(await messageAt('/schemas/search', { filter: version }, 'filter[0].version.value')).toContain(
      'whole number',
    );
  });

  it('counts null of an optional member as absent', async () => {
    const made = await api('POST', '/schemas', { labels: null, annotations: null, data: { schema: null, slug: null } });
    expect(made.status).toBe(201);
    const body = { data: { meta_schema: url, schema: null, json_ld_vocabs: null, values: null }, labels: null };
    expect((await api('POST', '/drafts', body)).status).toBe(201);
    expect((await api('POST', '/drafts/search', { filter: null, sort: null, limit: null, cursor: null })).status).toBe(
      200,
    );
  });
});

describe('17.13 states', () => {
  beforeAll(async () => {
    // The draft of before has gone through every operation.
    ids = await idsOf();
  });

  it.each(['draft', 'DRAFT', 'Draft'])('are read as %s in a search and in a list', async (state) => {
    const filter = [{ state: { operator: 'EQUAL', value: state }, id: { operator: 'EQUAL', value: ids['draft'] } }];
    expect((await api('POST', '/drafts/search', { filter })).items.map(({ id }) => id)).toEqual([ids['draft']]);
    const query = new URLSearchParams({ entityDid: ids['entityDid'] ?? '', walletDid: ids['walletDid'] ?? '', state });
    const listed = await call('GET', `/api/wallet/v1/credentials?${query.toString()}`, undefined);
    expect([listed.status, listed.text.includes(ids['draft'] ?? '-')]).toEqual([200, true]);
  });

  it.each(['Held', 'held', 'ALL'])('are read as %s of queryMode', async (queryMode) => {
    const query = { entityDid: ids['entityDid'] ?? '', walletDid: ids['walletDid'] ?? '', queryMode };
    const path = `/api/wallet/v1/credentials?${new URLSearchParams(query).toString()}`;
    expect((await call('GET', path, undefined)).status).toBe(200);
  });

  it.each(['dead', 'DEAD', 'Waiting'])('are read as %s in lists of callbacks', async (state) => {
    expect((await call('GET', `/callbacks/issuer?state=${state}`, undefined)).status).toBe(200);
  });

  it.each(['revoked', 'REVOKED', 'Suspended'])('are read as %s for credentials', async (status) => {
    const answer = await call('PATCH', '/offers/unknown/status', { status });
    expect([answer.status, answer.text]).toEqual([404, expect.stringContaining('credential_offer_not_found')]);
    const unknown = await call('PATCH', '/offers/unknown/status', { status: 'void' });
    expect(unknown.faults).toEqual([{ path: 'status', message: 'must be one of valid, suspended, revoked' }]);
  });

  it.each(['pending', 'Fulfilled', 'EXPIRED'])('are read as %s in lists of requests', async (status) => {
    expect((await call('GET', `/oidc4vp?status=${status}`, undefined)).status).toBe(200);
  });
});
