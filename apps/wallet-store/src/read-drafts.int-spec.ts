import { createIdempotency } from '@vestibule/persistence';
import { SCHEMA } from './adapters/postgres/migrations';
import {
  BADGE,
  CURRENT,
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

describe('GetCredentialClaimValues', () => {
  const valuesOf = (id: string, version: typeof CURRENT | typeof OLD = CURRENT) =>
    stage.schemas.getClaimValues({ ...stage.asTenant(version), id });

  it('gives the draft values of an issued credential back, in both versions', async () => {
    const { id } = await badge();
    await expect(valuesOf(id)).rejects.toThrow(code('credential_not_found'));
    await calls.issue(id);
    expect((await valuesOf(id)).data).toEqual({ values: VALUES });
    expect((await valuesOf(id, OLD)).data).toEqual({ values: PLAIN });
  });

  it('of another tenant, or of none, is 404', async () => {
    const { id } = await badge();
    await calls.issue(id);
    const foreign = await stage.newTenant();
    const theirs = stage.schemas.getClaimValues({ ...stage.asTenant(CURRENT, foreign), id });
    await expect(theirs).rejects.toThrow(code('credential_not_found'));
    await expect(valuesOf('did:x:\u0000')).rejects.toThrow(code('credential_not_found'));
  });
});

describe('DraftSearch', () => {
  it('finds drafts that are still drafts, others by their state, and goes on page by page', async () => {
    const made = await Promise.all(
      ['1', '2', '3'].map((n) => calls.create({ meta_schema: url }, { labels: { page: n } } as never)),
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
    await calls.abandon(ids[0] as string);
    expect((await search({})).items).toHaveLength(2);
    const abandoned = [{ ...filter[0], state: { operator: 'EQUAL', value: 'abandoned' } }];
    expect((await search({ filter: abandoned })).items.map(({ id }) => id)).toEqual([ids[0]]);
    const typed = [{ ...filter[0], type: { operator: 'EQUAL', value: 'EmployeeBadge' } }];
    expect((await search({ filter: typed })).items).toHaveLength(2);
  });
});

describe('version 0.38 over the same data', () => {
  it('has plain values and schema; what one version writes, the other reads', async () => {
    const { id, ...old } = await calls.create({ schema: url, values: PLAIN }, { version: OLD });
    expect(old.kind.version).toBe('0.38.2');
    expect(old.data).toEqual({ ...PLACE, schema: url, values: PLAIN });
    expect((await calls.read(id))?.data).toEqual({
      ...PLACE,
      meta_schema: url,
      json_ld_vocabs: [],
      vcdm_json_schemas: [],
      values: VALUES,
    });
    await calls.update(id, { data: { values: { level: { kind: 'NUMBER', value: 4 } } } });
    expect((await calls.read(id, OLD))?.data).toEqual({ ...PLACE, schema: url, values: { ...PLAIN, level: 4 } });
  });

  it('patches plain values, and keeps what it cannot say', async () => {
    const { data } = await stage.publishBadge('kept-badge');
    const vocabs = { json_ld_vocabs: [data['json_ld_vocab']], vcdm_json_schemas: [data['vcdm_json_schema']] };
    const { id } = await badge(vocabs);
    const changed = await calls.update(
      id,
      { data: { values: { office: { street: 'Low Street' }, since: null } } },
      { version: OLD },
    );
    expect(changed.data['values']).toEqual({ ...PLAIN, office: { street: 'Low Street' }, since: undefined });
    const { since: _since, ...rest } = VALUES;
    const office = { kind: 'OBJECT', value: { street: { kind: 'STRING', value: 'Low Street' } } };
    expect((await calls.read(id))?.data).toEqual({
      ...PLACE,
      meta_schema: url,
      ...vocabs,
      values: { ...rest, office },
    });
  });

  it('takes a definition as schema, and refuses the members of the new version', async () => {
    const { data } = await calls.create({ schema: { schema: BADGE }, values: PLAIN }, { version: OLD });
    expect(data['schema']).toContain('/schemas/temporary/');
    await expect(calls.create({ meta_schema: url, values: PLAIN }, { version: OLD })).rejects.toEqual(
      faultsAt('data.schema', 'data.meta_schema'),
    );
  });

  it('names faults at the places that it knows', async () => {
    const values = { office: { street: 1 }, level: 'x', nickname: 'Z' };
    await expect(calls.create({ schema: url, values }, { version: OLD })).rejects.toEqual(
      faultsAt('data.values.nickname', 'data.values.office.street', 'data.values.level'),
    );
  });
});

describe('the purge of Idempotency-Keys', () => {
  it('knows the calls of schemas and drafts as those of everything else', async () => {
    const { database, sealer, schemas } = stage;
    const call = { ...stage.asTenant(), idempotencyKey: 'p'.repeat(32), body: {} };
    await schemas.createSchema(call);
    const idempotency = createIdempotency({ database, schema: SCHEMA, sealer, clock: () => new Date() });
    expect(await idempotency.purge(100)).toBe(0);
    await database.query(`UPDATE ${SCHEMA}.idempotency_key SET expires_at = expires_at - interval '25 hours'`);
    expect(await idempotency.purge(100)).toBe(1);
  });
});
