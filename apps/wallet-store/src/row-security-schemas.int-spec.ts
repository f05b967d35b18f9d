import { BADGE, openSchemas, VALUES } from './testing/schemas.fixture-spec';
import { forgetTenant, type Tenant } from './testing/wallet-store.fixture-spec';

const notFound = expect.objectContaining({ kind: 'not_found', code: expect.stringMatching(/_not_found$/) });
const EVERYTHING = {
  list: 'schemas' as const,
  entries: undefined,
  sort: [{ field: 'id', descending: false }],
  limit: 100,
  after: undefined,
};

/** One tenant that asks, and another with a schema, a published schema, a draft and an issued draft. */
async function openScene(options: Parameters<typeof openSchemas>[0]) {
  const rewritten = new Set<string>();
  const rewrite = (sql: string) => {
    const changed = options?.rewrite?.(sql) ?? sql;
    if (changed !== sql) rewritten.add(sql);
    return changed;
  };
  const stage = await openSchemas({ ...options, rewrite });
  const { schemas, asTenant, tenant: foreign, publishBadge } = stage;
  const own = await stage.newTenant();
  const schema = await schemas.createSchema({ ...asTenant(), body: { data: { schema: BADGE } } });
  const { data } = await publishBadge();
  const newDraft = (values: object) =>
    schemas.createDraft({
      ...asTenant(),
      ...foreign.owner,
      body: { data: { meta_schema: data['meta_schema'], values } } as never,
    });
  const [draft, issued] = [await newDraft({}), await newDraft(VALUES)];
  await schemas.issueDraft({ ...asTenant(), id: issued.id, body: { status_purposes: ['revocation'] } });
  return {
    stage,
    own,
    foreign,
    rewritten,
    schemaId: schema.id,
    draftId: draft.id,
    issuedId: issued.id,
    url: data['meta_schema'],
  };
}
type Scene = Awaited<ReturnType<typeof openScene>>;

const scenes: Scene[] = [];
async function open(options: Parameters<typeof openSchemas>[0] = {}): Promise<Scene> {
  const scene = await openScene(options);
  scenes.push(scene);
  return scene;
}
afterAll(() => Promise.all(scenes.map(({ stage }) => stage.close())));

/** Every use case, asked by one tenant for what is another's. */
function foreignCalls({ stage, own, foreign, schemaId, draftId, issuedId, url }: Scene) {
  const { schemas } = stage;
  const asked = stage.asTenant('0.40.11', own);
  return {
    updateSchema: () => schemas.updateSchema({ ...asked, id: schemaId, body: {} }),
    publishSchema: () => schemas.publishSchema({ ...asked, id: schemaId, body: { slug: 'stolen' } }),
    createDraft: () =>
      schemas.createDraft({ ...asked, ...foreign.owner, body: { data: { meta_schema: url } } as never }),
    updateDraft: () => schemas.updateDraft({ ...asked, id: draftId, body: {} }),
    issueDraft: () => schemas.issueDraft({ ...asked, id: draftId, body: {} }),
    abandonDraft: () => schemas.abandonDraft({ ...asked, id: draftId }),
    getClaimValues: () => schemas.getClaimValues({ ...asked, id: issuedId }),
    getCredentialStatus: () => schemas.getCredentialStatus({ ...asked, id: issuedId }),
    changeCredentialStatus: () =>
      schemas.changeCredentialStatus({ ...asked, id: issuedId, body: { status: 'revoked' } }),
  } satisfies Record<string, () => Promise<unknown>>;
}
const NAMES = [
  'updateSchema',
  'publishSchema',
  'createDraft',
  'updateDraft',
  'issueDraft',
  'abandonDraft',
  'getClaimValues',
  'getCredentialStatus',
  'changeCredentialStatus',
] as const;
const SEARCHES = ['searchSchemas', 'searchPublishedSchemas', 'searchDrafts'] as const;

describe('with a broken WHERE in every statement', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await open({ rewrite: forgetTenant });
  });

  it.each(NAMES)('%s still does not find what is of another tenant: row-level security hides it', async (name) => {
    await expect(foreignCalls(scene)[name]()).rejects.toThrow(notFound);
  });

  it.each(SEARCHES)('%s shows nothing of another tenant, who finds it', async (name) => {
    const search = (who: Tenant) => scene.stage.schemas[name]({ ...scene.stage.asTenant('0.40.11', who), body: {} });
    expect((await search(scene.own)).items).toEqual([]);
    expect((await search(scene.foreign)).items.length).toBeGreaterThan(0);
  });

  it('no statement of the store of schemas finds or changes what is of another tenant', async () => {
    const { stage, own, foreign, schemaId } = scene;
    const { schemaStore } = stage;
    const theirs = await schemaStore.findSchema(foreign.id, schemaId);
    if (!theirs) throw new Error('the schema of the other tenant is missing');
    expect(await schemaStore.findSchema(own.id, schemaId)).toBeUndefined();
    expect(await schemaStore.replaceSchema(own.id, { ...theirs, revision: theirs.revision + 1 })).toBe(false);
    expect((await schemaStore.searchSchemas(own.id, EVERYTHING)).found).toEqual([]);
    expect((await schemaStore.searchPublished(own.id, EVERYTHING)).found).toEqual([]);
    expect(await schemaStore.findSchema(foreign.id, schemaId)).toEqual(theirs);
  });

  it('the statements were broken, and every use case was tried', () => {
    expect(scene.rewritten.size).toBeGreaterThan(5);
    const {
      createSchema: _own,
      getPublishedSchema: _public,
      getStatusListCredential: _everybody,
      ...others
    } = scene.stage.schemas;
    expect([...NAMES, ...SEARCHES].sort()).toEqual(Object.keys(others).sort());
  });

  it('without row-level security the same mistake would show and change what is of another tenant', async () => {
    const calls = foreignCalls(await open({ rewrite: forgetTenant, asSuperuser: true }));
    await expect(calls.updateSchema()).resolves.toMatchObject({ revision: 2 });
    await expect(calls.getClaimValues()).resolves.toMatchObject({ data: { values: VALUES } });
  });
});

describe('row-level security', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await open();
  });

  it.each(['claims_schema', 'published_schema', 'status_list', 'status_entry'])(
    'of %s shows and takes the rows of one tenant only',
    async (table) => {
      const { stage, own, foreign } = scene;
      const sql = `SELECT tenant_id FROM wallet_store.${table}`;
      expect(await stage.database.query(sql)).toEqual([]);
      expect(await stage.queryAs(own.id, (query) => query(sql))).toEqual([]);
      const rows = await stage.queryAs(foreign.id, (query) => query(sql));
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) expect(row).toEqual({ tenant_id: foreign.id });
      const moved = stage.queryAs(foreign.id, (query) =>
        query(`UPDATE wallet_store.${table} SET tenant_id = $1`, [own.id]),
      );
      await expect(moved).rejects.toThrow(expect.objectContaining({ sqlState: '42501' }));
    },
  );
});
