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
    ['vc_credential_status_malformed', { credentialStatus: { type: 'BitstringStatusListEntry' } }],
    ['vc_status_unsupported', { credentialStatus: { type: 'StatusList2021Entry' } }],
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

/** What the test suite of VCDM 2.0 asserts, by section, as far as it applies to documents with ecdsa-rdfc-2019. */
describe('17.8 VCDM 2.0', () => {
  const SRI = `sha256-${Buffer.alloc(32, 7).toString('base64')}`;
  const text = { '@value': 'City card', '@language': 'en', '@direction': 'ltr' };

  it.each<[string, object]>([
    ['4.4 an id that is a URL, and a subject with one', { id: 'urn:a', credentialSubject: { id: 'did:example:b' } }],
    ['4.5 several types in any order', { type: ['CityCard', 'VerifiableCredential', 'Pass'] }],
    ['4.6 a name and a description', { name: 'Card', description: text }],
    ['4.6 a name in several languages', { name: [text, { ...text, '@language': 'de' }] }],
    ['4.8 several subjects', { credentialSubject: [{ given_name: 'Ada' }, { given_name: 'Eve' }] }],
    ['4.9 a validity', { validFrom: '2020-01-01T00:00:00Z', validUntil: '2999-01-01T00:00:00+01:00' }],
    ['4.11 two schemas', { credentialSchema: ['a', 'b'].map((id) => ({ id: `urn:${id}`, type: 'JsonSchema' })) }],
    ['5.3 a related resource', { relatedResource: { id: 'https://a.example/i', digestSRI: SRI } }],
    ['5.4 two refresh services', { refreshService: [{ id: 'urn:a', type: 'A' }, { type: 'B' }] }],
    ['5.5 terms of use', { termsOfUse: [{ id: 'urn:a', type: 'A' }, { type: 'B' }] }],
    ['5.6 evidence', { evidence: [{ id: 'urn:a', type: ['A'] }, { type: 'B' }] }],
  ])('17.8 §%s is issued, verified and imported', async (_what, change) => {
    const { status, document } = await issue(credentialOf(owner.entityDid, change));
    expect([status, await verify(document)]).toEqual([201, [200, true]]);
    const imported = await api.call('POST', '/credentials', { Body: document });
    expect(imported.status).toBe(201);
  });

  it.each<[string, string, object]>([
    ['vc_malformed', '4.3 no @context', { '@context': undefined }],
    [
      'vc_malformed',
      '4.3 another first context',
      { '@context': ['https://www.w3.org/ns/credentials/undefined-terms/v2'] },
    ],
    ['vc_version_unsupported', '4.3 version 1.1', { '@context': ['https://www.w3.org/2018/credentials/v1'] }],
    ['vc_context_unknown', '4.3 a number as context', { '@context': ['https://www.w3.org/ns/credentials/v2', 5] }],
    ['vc_malformed', '4.5 no type', { type: undefined }],
    ['vc_malformed', '4.5 without VerifiableCredential', { type: ['CityCard'] }],
    ['vc_language_malformed', '4.6 a name with a further member', { name: { ...text, url: 'urn:a' } }],
    ['vc_language_malformed', '4.6 a description that is a number', { description: 5 }],
    ['vc_malformed', '4.7 a number as issuer', { issuer: 5 }],
    ['vc_malformed', '4.7 an issuer without id', { issuer: { name: 'City' } }],
    ['vc_malformed', '4.8 no subject', { credentialSubject: undefined }],
    ['vc_malformed', '4.8 an empty subject', { credentialSubject: {} }],
    ['vc_malformed', '4.8 one of two subjects empty', { credentialSubject: [{ given_name: 'Ada' }, {}] }],
    ['vc_malformed', '4.8 text as subject', { credentialSubject: 'did:example:b' }],
    ['vc_malformed', '4.9 a day as validFrom', { validFrom: '2020-01-01' }],
    ['vc_malformed', '4.9 text as validUntil', { validUntil: 'tomorrow' }],
    [
      'vc_validity_reversed',
      '4.9 the end first',
      { validFrom: '2020-01-02T00:00:00Z', validUntil: '2020-01-01T00:00:00Z' },
    ],
    ['vc_credential_status_malformed', '4.10 a status without type', { credentialStatus: { id: 'urn:a' } }],
    ['vc_status_unsupported', '4.10 a status', { credentialStatus: { id: 'urn:a', type: 'StatusList2021Entry' } }],
    ['vc_credential_schema_malformed', '4.11 a schema without type', { credentialSchema: { id: 'urn:a' } }],
    ['vc_credential_schema_malformed', '4.11 a schema without id', { credentialSchema: { type: 'JsonSchema' } }],
    ['vc_related_resource_malformed', '5.3 no digest', { relatedResource: { id: 'urn:a' } }],
    [
      'vc_related_resource_mismatch',
      '5.3 another digest of the context',
      { relatedResource: { id: 'https://www.w3.org/ns/credentials/v2', digestSRI: SRI } },
    ],
    ['vc_refresh_service_malformed', '5.4 a refresh service without type', { refreshService: { id: 'urn:a' } }],
    ['vc_terms_of_use_malformed', '5.5 terms of use without type', { termsOfUse: { id: 'urn:a' } }],
    ['vc_evidence_malformed', '5.6 evidence without type', { evidence: { id: 'urn:a' } }],
  ])('17.8 %s: §%s is neither issued nor verified nor imported', async (code, _what, change) => {
    expect(await issue(credentialOf(owner.entityDid, change))).toMatchObject({ status: 400, code });
    const { document } = await issue(credentialOf(owner.entityDid));
    const changed = { ...document, ...change };
    expect(await verify(changed)).toEqual([400, code]);
    const imported = await api.call('POST', '/credentials', { Body: changed });
    expect([imported.status, imported.body['code']]).toEqual([400, code]);
  });

  it.each(['not a url', ['urn:a', 'urn:b'], 5, '_:b0'])('17.8 §4.4 the id %j is not issued', async (id) => {
    expect((await issue(credentialOf(owner.entityDid, { id }))).status).toBe(400);
    expect((await issue(credentialOf(owner.entityDid, { credentialSubject: { id, given_name: 'Ada' } }))).status).toBe(
      400,
    );
  });
});

/** What the test suite of ecdsa-rdfc-2019 asserts of proofs. */
describe('17.8 ecdsa-rdfc-2019', () => {
  const proofOf = (document: Record<string, unknown>) => document['proof'] as Record<string, unknown>;

  it('17.8 a proof has a type, suite, purpose, time, key and a base58 value of 64 bytes', async () => {
    const { document } = await issue(credentialOf(owner.entityDid));
    expect(proofOf(document)).toEqual({
      type: 'DataIntegrityProof',
      cryptosuite: 'ecdsa-rdfc-2019',
      proofPurpose: 'assertionMethod',
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string,
      verificationMethod: `${owner.entityDid}#${owner.entityDid.slice('did:key:'.length)}`,
      proofValue: expect.stringMatching(/^z[1-9A-HJ-NP-Za-km-z]{80,90}$/) as string,
    });
  });

  it.each<[string, string, Record<string, unknown>]>([
    ['vc_proof_unsupported', 'no type', { type: undefined }],
    ['vc_proof_unsupported', 'another type', { type: 'Ed25519Signature2020' }],
    ['vc_proof_unsupported', 'no suite', { cryptosuite: undefined }],
    ['vc_proof_unsupported', 'another suite', { cryptosuite: 'ecdsa-sd-2023' }],
    ['vc_proof_unsupported', 'an unknown member', { more: 'x' }],
    ['vc_proof_invalid', 'no purpose', { proofPurpose: undefined }],
    ['vc_proof_invalid', 'another purpose', { proofPurpose: 'authentication' }],
    ['vc_proof_invalid', 'no value', { proofValue: undefined }],
    ['vc_proof_invalid', 'a value in another base', { proofValue: 'uAAAA' }],
    ['vc_proof_invalid', 'another time', { created: '2020-01-01T00:00:00Z' }],
    ['vc_malformed', 'a time that is none', { created: 'yesterday' }],
    ['vc_key_unresolvable', 'no key', { verificationMethod: undefined }],
    ['vc_key_unresolvable', 'a key that cannot be resolved', { verificationMethod: 'https://a.example/#key' }],
    ['vc_expired', 'an end that is over', { expires: '2020-01-01T00:00:00Z' }],
  ])('17.8 %s: a proof with %s is refused', async (code, _what, change) => {
    const { document } = await issue(credentialOf(owner.entityDid));
    expect(await verify({ ...document, proof: { ...proofOf(document), ...change } })).toEqual([400, code]);
  });

  it('17.8 vc_issuer_mismatch: the key of another issuer is refused', async () => {
    const { document } = await issue(credentialOf(owner.entityDid));
    expect(await verify({ ...document, issuer: 'did:example:other' })).toEqual([400, 'vc_issuer_mismatch']);
  });
});
