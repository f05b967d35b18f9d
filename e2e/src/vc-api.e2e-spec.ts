import { createHash } from 'node:crypto';
import { CONTENT, startStage, type Stage } from './stage';
import { createWalletApi, newTenantKey, type OwnedWallet, type WalletApi } from './wallet-api';
import { createW3cIssuer, strangerVerifies } from './w3c-issuer';

const KEY = 'the-key-of-the-tenant-that-suites-judge';
let stage: Stage;
let api: WalletApi;
let owner: OwnedWallet;

beforeAll(async () => {
  const digest = createHash('sha256').update(KEY).digest('base64url');
  stage = await startStage({
    apps: CONTENT,
    environment: { gateway: { VC_API_KEY_DIGEST: digest }, 'wallet-store': { FIRST_API_KEY: KEY } },
  });
  api = createWalletApi(stage.stack.baseUrl, KEY);
  owner = await api.newWallet();
});
afterAll(() => stage?.stop());

const credentialOf = (issuer: unknown, change: object = {}) => ({
  '@context': ['https://www.w3.org/ns/credentials/v2', 'https://www.w3.org/ns/credentials/undefined-terms/v2'],
  type: ['VerifiableCredential', 'CityCard'],
  issuer,
  credentialSubject: { given_name: 'Ada' },
  ...change,
});
async function issue(credential: object) {
  const { status, body } = await stage.management('POST', '/credentials/issue', { credential });
  return { status, code: body['code'], document: body['verifiableCredential'] as Record<string, unknown> };
}
async function verify(verifiableCredential: object) {
  const { status, body } = await stage.management('POST', '/credentials/verify', { verifiableCredential });
  return [status, body['code'] ?? body['verified']];
}

describe('POST /credentials/issue', () => {
  it('signs what is given with the key of the entity that it names; libraries of others accept it', async () => {
    for (const issuer of [owner.entityDid, { id: owner.entityDid, name: 'City' }]) {
      const { status, document } = await issue(credentialOf(issuer));
      expect([status, document['issuer']]).toEqual([201, issuer]);
      expect(await verify(document)).toEqual([200, true]);
      const did = await api.newPresentation(owner, await api.importCredential(owner, document));
      const presented = await api.call('POST', `/vp/${did}/issue`, { Challenge: 'from-a-stranger' });
      expect(await strangerVerifies(presented.body['Body'] as object, { challenge: 'from-a-stranger' })).toBe(true);
    }
  });

  it('signs for no entity of another tenant', async () => {
    const theirs = createWalletApi(stage.stack.baseUrl, await newTenantKey(stage, 'other'));
    const { entityDid } = await theirs.newWallet();
    expect(await issue(credentialOf(entityDid))).toMatchObject({ status: 404, code: 'entity_not_found' });
  });

  it.each([
    ['vc_malformed', { issuer: undefined }],
    ['vc_malformed', { issuer: 'did:x:\u0000' }],
    ['vc_malformed', { proof: {} }],
    ['vc_malformed', { type: ['CityCard'] }],
    ['vc_context_unknown', { '@context': ['https://www.w3.org/ns/credentials/v2', 'https://unknown.example/v1'] }],
    ['vc_term_undefined', { '@context': ['https://www.w3.org/ns/credentials/v2'], type: ['VerifiableCredential'] }],
    ['vc_status_unsupported', { credentialStatus: { type: 'BitstringStatusListEntry' } }],
  ])('refuses with %s what would not verify: %j', async (code, change) => {
    expect(await issue(credentialOf(owner.entityDid, change))).toMatchObject({ status: 400, code });
  });
});

describe('POST /credentials/verify', () => {
  it('accepts the credential of a stranger, and not a changed or expired one', async () => {
    const issuer = await createW3cIssuer();
    const credential = await issuer.issue({ name: 'Ada' });
    expect(await verify(credential)).toEqual([200, true]);
    expect(await verify({ ...credential, credentialSubject: { name: 'Eve' } })).toEqual([400, 'vc_proof_invalid']);
    const ended = await issuer.issue({ name: 'Ada' }, { validUntil: '2020-01-01T00:00:00Z' });
    expect(await verify(ended)).toEqual([400, 'vc_expired']);
  });
});

describe('POST /presentations/verify', () => {
  it('accepts a presentation for its challenge and domain only', async () => {
    const credentialDid = await api.importCredential(owner, await (await createW3cIssuer()).issue({ name: 'Ada' }));
    const did = await api.newPresentation(owner, credentialDid);
    const bound = { Challenge: 'challenge', Domain: 'https://shop.example' };
    const { Body: verifiablePresentation } = (await api.call('POST', `/vp/${did}/issue`, bound)).body;
    const check = async (options: object) => {
      const body = { verifiablePresentation, options };
      const answer = await stage.management('POST', '/presentations/verify', body);
      return [answer.status, answer.body['code'] ?? answer.body['verified']];
    };
    const options = { challenge: bound.Challenge, domain: bound.Domain };
    expect(await check(options)).toEqual([200, true]);
    expect(await check({ ...options, challenge: 'another' })).toEqual([400, 'vc_challenge_mismatch']);
    expect(await check({ challenge: bound.Challenge })).toEqual([400, 'vc_challenge_mismatch']);
  });
});

describe('a number that would become another one', () => {
  const pathsOf = ({ body }: { body: Record<string, unknown> }) =>
    ((body['errors'] ?? []) as { path: string }[]).map(({ path }) => path);
  const field = { kind: 'NUMBER', value: { name: 'n' } };
  const draftOf = (value: unknown) => ({
    data: { schema: { schema: { fields: [field] } }, values: { n: { kind: 'NUMBER', value } } },
  });
  const draft = async (body: string) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': KEY };
    const response = await fetch(`${stage.stack.baseUrl}/drafts`, { method: 'POST', headers, body });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it.each(['9007199254740993', '1e999', '0.12345678901234567891'])('%s is refused with its path', async (number) => {
    const written = (body: object) => JSON.stringify(body).replace('"THIS"', number);
    const credential = await (await createW3cIssuer()).issue({ age: 'THIS' });
    const imported = await api.call('POST', '/credentials', written({ Body: credential }));
    expect([imported.status, pathsOf(imported)]).toEqual([400, ['Body.credentialSubject.age']]);
    const made = await draft(written(draftOf('THIS')));
    expect([made.status, pathsOf(made)]).toEqual([400, ['data.values.n.value']]);
  });

  it('because its graph holds 16 digits only, is refused too', async () => {
    const credential = await (await createW3cIssuer()).issue({ age: 0.1 + 0.2 });
    const imported = await api.call('POST', '/credentials', { Body: credential });
    expect([imported.status, imported.body['code']]).toEqual([400, 'vc_number_inexact']);
    expect(await verify(credential)).toEqual([400, 'vc_number_inexact']);
    const made = await draft(JSON.stringify(draftOf(0.1 + 0.2)));
    expect([made.status, pathsOf(made)]).toEqual([400, ['data.values.n.value']]);
  });
});

describe('a signed document that is changed in its bytes is taken by no door', () => {
  const doors: Readonly<Record<string, (json: string) => Promise<number>>> = {
    import: async (json) =>
      (await api.call('POST', `/credentials?${new URLSearchParams({ ...owner }).toString()}`, `{"Body":${json}}`))
        .status,
    verification: (json) => post('/credentials/verify', `{"verifiableCredential":${json}}`),
  };
  async function post(path: string, body: string): Promise<number> {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${stage.stack.managementUrl}${path}`, { method: 'POST', headers, body })).status;
  }

  it.each<[string, string]>([
    ['a claim twice, the signed one last', '"given_name":"Eve","given_name":"Ada"'],
    ['a claim twice, the signed one first', '"given_name":"Ada","given_name":"Eve"'],
    ['a claim twice, once with an escape', '"given_name":"Ada","given\\u005fname":"Eve"'],
    ['a keyword with an escape', '"given_name":"Ada","\\u0040index":"admin"'],
    ['a context with an escape', '"given_name":"Ada","\\u0040context":{"admin":"@index"}'],
    ['__proto__ with an escape', '"given_name":"Ada","\\u005f_proto__":{"admin":true}'],
    ['half a character', '"given_name":"Ada","nick":"\\ud800"'],
    ['a number that becomes another', '"given_name":"Ada","level":9007199254740993'],
    ['a number beyond all numbers', '"given_name":"Ada","level":1e999'],
    ['null', '"given_name":"Ada","admin":null'],
  ])('%s', async (_what, members) => {
    const changed = (json: string) => {
      const forged = json.replace('"given_name":"Ada"', members);
      expect(forged).not.toBe(json);
      return forged;
    };
    const stranger = await createW3cIssuer();
    const signed = JSON.stringify(await stranger.issue({ given_name: 'Ada' }));
    for (const [name, door] of Object.entries(doors)) expect([name, await door(changed(signed))]).toEqual([name, 400]);
    expect([await doors['verification']?.(signed), await doors['import']?.(signed)]).toEqual([200, 201]);
    // What would not verify is not signed here either.
    const given = `{"credential":${JSON.stringify(credentialOf(owner.entityDid))}}`;
    expect(await post('/credentials/issue', changed(given))).toBe(400);
    expect(await post('/credentials/issue', given)).toBe(201);
  });
});
