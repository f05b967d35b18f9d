import { forgetTenant, openWalletStore, type Tenant, type WalletStoreStage } from './testing/wallet-store.fixture-spec';
import { abandonDraft, changeDraft } from './use-cases/change-draft';
import { issueDraft } from './use-cases/issue-draft';

const notFound = expect.objectContaining({ kind: 'not_found', code: expect.stringMatching(/_not_found$/) });

const opened: WalletStoreStage[] = [];
async function openBroken(asSuperuser: boolean) {
  const rewritten: string[] = [];
  const rewrite = (sql: string) => {
    if (forgetTenant(sql) !== sql) rewritten.push(sql);
    return forgetTenant(sql);
  };
  const stage = await openWalletStore({ rewrite, asSuperuser });
  opened.push(stage);
  const [own, foreign] = [await stage.newTenant(), await stage.newTenant()];
  await stage.insert('credential', foreign.owner, { did: 'did:x:issued' });
  const draft = await stage.newDraft(foreign);
  const { PresentationDid } = await stage.store.createPresentation({
    apiKeyDigest: foreign.apiKeyDigest,
    ...foreign.owner,
    credentialDids: ['did:x:issued'],
  });
  return { stage, own, foreign, draft: draft.did, presentationDid: PresentationDid, rewritten };
}
afterAll(() => Promise.all(opened.map((stage) => stage.close())));

/** Every use case, asked by one tenant for what is another's. */
function foreignCalls({ stage, own, foreign, draft, presentationDid }: Awaited<ReturnType<typeof openBroken>>) {
  const { store, draftDeps } = stage;
  const asked = { apiKeyDigest: own.apiKeyDigest, ...foreign.owner };
  const list = { ...asked, queryMode: 'All' as const, getBodies: true, limit: 10 };
  const { apiKeyDigest } = own;
  const change = { tenant: own.id, did: draft };
  const claims = { types: [], contexts: [], credentialSubject: { id: 'did:x:1' }, credentialSchema: [] };
  return {
    createWallet: () => store.createWallet({ apiKeyDigest, entityDid: foreign.owner.entityDid }),
    listWallets: () => store.listWallets({ apiKeyDigest, entityDid: foreign.owner.entityDid, limit: 10 }),
    getCredential: () => store.getCredential({ ...asked, credentialDid: 'did:x:issued' }),
    listCredentials: () => store.listCredentials(list),
    getPresentation: () => store.getPresentation({ ...asked, presentationDid, queryMode: 'All' }),
    listPresentations: () => store.listPresentations(list),
    importCredential: () => store.importCredential({ ...asked, document: {} }),
    createPresentation: () => store.createPresentation({ ...asked, credentialDids: ['did:x:issued'] }),
    updatePresentation: () => store.updatePresentation({ apiKeyDigest, presentationDid, body: {} }),
    issuePresentation: () => store.issuePresentation({ apiKeyDigest, presentationDid }),
    abandonPresentation: () => store.abandonPresentation({ apiKeyDigest, presentationDid }),
    presentPresentation: () => store.presentPresentation({ apiKeyDigest, ...own.owner, presentationDid }),
    updateDraft: () => changeDraft(draftDeps)({ ...change, operation: 'update' }, (read) => read),
    issueDraft: () =>
      issueDraft(draftDeps)(
        change,
        () => claims,
        () => Promise.resolve(),
      ),
    abandonDraft: () => abandonDraft(draftDeps)(change),
  } satisfies Record<string, () => Promise<unknown>>;
}
const NAMES = [
  'createWallet',
  'listWallets',
  'getCredential',
  'listCredentials',
  'getPresentation',
  'listPresentations',
  'importCredential',
  'createPresentation',
  'updatePresentation',
  'issuePresentation',
  'abandonPresentation',
  'presentPresentation',
  'updateDraft',
  'issueDraft',
  'abandonDraft',
] as const;

describe('with a broken WHERE in every statement', () => {
  let scene: Awaited<ReturnType<typeof openBroken>>;
  beforeAll(async () => {
    scene = await openBroken(false);
  });

  it.each(NAMES)('%s still does not find what is of another tenant: row-level security hides it', async (name) => {
    await expect(foreignCalls(scene)[name]()).rejects.toThrow(notFound);
  });

  it('no statement of a store finds or changes what is of another tenant', async () => {
    const { own, foreign, draft, presentationDid, stage } = scene;
    const { wallets, credentials, presentations, drafts, presentationDrafts, issued } = stage.adapters;
    const { entityDid } = foreign.owner;
    const query = { ...foreign.owner, queryMode: 'All' as const };
    const page = { ...query, labels: [], withBodies: true, limit: 10, after: undefined };
    const theirs = await drafts.findDraft(foreign.id, draft);
    if (!theirs) throw new Error('the draft of the other tenant is missing');
    const change = { draft: theirs, state: 'abandoned' as const, content: theirs, updatedAt: new Date() };
    expect(
      await Promise.all([
        wallets.ownsEntity(own.id, entityDid),
        wallets.ownsWallet(own.id, foreign.owner),
        wallets.findEntityKey(own.id, entityDid),
        credentials.findOne(own.id, { ...query, did: 'did:x:issued' }),
        presentations.findOne(own.id, { ...query, did: presentationDid }),
        drafts.findDraft(own.id, draft),
        presentationDrafts.findDraft(own.id, presentationDid),
        drafts.replaceDraft(own.id, change),
      ]),
    ).toEqual([false, false, ...Array.from({ length: 6 }, () => undefined)]);
    expect((await credentials.findPage(own.id, page)).records).toEqual([]);
    expect((await presentations.findPage(own.id, page)).records).toEqual([]);
    const all = { limit: 10, after: undefined };
    const entities = await wallets.findEntities(own.id, all);
    expect(entities.owners.map(({ did }) => did)).toEqual([own.owner.entityDid]);
    const walletsFound = await wallets.findWallets(own.id, { ...all, entityDid: undefined });
    expect(walletsFound.owners.map(({ did }) => did)).toEqual([own.owner.walletDid]);
    expect((await wallets.findWallets(own.id, { ...all, entityDid })).owners).toEqual([]);
    expect(await issued.findCredentials(own.id, foreign.owner, ['did:x:issued'])).toEqual([]);
    expect(await drafts.findDraft(foreign.id, draft)).toEqual(theirs);
  });

  it('the statements were broken, and every use case of the store was tried', () => {
    expect(new Set(scene.rewritten).size).toBeGreaterThan(8);
    const { createEntity: _created, listEntities: _listed, ...others } = scene.stage.store;
    expect([...NAMES].filter((name) => !name.endsWith('Draft')).sort()).toEqual(Object.keys(others).sort());
  });

  it('without row-level security the same mistake would show what is of another tenant, and foreign keys refuse the change', async () => {
    const unprotected = await openBroken(true);
    const calls = foreignCalls(unprotected);
    await expect(calls.getCredential()).resolves.toMatchObject({ CredentialDid: 'did:x:issued' });
    await expect(calls.abandonPresentation()).rejects.toMatchObject({ sqlState: '23503' });
  });
});

describe('row-level security', () => {
  const TABLES = ['entity', 'wallet', 'credential', 'presentation'];
  let stage: WalletStoreStage;
  let tenant: Tenant;
  beforeAll(async () => {
    stage = await openWalletStore();
    opened.push(stage);
    tenant = await stage.newTenant();
    await stage.insert('credential', tenant.owner, { did: 'did:x:1' });
    await stage.insert('presentation', tenant.owner, { did: 'did:x:2' });
  });

  it.each(TABLES)('of %s shows nothing outside a tenant, and holds for the owner of the table too', async (table) => {
    const sql = `SELECT count(*)::int AS count FROM wallet_store.${table}`;
    expect(await stage.database.query(sql)).toEqual([{ count: 0 }]);
    const foreign = await stage.newTenant();
    const rows = await stage.asTenant(foreign.id, (query) => query(`SELECT tenant_id FROM wallet_store.${table}`));
    for (const row of rows) expect(row).toEqual({ tenant_id: foreign.id });
    const own = await stage.asTenant(tenant.id, (query) => query<{ count: number }>(sql));
    expect(own[0]?.count).toBeGreaterThan(0);
  });

  it('is on every table with a tenant_id that requests are answered from', async () => {
    const rows = await stage.outside<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.relnamespace = 'wallet_store'::regnamespace AND c.relkind = 'r' AND a.attname = 'tenant_id'
         AND NOT (c.relrowsecurity AND c.relforcerowsecurity)`,
    );
    // The one that says which tenant a request is of.
    expect(rows).toEqual([{ name: 'api_key' }]);
  });

  it('does not let a tenant write rows of another', async () => {
    const foreign = await stage.newTenant();
    const moved = stage.asTenant(tenant.id, (query) =>
      query('UPDATE wallet_store.wallet SET tenant_id = $1 WHERE did = $2', [foreign.id, tenant.owner.walletDid]),
    );
    await expect(moved).rejects.toThrow(expect.objectContaining({ sqlState: '42501' }));
  });

  it('is not bypassed by the role of the service, and its tenant ends with the transaction', async () => {
    const [role] = await stage.database.query(
      'SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user',
    );
    expect(role).toEqual({ rolsuper: false, rolbypassrls: false });
    await stage.asTenant(tenant.id, (query) => query('SELECT 1'));
    const settings = await Promise.all(
      Array.from({ length: 20 }, () =>
        stage.database.query<{ tenant: string | null }>(`SELECT current_setting('vestibule.tenant', true) AS tenant`),
      ),
    );
    for (const [row] of settings) expect(row?.tenant ?? '').toBe('');
  });
});
