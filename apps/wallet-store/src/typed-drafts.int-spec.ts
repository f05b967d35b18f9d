import { createIdempotency } from '@vestibule/persistence';
import { verifyCredential } from '@vestibule/vcdm';
import { SCHEMA } from './adapters/postgres/migrations';
import {
  BADGE,
  BASE_URL,
  CURRENT,
  OLD,
  openSchemas,
  PLAIN,
  VALUES,
  type SchemaStage,
} from './testing/schemas.fixture-spec';

const code = (expected: string) => expect.objectContaining({ code: expected });
const faultsAt = (...paths: string[]) =>
  expect.objectContaining({ code: 'invalid_request', faults: paths.map((path) => expect.objectContaining({ path })) });
const HOLDER = 'did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169';
let stage: SchemaStage;
let url: string;
beforeAll(async () => {
  stage = await openSchemas();
  url = String((await stage.publishBadge('employee-badge')).data['meta_schema']);
});
afterAll(() => stage.close());

type Version = typeof CURRENT | typeof OLD;
const create = (content: object, { version = CURRENT as Version, ...more } = {}) =>
  stage.schemas.createDraft({ ...stage.asTenant(version), body: { data: content, ...more } as never });
const update = (
  id: string,
  body: object,
  { version = CURRENT as Version, ifRevision = undefined as number | undefined } = {},
) => stage.schemas.updateDraft({ ...stage.asTenant(version), id, ifRevision, body: body as never });
const issue = (id: string, body: object = {}) =>
  stage.schemas.issueDraft({ ...stage.asTenant(), id, body: body as never });
const read = async (id: string, version: Version = CURRENT) => {
  const filter = [{ id: { operator: 'EQUAL', value: id }, state: { operator: 'NOT_EQUAL', value: '' } }];
  return (await stage.schemas.searchDrafts({ ...stage.asTenant(version), body: { filter } })).items[0];
};
const forbidden = (id: string) => [
  () => issue(id),
  () => update(id, {}),
  () => stage.schemas.abandonDraft({ ...stage.asTenant(), id }),
];
const badge = (content: object = {}) => create({ meta_schema: url, values: VALUES, ...content });

describe('DraftCreate', () => {
  it('puts a credential in state draft into the default wallet, and answers meta_schema, vocabularies and values', async () => {
    const draft = await badge();
    expect(draft).toMatchObject({ kind: { name: 'Draft', version: '0.40.11' }, revision: 1, etag: '1' });
    expect(draft.data).toEqual({ meta_schema: url, json_ld_vocabs: [], vcdm_json_schemas: [], values: VALUES });
    const [owner] = await stage.outside<{ is_default: boolean }>(
      `SELECT w.is_default FROM wallet_store.wallet w JOIN wallet_store.credential c ON c.wallet_did = w.did WHERE c.did = $1`,
      [draft.id],
    );
    expect(owner).toEqual({ is_default: true });
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
      const { id, data } = await create({ ...content, values: VALUES });
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
    ['a vocabulary that is no URL', { schema: { schema: BADGE }, json_ld_vocabs: ['x'] }, ['data.json_ld_vocabs[0]']],
  ])('with %s names every fault', async (_what, content, paths) => {
    await expect(create(content)).rejects.toEqual(faultsAt(...paths));
  });

  it('with one Idempotency-Key makes one draft', async () => {
    const call = { ...stage.asTenant(), body: { data: { meta_schema: url } }, idempotencyKey: 'd'.repeat(32) };
    const [first, again] = await Promise.all([stage.schemas.createDraft(call), stage.schemas.createDraft(call)]);
    expect(again).toEqual(first);
  });

  it('leaves no value in clear in the tables', async () => {
    const { id } = await create({
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
    const changed = await update(id, {
      labels: { team: 'blue' },
      data: { values: { given_name: { value: 'Ada' }, level: null }, json_ld_vocabs: ['https://v.example/'] },
    });
    const { level: _level, ...rest } = VALUES;
    expect(changed).toMatchObject({ revision: 2, labels: { team: 'blue' } });
    expect(changed.data['values']).toEqual({ ...rest, given_name: { kind: 'STRING', value: 'Ada' } });
    expect(changed.data['json_ld_vocabs']).toEqual(['https://v.example/']);
    expect(await read(id)).toEqual(changed);
  });

  it('can change the schema, against which the values are judged', async () => {
    const { id } = await badge();
    const definition = { schema: { fields: [{ kind: 'NUMBER', value: { name: 'level' } }] } };
    await expect(update(id, { data: { schema: definition } })).rejects.toMatchObject({
      faults: expect.arrayContaining([expect.objectContaining({ path: 'data.values.given_name' })]) as unknown,
    });
    const others = { given_name: null, since: null, office: null, photos: null };
    const changed = await update(id, { data: { schema: definition, values: others } });
    expect(changed.data['meta_schema']).toContain('/schemas/temporary/');
    expect((await update(id, { labels: {} })).data).toEqual(changed.data);
    expect((await update(id, { data: { meta_schema: url } })).data['meta_schema']).toBe(url);
  });

  it('honours If-Match; of 8 parallel updates exactly one wins, and none is lost', async () => {
    const { id } = await badge();
    const attempts = Array.from({ length: 8 }, (_, level) =>
      update(id, { data: { values: { level: { value: level } } } }, { ifRevision: 1 }),
    );
    const outcomes = await Promise.allSettled(attempts);
    const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toEqual(code('revision_mismatch'));
    }
    expect(await read(id)).toEqual(winners[0]?.value);
  });
});

describe('issuing a draft', () => {
  it('names every claim that is missing, and leaves the draft as it is', async () => {
    const { id } = await create({ meta_schema: url });
    await expect(issue(id)).rejects.toMatchObject({
      code: 'draft_incomplete',
      faults: [{ path: 'data.values.given_name', message: 'is required' }],
    });
    expect(await read(id)).toMatchObject({ revision: 1 });
  });

  it('signs what the draft says: context, type, subject and JSON Schema of the published schema', async () => {
    const { id } = await badge();
    const dates = { valid_from: '2026-01-01T00:00:00Z', valid_until: '2036-01-01T01:00:00+01:00' };
    const { kind, data } = await issue(id, { holder_did: HOLDER, ...dates });
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
    const options = { now: new Date(), skewSeconds: 60, findContext: stage.schemas.findContext };
    await expect(verifyCredential(document as never, options)).resolves.toBeDefined();
    const changed = { ...document, credentialSubject: { ...PLAIN, id: HOLDER, office: { street: 'Low Street' } } };
    await expect(verifyCredential(changed as never, options)).rejects.toThrow(code('vc_proof_invalid'));
  });

  it('honours json_ld_vocabs and vcdm_json_schemas: contexts are added, JSON Schemas replaced', async () => {
    const other = await stage.publishBadge('other-badge');
    const vocab = String(other.data['json_ld_vocab']);
    const own = 'https://schemas.example/own.json';
    const { id } = await badge({ json_ld_vocabs: [vocab], vcdm_json_schemas: [own] });
    const { data } = await issue(id);
    expect(data['document']).toMatchObject({
      '@context': ['https://www.w3.org/ns/credentials/v2', `${url}/context`, vocab],
      credentialSchema: [{ id: own, type: 'JsonSchema' }],
    });
  });

  it('of a temporary schema has its context in the document, so that everybody can verify it', async () => {
    const { id } = await create({ schema: { schema: BADGE, slug: 'trial' }, values: VALUES });
    const { data } = await issue(id);
    const document = data['document'] as Record<string, unknown>;
    expect(document).toMatchObject({ type: ['VerifiableCredential', 'Trial'], credentialSubject: PLAIN });
    expect(document).not.toHaveProperty('credentialSchema');
    const options = { now: new Date(), skewSeconds: 60, findContext: () => Promise.resolve(undefined) };
    await expect(verifyCredential(document as never, options)).resolves.toBeDefined();
  });

  it('refuses a vocabulary that is not known here, naming it, and wrong members of the body', async () => {
    const { id } = await badge({ json_ld_vocabs: ['https://unknown.example/v'] });
    await expect(issue(id)).rejects.toMatchObject({
      code: 'vc_context_unknown',
      kind: 'invalid',
      detail: expect.stringContaining('https://unknown.example/v') as unknown,
    });
    const body = { holderDid: HOLDER, holder_did: 'x', valid_from: '2026', valid_until: '2026-01-01T00:00:00Z' };
    await expect(issue(id, body)).rejects.toEqual(faultsAt('holder_did', 'valid_from', 'holderDid'));
    const late = { valid_from: '2026-01-02T00:00:00Z', valid_until: '2026-01-02T00:00:00Z' };
    await expect(issue(id, late)).rejects.toEqual(faultsAt('valid_until'));
  });

  it('is possible once: of parallel calls one wins, and an issued draft allows nothing more', async () => {
    const { id } = await badge();
    const outcomes = await Promise.allSettled([issue(id), issue(id), issue(id)]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const call of forbidden(id)) {
      await expect(call()).rejects.toThrow(code('transition_forbidden'));
    }
  });
});

describe('GetCredentialClaimValues', () => {
  const valuesOf = (id: string, version: Version = CURRENT) =>
    stage.schemas.getClaimValues({ ...stage.asTenant(version), id });

  it('gives the draft values of an issued credential back, in both versions', async () => {
    const { id } = await badge();
    await expect(valuesOf(id)).rejects.toThrow(code('credential_not_found'));
    await issue(id);
    expect((await valuesOf(id)).data).toEqual({ values: VALUES });
    expect((await valuesOf(id, OLD)).data).toEqual({ values: PLAIN });
  });

  it('of another tenant, or of none, is 404', async () => {
    const { id } = await badge();
    await issue(id);
    const foreign = await stage.newTenant();
    const theirs = stage.schemas.getClaimValues({ ...stage.asTenant(CURRENT, foreign), id });
    await expect(theirs).rejects.toThrow(code('credential_not_found'));
    await expect(valuesOf('did:x:\u0000')).rejects.toThrow(code('credential_not_found'));
  });
});

describe('abandoning a draft', () => {
  it('shows when, and allows nothing more', async () => {
    const { id } = await badge();
    const gone = await stage.schemas.abandonDraft({ ...stage.asTenant(), id, ifRevision: 1 });
    expect(gone).toMatchObject({ revision: 2, deleted_at: gone.modified_at });
    for (const call of forbidden(id)) {
      await expect(call()).rejects.toThrow(code('transition_forbidden'));
    }
    await expect(stage.schemas.getClaimValues({ ...stage.asTenant(), id })).rejects.toThrow(
      code('credential_not_found'),
    );
  });
});

describe('DraftSearch', () => {
  it('finds drafts that are still drafts, others by their state, and goes on page by page', async () => {
    const made = await Promise.all(
      ['1', '2', '3'].map((n) => create({ meta_schema: url }, { labels: { page: n } } as never)),
    );
    const filter = [{ labels: { page: { operator: 'IN', value: ['1', '2', '3'] } } }];
    const search = (body: object) =>
      stage.schemas.searchDrafts({ ...stage.asTenant(), body: { filter, ...body } as never });
    const sort = [{ field: 'id', order: 'DESC' }];
    const first = await search({ sort, limit: 2 });
    const second = await search({ sort, limit: 2, cursor: first.next_cursor });
    const ids = made
      .map(({ id }) => id)
      .sort()
      .reverse();
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids);
    expect(second.next_cursor).toBeUndefined();
    await stage.schemas.abandonDraft({ ...stage.asTenant(), id: ids[0] as string });
    expect((await search({})).items).toHaveLength(2);
    const abandoned = [{ ...filter[0], state: { operator: 'EQUAL', value: 'abandoned' } }];
    expect((await search({ filter: abandoned })).items.map(({ id }) => id)).toEqual([ids[0]]);
    const typed = [{ ...filter[0], type: { operator: 'EQUAL', value: 'EmployeeBadge' } }];
    expect((await search({ filter: typed })).items).toHaveLength(2);
  });
});

describe('version 0.38 over the same data', () => {
  it('has plain values and schema; what one version writes, the other reads', async () => {
    const { id, ...old } = await create({ schema: url, values: PLAIN }, { version: OLD });
    expect(old.kind.version).toBe('0.38.2');
    expect(old.data).toEqual({ schema: url, values: PLAIN });
    expect((await read(id))?.data).toEqual({
      meta_schema: url,
      json_ld_vocabs: [],
      vcdm_json_schemas: [],
      values: VALUES,
    });
    await update(id, { data: { values: { level: { kind: 'NUMBER', value: 4 } } } });
    expect((await read(id, OLD))?.data).toEqual({ schema: url, values: { ...PLAIN, level: 4 } });
  });

  it('patches plain values, and keeps what it cannot say', async () => {
    const vocabs = { json_ld_vocabs: ['https://v.example/'], vcdm_json_schemas: ['https://s.example/'] };
    const { id } = await badge(vocabs);
    const changed = await update(
      id,
      { data: { values: { office: { street: 'Low Street' }, since: null } } },
      { version: OLD },
    );
    expect(changed.data['values']).toEqual({ ...PLAIN, office: { street: 'Low Street' }, since: undefined });
    const { since: _since, ...rest } = VALUES;
    const office = { kind: 'OBJECT', value: { street: { kind: 'STRING', value: 'Low Street' } } };
    expect((await read(id))?.data).toEqual({ meta_schema: url, ...vocabs, values: { ...rest, office } });
  });

  it('takes a definition as schema, and refuses the members of the new version', async () => {
    const { data } = await create({ schema: { schema: BADGE }, values: PLAIN }, { version: OLD });
    expect(data['schema']).toContain('/schemas/temporary/');
    await expect(create({ meta_schema: url, values: PLAIN }, { version: OLD })).rejects.toEqual(
      faultsAt('data.schema', 'data.meta_schema'),
    );
  });

  it('names faults at the places that it knows', async () => {
    const values = { office: { street: 1 }, level: 'x', nickname: 'Z' };
    await expect(create({ schema: url, values }, { version: OLD })).rejects.toEqual(
      faultsAt('data.values.nickname', 'data.values.office.street', 'data.values.level'),
    );
  });
});

describe('the purge of Idempotency-Keys', () => {
  it('knows the calls of schemas and drafts as those of everything else', async () => {
    const { database, sealer } = stage;
    const later = () => new Date(Date.now() + 25 * 3_600_000);
    expect(await createIdempotency({ database, schema: SCHEMA, sealer, clock: later }).purge(100)).toBeGreaterThan(0);
  });
});
