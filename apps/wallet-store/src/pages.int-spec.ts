import { openWalletStore, type Tenant, type WalletStoreStage } from './testing/wallet-store.fixture-spec';

const COUNT = 1_000;
let stage: WalletStoreStage;
let tenant: Tenant;

beforeAll(async () => {
  stage = await openWalletStore();
  tenant = await stage.newTenant();
  // Groups of ten share an instant, and instants are finer than milliseconds: the cursor must cope with both.
  for (let from = 0; from < COUNT; from += 100) {
    const ten = (index: number) => Math.floor(index / 10);
    await Promise.all(
      Array.from({ length: 100 }, (_, offset) =>
        stage.insert('credential', tenant.owner, {
          did: `did:x:${from + offset}`,
          state: (from + offset) % 4 === 0 ? 'draft' : 'issued',
          createdAt: `'2026-03-01T12:00:00.0004Z'::timestamptz + interval '${ten(from + offset)} milliseconds'`,
        }),
      ),
    );
  }
});
afterAll(() => stage.close());

async function walk(limit: number, state?: 'draft') {
  const { apiKeyDigest, owner } = tenant;
  const seen: string[] = [];
  const sizes: number[] = [];
  let cursor: string | undefined;
  do {
    const input = { apiKeyDigest, ...owner, queryMode: 'All' as const, state, getBodies: false, limit, cursor };
    const page: Awaited<ReturnType<typeof stage.store.listCredentials>> = await stage.store.listCredentials(input);
    seen.push(...page.items.map(({ CredentialDid }) => CredentialDid));
    sizes.push(page.items.length);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return { seen, sizes };
}

describe('pages of 1,000 credentials', () => {
  it.each([
    [7, 143],
    [100, 10],
    [999, 2],
    [1_000, 1],
  ])('of %i are %i pages without a gap or a repeat', async (limit, pages) => {
    const { seen, sizes } = await walk(limit);
    expect([seen.length, new Set(seen).size]).toEqual([COUNT, COUNT]);
    expect(sizes).toHaveLength(pages);
    expect(Math.max(...sizes)).toBe(limit);
  });

  it('keep one order, oldest first', async () => {
    const [small, large] = [await walk(7), await walk(500)];
    expect(small.seen).toEqual(large.seen);
    const numbers = small.seen.map((did) => Math.floor(Number(did.slice('did:x:'.length)) / 10));
    expect(numbers).toEqual([...numbers].sort((left, right) => left - right));
  });

  it('go on with what comes later, and filter on every page', async () => {
    const drafts = await walk(33, 'draft');
    expect([drafts.seen.length, new Set(drafts.seen).size]).toEqual([COUNT / 4, COUNT / 4]);
    const { apiKeyDigest, owner } = tenant;
    const input = { apiKeyDigest, ...owner, queryMode: 'All' as const, getBodies: false, limit: 999 };
    const { nextCursor } = await stage.store.listCredentials(input);
    await stage.insert('credential', owner, { did: 'did:x:late' });
    const { items } = await stage.store.listCredentials({ ...input, cursor: nextCursor });
    expect(items.map(({ CredentialDid }) => CredentialDid).slice(1)).toEqual(['did:x:late']);
  });
});
