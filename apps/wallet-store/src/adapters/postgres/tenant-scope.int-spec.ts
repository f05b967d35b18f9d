import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { BADGE, openSchemas, VALUES, type SchemaStage } from '../../testing/schemas.fixture-spec';

jest.setTimeout(180_000);

/** What a connection was asked, in the order of asking. */
interface Asked {
  readonly connection: object;
  readonly sql: string;
}

const SECURED = /"?wallet_store"?\."?(entity|wallet|credential|presentation|claims_schema|published_schema)"?\b/;
const BINDS = /set_config\('vestibule\.tenant'/;
const ENDS = /^(COMMIT|ROLLBACK)/;

/** Statements on tables of tenants that ran on a connection which was bound to no tenant at that moment. */
function unbound(asked: readonly Asked[]): readonly string[] {
  const bound = new Set<object>();
  const found: string[] = [];
  for (const { connection, sql } of asked) {
    if (BINDS.test(sql)) bound.add(connection);
    if (ENDS.test(sql)) bound.delete(connection);
    if (SECURED.test(sql) && !bound.has(connection)) found.push(sql);
  }
  return found;
}

let stage: SchemaStage;
let asked: Asked[] = [];
// Before the first connection is made: each keeps the way in which it asks.
beforeAll(async () => {
  const ask = Client.prototype.query as (this: Client, ...question: unknown[]) => unknown;
  jest.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...question: unknown[]) {
    const [statement] = question as [string | { readonly text: string }];
    asked.push({ connection: this, sql: typeof statement === 'string' ? statement : statement.text });
    return ask.apply(this, question) as never;
  });
  stage = await openSchemas();
});
beforeEach(() => {
  asked = [];
});
afterAll(async () => {
  await stage.close();
  jest.restoreAllMocks();
});

/** Every port of every store, as use cases reach them. */
async function useEverything(): Promise<void> {
  const { store, schemas, asTenant, publishBadge } = stage;
  const idempotencyKey = randomBytes(16).toString('hex');
  const { apiKeyDigest, owner } = await stage.newTenant();
  await stage.insert('credential', owner, { did: `did:x:${idempotencyKey}` });
  await store.createEntity({ apiKeyDigest, idempotencyKey });
  const { EntityDid } = await store.createEntity({ apiKeyDigest, idempotencyKey });
  const { WalletDid } = await store.createWallet({ apiKeyDigest, entityDid: EntityDid });
  const credentialDids = [`did:x:${idempotencyKey}`];
  const { PresentationDid } = await store.createPresentation({ apiKeyDigest, ...owner, credentialDids });
  await store.getPresentation({ apiKeyDigest, ...owner, presentationDid: PresentationDid, queryMode: 'All' });
  await store.listCredentials({ apiKeyDigest, ...owner, queryMode: 'Held', getBodies: true, limit: 10 });
  await stage.draftDeps.findEntityKey(stage.tenant.id, EntityDid);
  await store.abandonPresentation({ apiKeyDigest, presentationDid: PresentationDid });
  await expect(
    store.presentPresentation({
      apiKeyDigest,
      entityDid: EntityDid,
      walletDid: WalletDid,
      presentationDid: PresentationDid,
    }),
  ).rejects.toMatchObject({ code: 'transition_forbidden' });
  const { id } = await schemas.createSchema({ ...asTenant(), body: { data: { schema: BADGE } } });
  await schemas.updateSchema({ ...asTenant(), id, body: { labels: { a: 'b' } } });
  const { data } = await publishBadge(`badge-${idempotencyKey.slice(0, 8)}`);
  const body = { data: { meta_schema: data['meta_schema'], values: VALUES } } as never;
  const draft = await schemas.createDraft({ ...asTenant(), body });
  await schemas.issueDraft({ ...asTenant(), id: draft.id, body: {} });
  await schemas.searchDrafts({ ...asTenant(), body: {} });
  await schemas.searchSchemas({ ...asTenant(), body: {} });
  await schemas.searchPublishedSchemas({ ...asTenant(), body: {} });
}

it('every statement on a table of tenants runs on the connection and in the transaction that is bound to the tenant', async () => {
  await Promise.all([useEverything(), useEverything()]);
  const ours = asked.filter(({ connection }) => !isOutside(connection));
  expect(ours.filter(({ sql }) => SECURED.test(sql)).length).toBeGreaterThan(40);
  expect(new Set(ours.map(({ connection }) => connection)).size).toBeGreaterThan(1);
  expect(unbound(ours)).toEqual([]);
});

/** The superuser with whom a test looks at everything. */
const isOutside = (connection: object) => {
  const { user } = connection as Client;
  return !user?.includes('wallet_store');
};

it('a statement on another connection than that of its transaction would be noticed, and shows nothing', async () => {
  await useEverything();
  asked = [];
  const outside = await stage.queryAs(stage.tenant.id, () =>
    stage.database.query('SELECT did FROM wallet_store.entity'),
  );
  expect(outside).toEqual([]);
  expect(unbound(asked)).toEqual(['SELECT did FROM wallet_store.entity']);
});
