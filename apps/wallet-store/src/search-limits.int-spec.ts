import { randomBytes } from 'node:crypto';
import { createSealer } from '@vestibule/crypto';
import { until } from '@vestibule/testkit';
import { draftSearch } from './adapters/postgres/draft-search';
import { asTenant, searchAsTenant, shareAmongTenants } from './adapters/postgres/tenant-scope';
import { openWalletStore, type WalletStoreStage } from './testing/wallet-store.fixture-spec';

jest.setTimeout(180_000);

const sealer = createSealer([randomBytes(32)], randomBytes);

let stage: WalletStoreStage;
beforeAll(async () => {
  stage = await openWalletStore();
});
afterAll(() => stage.close());

describe('a search', () => {
  it('ends after its own time limit with search_timeout, and its connection serves on with the usual one', async () => {
    const { database } = stage;
    const tenant = (await stage.newTenant()).id;
    const slow = searchAsTenant(database, tenant, ({ query }) => query('SELECT pg_sleep(60)'));
    await expect(slow).rejects.toMatchObject({ kind: 'unavailable', code: 'search_timeout' });
    const shown = await asTenant(database, tenant, ({ query }) => query<{ statement_timeout: string }>('SHOW statement_timeout')); // prettier-ignore
    expect(shown).toEqual([{ statement_timeout: '3s' }]);
    const [searching] = await searchAsTenant(database, tenant, ({ query }) => query<{ statement_timeout: string }>('SHOW statement_timeout')); // prettier-ignore
    expect(searching).toEqual({ statement_timeout: '2s' });
  });

  it('leaves no prepared statement in Postgres, whatever order a caller chooses', async () => {
    const { database, adapters } = stage;
    const tenant = (await stage.newTenant()).id;
    const left = `SELECT count(*)::int AS count, pg_backend_pid() AS backend FROM pg_prepared_statements WHERE statement ~ 'sort_[0]'`;
    const sorts = ['id', 'created_at', 'slug'].flatMap((field) =>
      [true, false].map((descending) => [{ field, descending }]),
    );
    for (const sort of sorts) {
      const search = { list: 'schemas' as const, entries: undefined, sort, limit: 10, after: undefined };
      expect(await adapters.schemas.searchSchemas(tenant, search)).toEqual({ found: [], hasMore: false });
      expect(await adapters.schemas.searchPublished(tenant, search)).toEqual({ found: [], hasMore: false });
      if (sort.some(({ field }) => field === 'slug')) continue;
      expect(await draftSearch(database, sealer)(tenant, search)).toEqual({ found: [], hasMore: false });
    }
    // Each looks at a connection of its own: together at all that have been used.
    const looks = await Promise.all(Array.from({ length: 10 }, () => database.query<{ count: number }>(left)));
    expect(looks.map(([row]) => row?.count)).toEqual(looks.map(() => 0));
  });

  it('sees the rows of its tenant alone', async () => {
    const { database } = stage;
    const tenant = (await stage.newTenant()).id;
    const [row] = await searchAsTenant(database, tenant, ({ query }) =>
      query<{ tenant: string }>(`SELECT current_setting('vestibule.tenant') AS tenant`),
    );
    expect(row).toEqual({ tenant });
  });
});

describe('a tenant that floods the store', () => {
  it('holds a third of the connections, and another tenant is answered meanwhile', async () => {
    const { database } = stage;
    const [flooding, other] = [(await stage.newTenant()).id, (await stage.newTenant()).id];
    shareAmongTenants(database, 9);
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let running = 0;
    let most = 0;
    const flood = Array.from({ length: 40 }, (_, index) =>
      (index % 2 === 0 ? searchAsTenant : asTenant)(database, flooding, async ({ query }) => {
        running += 1;
        most = Math.max(most, running);
        await gate;
        await query('SELECT 1');
        running -= 1;
      }).catch((error: { code: string }) => error.code),
    );
    await until(() => running === 3);
    // Nothing of the flood ends before the other tenant has its answer.
    expect(await searchAsTenant(database, other, ({ query }) => query('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
    open();
    const outcomes = await Promise.all(flood);
    expect(most).toBe(3);
    expect(new Set(outcomes.filter((one) => one !== undefined))).toEqual(
      new Set(outcomes.includes('tenant_busy') ? ['tenant_busy'] : []),
    );
  });
});
