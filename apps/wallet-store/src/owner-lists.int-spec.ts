import { searchAsTenant } from './adapters/postgres/tenant-scope';
import { openWalletStore, type Tenant, type WalletStoreStage } from './testing/wallet-store.fixture-spec';

const COUNT = 1_000;
let stage: WalletStoreStage;
let tenant: Tenant;
const statements: string[] = [];

beforeAll(async () => {
  stage = await openWalletStore({
    rewrite: (sql) => {
      statements.push(sql);
      return sql;
    },
  });
  tenant = await stage.newTenant();
  const others = [await stage.newTenant(), await stage.newTenant()];
  for (const { id } of [tenant, ...others]) {
    // Groups of ten share an instant, and instants are finer than milliseconds: the cursor must cope with both.
    const made = `'2026-03-01T12:00:00.0004Z'::timestamptz + (n / 10) * interval '1 millisecond'`;
    await stage.outside(
      `INSERT INTO wallet_store.entity (did, tenant_id, private_key, revision, created_at, updated_at)
       SELECT 'did:x:e' || n || $1::uuid, $1::uuid, '', 1, ${made}, now() FROM generate_series(1, ${COUNT}) AS n`,
      [id],
    );
    await stage.outside(
      `INSERT INTO wallet_store.wallet (did, tenant_id, entity_did, private_key, revision, created_at, updated_at)
       SELECT 'did:x:w' || n || $1::uuid, $1::uuid, 'did:x:e' || (n % 100 + 1) || $1::uuid, '', 1, ${made}, now()
       FROM generate_series(1, ${COUNT}) AS n`,
      [id],
    );
  }
  await stage.outside('ANALYZE wallet_store.entity, wallet_store.wallet');
});
afterAll(() => stage.close());

async function walk<Item>(limit: number, read: (page: { limit: number; cursor?: string }) => Promise<Page<Item>>) {
  const items: Item[] = [];
  let page = await read({ limit });
  items.push(...page.items);
  while (page.nextCursor !== undefined) {
    page = await read({ limit, cursor: page.nextCursor });
    items.push(...page.items);
  }
  return items;
}
interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}

const entities = (limit: number) =>
  walk(limit, (page) => stage.store.listEntities({ apiKeyDigest: tenant.apiKeyDigest, ...page }));
const wallets = (limit: number, entityDid?: string) =>
  walk(limit, (page) => stage.store.listWallets({ apiKeyDigest: tenant.apiKeyDigest, entityDid, ...page }));

describe('17.14 lists of entities and wallets', () => {
  it.each([7, 100, 999, 1_000])('in pages of %i have each of the tenant once, oldest first', async (limit) => {
    const [owners, held] = [await entities(limit), await wallets(limit)];
    expect(new Set(owners.map(({ EntityDid }) => EntityDid)).size).toBe(COUNT + 1);
    expect(new Set(held.map(({ WalletDid }) => WalletDid)).size).toBe(COUNT + 1);
    expect([owners.length, held.length]).toEqual([COUNT + 1, COUNT + 1]);
    for (const list of [owners, held]) {
      const times = list.map(({ Created }) => Created);
      expect(times).toEqual([...times].sort());
    }
    expect(owners.every(({ EntityDid }) => EntityDid === tenant.owner.entityDid || EntityDid.endsWith(tenant.id))).toBe(
      true,
    );
  });

  it('of the wallets of one entity have only those', async () => {
    const entityDid = `did:x:e7${tenant.id}`;
    const found = await wallets(3, entityDid);
    expect(found).toHaveLength(COUNT / 100);
    for (const { EntityDid } of found) expect(EntityDid).toBe(entityDid);
  });

  it('never have the key', async () => {
    statements.length = 0;
    await entities(1_000);
    await wallets(1_000);
    expect(statements.join('\n')).not.toContain('private_key');
  });

  it.each(['x', 'e30', Buffer.from('{"createdAt":"2026-02-30T00:00:00.000Z","did":"a"}').toString('base64url')])(
    'refuse the cursor %s',
    async (cursor) => {
      const refused = expect.objectContaining({ code: 'invalid_request' });
      const page = { apiKeyDigest: tenant.apiKeyDigest, limit: 1, cursor };
      await expect(stage.store.listEntities(page)).rejects.toThrow(refused);
      await expect(stage.store.listWallets(page)).rejects.toThrow(refused);
    },
  );

  it('read each page from an index, without sorting', async () => {
    const { id } = tenant;
    const after = { createdAt: '2026-03-01T12:00:00.050Z', did: 'did:x:a' };
    const entityDid = `did:x:e7${id}`;
    statements.length = 0;
    const { wallets: store } = stage.adapters;
    await store.findEntities(id, { limit: 10, after });
    await store.findWallets(id, { limit: 10, after, entityDid: undefined });
    await store.findWallets(id, { limit: 10, after, entityDid });
    const [ofEntities, ofWallets, ofEntity] = statements.filter((sql) => sql.includes('ORDER BY'));
    const position = [after.createdAt, after.did];
    expect(await planOf(ofEntities, [id, ...position])).toContain('entity_list');
    expect(await planOf(ofWallets, [id, ...position])).toContain('wallet_list');
    expect(await planOf(ofEntity, [id, entityDid, ...position])).toContain('wallet_entity');
  });
});

/** The plan of a statement as the tenant. Few rows would be sorted at less cost, so the planner is told to avoid that. */
async function planOf(sql: string | undefined, parameters: readonly unknown[]): Promise<string> {
  const rows = await searchAsTenant(stage.database, tenant.id, async ({ query }) => {
    await query(`SELECT set_config(name, 'off', true) FROM unnest(ARRAY['enable_sort', 'enable_bitmapscan']) AS name`);
    return query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql ?? ''}`, parameters);
  });
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).not.toContain('Sort');
  return plan;
}
