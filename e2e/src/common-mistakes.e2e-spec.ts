import { sampleVct } from '@vestibule/dev-stack';
import { BADGE, createSchemaApi } from './schema-api';
import { joinStage, type SharedStage } from './stage';
import { createWalletApi, newTenantKey, ownerQuery } from './wallet-api';

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  readonly allow: string | null;
}

let stage: SharedStage;
let key: string;
/** What the addresses below name, by the words in braces. */
let named: Readonly<Record<string, string>>;

beforeAll(async () => {
  stage = await joinStage();
  key = await newTenantKey(stage, 'mistaken');
  const { baseUrl } = stage.stack;
  const owner = await createWalletApi(baseUrl, key).newWallet();
  const api = createSchemaApi(baseUrl, key);
  for (let made = 0; made < 2; made += 1) await api('POST', '/schemas', { data: { schema: BADGE } });
  const { body } = await api('POST', '/schemas/search', { limit: 1 });
  named = { owner: ownerQuery(owner), entity: owner.entityDid, cursor: String(body['next_cursor']) };
});
afterAll(() => stage?.stop());

const filled = (text: string) => text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => named[name] ?? whole);

async function call(method: string, path: string, body?: unknown): Promise<Refusal> {
  const response = await fetch(`${stage.stack.managementUrl}${filled(path)}`, {
    method,
    headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: filled(JSON.stringify(body)) }),
  });
  const { code = '', detail = '', errors = [] } = (await response.json()) as Partial<Refusal>;
  return { status: response.status, code, detail, errors, allow: response.headers.get('allow') };
}

const CREDENTIAL = { id: 'card', format: 'dc+sd-jwt', meta: { vct_values: ['urn:example:card'] } };
const dcql_query = { credentials: [CREDENTIAL] };
const OFFER = { credential_configuration_id: 'identity-card', claims: { given_name: 'A', family_name: 'B' } };
const CONDITION = '"operator": "EQUAL"';

describe('17.13 a mistake in a body is told its remedy', () => {
  it.each<[string, string, unknown, string, string]>([
    ['POST', '/oidc4vp', {}, 'dcql_query', 'is required'],
    ['POST', '/oidc4vp', { dcqlQuery: dcql_query }, 'dcqlQuery', 'did you mean dcql_query?'],
    ['POST', '/oidc4vp', dcql_query, 'credentials', 'its place is dcql_query.credentials'],
    ['POST', '/oidc4vp', { dcql_query, claims: [] }, 'claims', 'dcql_query.credentials[].claims'],
    ['POST', '/oidc4vp', { dcql_query, nonce: 'abc' }, 'nonce', 'leave it out'],
    ['POST', '/oidc4vp', { dcql_query, presentation_definition: {} }, 'presentation_definition', 'dcql_query'],
    ['POST', '/oidc4vp', { dcql_query, expiresIn: 60 }, 'expiresIn', 'did you mean expires_in?'],
    ['POST', '/oidc4vp', { dcql_query, expires_in: '60' }, 'expires_in', 'must be a number'],
    ['POST', '/offers', { credentialConfigurationId: 'x' }, 'credential_configuration_id', 'is required'],
    ['POST', '/offers', { ...OFFER, given_name: 'A' }, 'given_name', 'its place is claims.given_name'],
    ['POST', '/offers', { ...OFFER, tx_code_value: '1234' }, 'tx_code_value', 'leave it out'],
    ['POST', '/offers', { ...OFFER, length: 6 }, 'length', 'its place is tx_code.length'],
    ['POST', '/offers', { ...OFFER, claims: { ...OFFER.claims, givenName: 'A' } }, 'claims.givenName', 'given_name'],
    ['POST', '/callbacks/issuer/retry', { ids: ['x'] }, 'ids', 'is not a known member'],
    ['POST', '/api/wallet/v1/entity', { MetaData: {} }, 'MetaData', 'is not a known member'],
    ['POST', '/api/wallet/v1/wallet?entityDid={entity}', { entityDid: '{entity}' }, 'entityDid', 'the query string'],
    ['POST', '/api/wallet/v1/credentials?{owner}', { body: {} }, 'Body', 'is required'],
    ['POST', '/api/wallet/v1/vp?{owner}', { credential_dids: ['did:x:y'] }, 'credential_dids', 'mean CredentialDids?'],
    [
      'POST',
      '/schemas',
      { data: { schema: { fields: [{ kind: 'STRING', name: 'a' }] } } },
      'data.schema.fields[0].name',
      'its place is data.schema.fields[0].value.name',
    ],
    ['POST', '/schemas', { type: 'object', properties: {} }, 'properties', 'listed in data.schema.fields'],
    ['POST', '/drafts', { data: { schema: { schema: BADGE }, claims: {} } }, 'data.claims', 'its place is data.values'],
    ['POST', '/schemas/search', { sort: 'created_at' }, 'sort', 'must be an array'],
    ['POST', '/schemas/search', { filter: [{ id: 'x' }] }, 'filter[0].id', CONDITION],
    ['POST', '/drafts/search', { filter: [{ labels: { a: 'b' } }] }, 'filter[0].labels.a', CONDITION],
    ['POST', '/drafts/search', { cursor: '{cursor}' }, 'cursor', 'the same list'],
    ['POST', '/published-schemas/search', { cursor: '{cursor}' }, 'cursor', 'the same list'],
    ['POST', '/drafts', { data: { meta_schema: BADGE } }, 'data.meta_schema.fields', 'data.meta_schema.schema.fields'],
    ['POST', '/drafts', { data: { schema: BADGE } }, 'data.schema.fields', 'its place is data.schema.schema.fields'],
  ])('%s %s %j', async (method, path, body, ...[at, remedy]) => {
    const { status, code, errors } = await call(method, path, body);
    expect([status, code]).toEqual([400, 'invalid_request']);
    const told = errors.filter((one) => one.path === at).map(({ message }) => message);
    expect(told).toEqual([expect.stringContaining(remedy)]);
  });
});

describe('17.13 a mistake in an address is told its remedy', () => {
  it.each([
    ['/oidc4vp/x?wait=1&wait=2', 'wait', 'must be sent once'],
    ['/oidc4vp/x?Wait=3', 'Wait', 'did you mean wait?'],
    ['/oidc4vp?state=PENDING', 'state', 'did you mean status?'],
    ['/offers?cursor=requests.abc', 'cursor', 'this list'],
    ['/api/wallet/v1/wallets?cursor=entities.abc', 'cursor', 'this list'],
    ['/api/wallet/v1/vp?{owner}&cursor=credentials.abc', 'cursor', 'this list'],
    ['/api/wallet/v1/credentials?{owner}&get_bodies=true', 'get_bodies', 'did you mean getBodies?'],
  ])('GET %s', async (path, at, remedy) => {
    const { status, errors } = await call('GET', path);
    expect(status).toBe(400);
    expect(errors).toEqual([{ path: at, message: expect.stringContaining(remedy) as string }]);
  });

  it.each([
    ['PUT', '/oidc4vp', 'POST, GET, HEAD'],
    ['GET', '/drafts', 'POST'],
    ['POST', '/schemas/an-id/publish', 'PATCH'],
    ['GET', '/api/wallet/v1/entity', 'POST'],
  ])('%s %s', async (method, path, allow) => {
    expect(await call(method, path)).toMatchObject({ status: 405, code: 'method_not_allowed', allow });
  });
});

describe('17.13 a call in the wrong state is told what is allowed', () => {
  it('for an offer with all of its claims', async () => {
    const made = await fetch(`${stage.stack.managementUrl}/offers`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(OFFER),
    });
    const { offer_id: id } = (await made.json()) as { offer_id: string };
    const change = await call('PATCH', `/offers/${id}`, { status: 'revoked' });
    expect(change).toMatchObject({ status: 409, code: 'credential_offer_not_deferred' });
    expect(change.detail).toContain('PATCH /offers/{offer_id}/status');
    await fetch(`${stage.stack.managementUrl}/offers/${id}`, { method: 'DELETE' });
  });

  it('for a document of VCDM 1.1', async () => {
    const Body = { '@context': ['https://www.w3.org/2018/credentials/v1'], type: ['VerifiableCredential'] };
    const refused = await call('POST', '/api/wallet/v1/credentials?{owner}', { Body });
    expect([refused.code, refused.detail]).toEqual(['vc_version_unsupported', expect.stringContaining('2.0')]);
  });

  it('for a type that is asked for by its address', async () => {
    const vct = sampleVct(stage.stack.issuerUrl);
    const refused = await call('POST', '/offers', { ...OFFER, credential_configuration_id: vct });
    expect(refused.code).toBe('unknown_credential_configuration');
    expect(refused.detail).toContain('identity-card');
  });
});
