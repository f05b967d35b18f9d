import { canonicalize, verifyCredential } from '@vestibule/vcdm';
import {
  BADGE,
  BASE_URL,
  draftCalls,
  OLD,
  openSchemas,
  PLAIN,
  VALUES,
  type SchemaStage,
} from './testing/schemas.fixture-spec';

const code = (expected: string) => expect.objectContaining({ code: expected });
const faultsAt = (...paths: string[]) =>
  expect.objectContaining({ code: 'invalid_request', faults: paths.map((path) => expect.objectContaining({ path })) });
const PLACE = { entity_did: expect.any(String), wallet_did: expect.any(String) };
const VOCABULARY = 'https://www.w3.org/ns/credentials/undefined-terms/v2';
const HOLDER = 'did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169';
let stage: SchemaStage;
let calls: ReturnType<typeof draftCalls>;
let url: string;
beforeAll(async () => {
  stage = await openSchemas();
  calls = draftCalls(stage);
  url = String((await stage.publishBadge('employee-badge')).data['meta_schema']);
});
afterAll(() => stage.close());

const badge = (content: object = {}) => calls.create({ meta_schema: url, values: VALUES, ...content });

describe('DraftCreate', () => {
  it('puts a credential in state draft into the default wallet, and answers meta_schema, vocabularies and values', async () => {
    const draft = await badge();
    expect(draft).toMatchObject({ kind: { name: 'Draft', version: '0.40.11' }, revision: 1, etag: '1' });
    const content = { meta_schema: url, json_ld_vocabs: [], vcdm_json_schemas: [], values: VALUES };
    expect(draft.data).toEqual({ ...PLACE, ...content });
    const [owner] = await stage.outside<{ is_default: boolean }>(
      `SELECT w.is_default FROM wallet_store.wallet w JOIN wallet_store.credential c ON c.wallet_did = w.did WHERE c.did = $1`,
      [draft.id],
    );
    expect(owner).toEqual({ is_default: true });
  });

  it('17.14 names entity and wallet in every answer and in both versions, and keeps them', async () => {
    const { owner } = stage.tenant;
    const place = { entity_did: owner.entityDid, wallet_did: owner.walletDid };
    const call = { ...stage.asTenant(), ...owner, body: { data: { meta_schema: url, values: VALUES } } as never };
    const made = await stage.schemas.createDraft(call);
    const { id } = made;
    const again = { data: { ...made.data, values: { level: null } } };
    const answers = [made, await calls.update(id, again), await calls.update(id, { data: place }, { version: OLD })];
    answers.push((await calls.read(id)) as never, (await calls.read(id, OLD)) as never, await calls.abandon(id));
    for (const { data } of answers) expect(data).toMatchObject(place);
    const { id: other } = await badge();
    const moved = { entity_did: null, wallet_did: owner.walletDid, values: 1 };
    await expect(calls.update(other, { data: moved })).rejects.toEqual(
      faultsAt('data.entity_did', 'data.wallet_did', 'data.values'),
    );
  });

  it('puts it into the wallet that is named', async () => {
    const call = { ...stage.asTenant(), body: { data: { meta_schema: url } } };
    const { id } = await stage.schemas.createDraft({ ...call, ...stage.tenant.owner });
    const credential = await stage.store.getCredential({
      apiKeyDigest: stage.tenant.apiKeyDigest,
      ...stage.tenant.owner,
      credentialDid: id,
    });
    expect(credential).toMatchObject({ State: 'draft', Types: ['VerifiableCredential', 'EmployeeBadge'] });
    expect(credential.Body).not.toHaveProperty('proof');
    const nowhere = stage.schemas.createDraft({ ...call, entityDid: 'did:x:a', walletDid: 'did:x:b' });
    await expect(nowhere).rejects.toThrow(code('wallet_not_found'));
  });

  it('takes a temporary schema as schema or as meta_schema, and shows a URL where nothing is served', async () => {
    for (const content of [{ schema: { schema: BADGE } }, { meta_schema: { schema: BADGE, slug: 'temporary' } }]) {
      const { id, data } = await calls.create({ ...content, values: VALUES });
      expect(data['meta_schema']).toBe(`${BASE_URL}/schemas/temporary/${encodeURIComponent(id)}`);
      expect(data).not.toHaveProperty('schema');
    }
  });

  it.each<[string, object, string[]]>([
    ['neither schema nor meta_schema', {}, ['data.meta_schema']],
    ['both', { schema: { schema: BADGE }, meta_schema: 'https://a.example/' }, ['data.schema', 'data.meta_schema']],
    ['an address that is no schema', { meta_schema: 'https://a.example/s' }, ['data.meta_schema']],
    ['a broken definition', { schema: { schema: {} } }, ['data.schema.schema.fields']],
    ['a misspelt member', { schema: { schema: BADGE }, value: {} }, ['data.value']],
    ['plain values', { schema: { schema: BADGE }, values: { level: 3 } }, ['data.values.level']],
    [
      'another kind',
      { schema: { schema: BADGE }, values: { level: { kind: 'STRING', value: '3' } } },
      ['data.values.level.kind', 'data.values.level.value'],
    ],
    [
      'a vocabulary that is not a URL',
      { schema: { schema: BADGE }, json_ld_vocabs: ['x'] },
      ['data.json_ld_vocabs[0]'],
    ],
  ])('with %s names every fault', async (_what, content, paths) => {
    await expect(calls.create(content)).rejects.toEqual(faultsAt(...paths));
  });

  it('with one Idempotency-Key makes one draft', async () => {
    const call = { ...stage.asTenant(), body: { data: { meta_schema: url } }, idempotencyKey: 'd'.repeat(32) };
    const [first, again] = await Promise.all([stage.schemas.createDraft(call), stage.schemas.createDraft(call)]);
    expect(again).toEqual(first);
  });

  it('leaves no value in clear in the tables', async () => {
    const { id } = await calls.create({
      meta_schema: url,
      values: { given_name: { kind: 'STRING', value: 'canary-claim' } },
    });
    const rows = await stage.outside<{ text: string }>(`SELECT c::text FROM wallet_store.credential c WHERE did = $1`, [
      id,
    ]);
    expect(JSON.stringify(rows)).not.toContain('canary-claim');
    expect(JSON.stringify(rows)).not.toContain(Buffer.from('canary-claim').toString('hex'));
  });
});

describe('DraftUpdate', () => {
  it('merges values, labels and vocabularies, and removes with null', async () => {
    const { id } = await badge();
    const changed = await calls.update(id, {
      labels: { team: 'blue' },
      data: { values: { given_name: { value: 'Ada' }, level: null }, json_ld_vocabs: [VOCABULARY] },
    });
    const { level: _level, ...rest } = VALUES;
    expect(changed).toMatchObject({ revision: 2, labels: { team: 'blue' } });
    expect(changed.data['values']).toEqual({ ...rest, given_name: { kind: 'STRING', value: 'Ada' } });
    expect(changed.data['json_ld_vocabs']).toEqual([VOCABULARY]);
    expect(await calls.read(id)).toEqual(changed);
  });

  it('can change the schema, against which the values are judged', async () => {
    const { id } = await badge();
    const definition = { schema: { fields: [{ kind: 'NUMBER', value: { name: 'level' } }] } };
    await expect(calls.update(id, { data: { schema: definition } })).rejects.toMatchObject({
      faults: expect.arrayContaining([expect.objectContaining({ path: 'data.values.given_name' })]) as unknown,
    });
    const others = { given_name: null, since: null, office: null, photos: null };
    const changed = await calls.update(id, { data: { schema: definition, values: others } });
    expect(changed.data['meta_schema']).toContain('/schemas/temporary/');
    expect((await calls.update(id, { labels: {} })).data).toEqual(changed.data);
    expect((await calls.update(id, { data: { meta_schema: url } })).data['meta_schema']).toBe(url);
  });

  it('honours If-Match; of 8 parallel updates exactly one wins, and none is lost', async () => {
    const { id } = await badge();
    const attempts = Array.from({ length: 8 }, (_, level) =>
      calls.update(id, { data: { values: { level: { value: level } } } }, { ifRevision: 1 }),
    );
    const outcomes = await Promise.allSettled(attempts);
    const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toEqual(code('revision_mismatch'));
    }
    expect(await calls.read(id)).toEqual(winners[0]?.value);
  });
});

describe('issuing a draft', () => {
  it('names every claim that is missing, and leaves the draft as it is', async () => {
    const { id } = await calls.create({ meta_schema: url });
    await expect(calls.issue(id)).rejects.toMatchObject({
      code: 'draft_incomplete',
      faults: [{ path: 'data.values.given_name', message: 'is required' }],
    });
    expect(await calls.read(id)).toMatchObject({ revision: 1 });
  });

  it('signs what the draft says: context, type, subject and JSON Schema of the published schema', async () => {
    const { id } = await badge();
    const dates = { valid_from: '2026-01-01T00:00:00Z', valid_until: '2036-01-01T01:00:00+01:00' };
    const { kind, data } = await calls.issue(id, { holder_did: HOLDER, ...dates });
    expect(kind.name).toBe('Credential');
    expect(data).toMatchObject({
      state: 'issued',
      holder_did: HOLDER,
      types: ['VerifiableCredential', 'EmployeeBadge'],
    });
    const document = data['document'] as Record<string, unknown>;
    expect(document).toMatchObject({
      '@context': ['https://www.w3.org/ns/credentials/v2', `${url}/context`],
      id,
      type: ['VerifiableCredential', 'EmployeeBadge'],
      validFrom: '2026-01-01T00:00:00Z',
      validUntil: '2036-01-01T00:00:00Z',
      credentialSubject: { ...PLAIN, id: HOLDER },
      credentialSchema: [{ id: `${url}/json-schema`, type: 'JsonSchema' }],
      proof: { cryptosuite: 'ecdsa-rdfc-2019' },
    });
    const options = {
      now: new Date(),
      skewSeconds: 60,
      contexts: stage.contexts,
      canonicalize,
      statusLists: stage.statusLists,
    };
    await expect(verifyCredential(document as never, options)).resolves.toBeDefined();
    const changed = { ...document, credentialSubject: { ...PLAIN, id: HOLDER, office: { street: 'Low Street' } } };
    await expect(verifyCredential(changed as never, options)).rejects.toThrow(code('vc_proof_invalid'));
  });

  it('honours json_ld_vocabs and vcdm_json_schemas: contexts are added, JSON Schemas replaced', async () => {
    const other = await stage.publishBadge('other-badge');
    const vocab = String(other.data['json_ld_vocab']);
    const own = String(other.data['vcdm_json_schema']);
    const { id } = await badge({ json_ld_vocabs: [vocab], vcdm_json_schemas: [own] });
    const { data } = await calls.issue(id);
    expect(data['document']).toMatchObject({
      '@context': ['https://www.w3.org/ns/credentials/v2', `${url}/context`, vocab],
      credentialSchema: [{ id: own, type: 'JsonSchema' }],
    });
  });

  it('of a temporary schema has its context in the document, so that everybody can verify it', async () => {
    const { id } = await calls.create({ schema: { schema: BADGE, slug: 'trial' }, values: VALUES });
    const { data } = await calls.issue(id);
    const document = data['document'] as Record<string, unknown>;
    expect(document).toMatchObject({ type: ['VerifiableCredential', 'Trial'], credentialSubject: PLAIN });
    expect(document).not.toHaveProperty('credentialSchema');
    const contexts = { ...stage.contexts, find: () => Promise.resolve(undefined) };
    const options = { now: new Date(), skewSeconds: 60, contexts, canonicalize, statusLists: stage.statusLists };
    await expect(verifyCredential(document as never, options)).resolves.toBeDefined();
  });

  it('refuses wrong members of the body', async () => {
    const { id } = await badge();
    const body = { holderDid: HOLDER, holder_did: 'x', valid_from: 'soon', valid_until: '2026-01-01T00:00:00Z' };
    await expect(calls.issue(id, body)).rejects.toEqual(faultsAt('holder_did', 'valid_from', 'holderDid'));
    const late = { valid_from: '2026-01-02T00:00:00Z', valid_until: '2026-01-02T00:00:00Z' };
    await expect(calls.issue(id, late)).rejects.toEqual(faultsAt('valid_until'));
    // In UTC they are in the years 0 and 10000.
    const beyond = { valid_from: '0001-01-01T00:00:00+01:00', valid_until: '9999-12-31T23:59:59-01:00' };
    await expect(calls.issue(id, beyond)).rejects.toEqual(faultsAt('valid_from', 'valid_until'));
  });

  it('is possible once: of parallel calls one wins, and an issued draft allows nothing more', async () => {
    const { id } = await badge();
    const outcomes = await Promise.allSettled([calls.issue(id), calls.issue(id), calls.issue(id)]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const call of calls.forbidden(id)) {
      await expect(call()).rejects.toThrow(code('transition_forbidden'));
    }
  });
});

describe('abandoning a draft', () => {
  it('shows when, and allows nothing more', async () => {
    const { id } = await badge();
    const gone = await calls.abandon(id, 1);
    expect(gone).toMatchObject({ revision: 2, deleted_at: gone.modified_at });
    for (const call of calls.forbidden(id)) {
      await expect(call()).rejects.toThrow(code('transition_forbidden'));
    }
    await expect(stage.schemas.getClaimValues({ ...stage.asTenant(), id })).rejects.toThrow(
      code('credential_not_found'),
    );
  });
});
