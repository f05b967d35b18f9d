import { PAGE_BYTES } from './adapters/postgres/page-of-bytes';
import { openSchemas, type SchemaStage } from './testing/schemas.fixture-spec';
import type { Tenant } from './testing/wallet-store.fixture-spec';

jest.setTimeout(120_000);

let stage: SchemaStage;
beforeAll(async () => (stage = await openSchemas()));
afterAll(() => stage.close());

const KIB = 1_024;
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
/** Compresses to almost nothing, so that what Postgres stores says little about what is answered. */
const filler = (bytes: number) => 'x'.repeat(bytes);

type Kind = 'credential' | 'presentation';

async function fill(tenant: Tenant, kind: Kind, sizes: readonly number[]): Promise<string[]> {
  const dids = sizes.map((_, index) => `did:x:${kind}-${String(index).padStart(4, '0')}`);
  for (const [index, size] of sizes.entries()) {
    const did = dids[index] as string;
    const createdAt = `'2026-03-01T12:00:00Z'::timestamptz + interval '${index} seconds'`;
    await stage.insert(kind, tenant.owner, { did, body: { id: did, filler: filler(size) }, createdAt });
  }
  return dids;
}

interface Walk {
  readonly seen: string[];
  /** Of each page: its items and its bytes. */
  readonly pages: { readonly items: number; readonly bytes: number }[];
}

async function walk(
  page: (cursor: string | undefined) => Promise<{ items: { id: string }[]; next?: string | undefined }>,
) {
  const result: Walk = { seen: [], pages: [] };
  let cursor: string | undefined;
  do {
    const { items, next } = await page(cursor);
    result.seen.push(...items.map(({ id }) => id));
    result.pages.push({ items: items.length, bytes: bytesOf(items) });
    cursor = next;
  } while (cursor !== undefined);
  return result;
}

function listing(tenant: Tenant, kind: Kind, limit: number, getBodies = true) {
  const input = { apiKeyDigest: tenant.apiKeyDigest, ...tenant.owner, queryMode: 'All' as const, getBodies, limit };
  return walk(async (cursor) => {
    if (kind === 'credential') {
      const { items, nextCursor: next } = await stage.store.listCredentials({ ...input, cursor });
      return { items: items.map((item) => ({ id: item.CredentialDid, ...item })), next };
    }
    const { items, nextCursor: next } = await stage.store.listPresentations({ ...input, cursor });
    return { items: items.map((item) => ({ id: item.PresentationDid, ...item })), next };
  });
}

/** With room for the names of members around what is counted. */
function expectBounded({ pages }: Walk, limit: number): void {
  for (const { items, bytes } of pages) {
    expect(items).toBeGreaterThan(0);
    expect(items).toBeLessThanOrEqual(limit);
    if (items > 1) expect(bytes).toBeLessThan(PAGE_BYTES + items * KIB);
  }
}

describe('a page of a list with bodies', () => {
  it.each(['credential', 'presentation'] as const)(
    'of %ss is bounded in bytes, and the pages have everything once and in order',
    async (kind) => {
      const tenant = await stage.newTenant();
      const sizes = Array.from({ length: 60 }, (_, index) => (index % 7 === 0 ? 200 : index % 3 === 0 ? 90 : 3) * KIB);
      const dids = await fill(tenant, kind, sizes);
      const all = await listing(tenant, kind, 1_000);
      expect(all.seen).toEqual(dids);
      expectBounded(all, 1_000);
      expect(all.pages.length).toBeGreaterThan(3);
      const small = await listing(tenant, kind, 2);
      expect(small.seen).toEqual(dids);
      expectBounded(small, 2);
      expect((await listing(tenant, kind, 1_000, false)).pages).toHaveLength(1);
    },
  );

  it('has one document where that alone is larger, first, last or between others', async () => {
    const tenant = await stage.newTenant();
    const dids = await fill(
      tenant,
      'credential',
      [900, 1, 900, 900, 1, 1, 900].map((size) => size * KIB),
    );
    const { seen, pages } = await listing(tenant, 'credential', 1_000);
    expect(seen).toEqual(dids);
    expect(pages.map(({ items }) => items)).toEqual([1, 1, 1, 1, 2, 1]);
  });

  it('counts what is answered, not what is stored: annotations that compress well, without bodies', async () => {
    const tenant = await stage.newTenant();
    const dids = await fill(
      tenant,
      'credential',
      Array.from({ length: 40 }, () => 1),
    );
    const annotations = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`k${at}`, filler(4_000)]));
    await stage.outside('UPDATE wallet_store.credential SET annotations = $1 WHERE wallet_did = $2', [
      JSON.stringify(annotations),
      tenant.owner.walletDid,
    ]);
    const found = await listing(tenant, 'credential', 1_000, false);
    expect(found.seen).toEqual(dids);
    expectBounded(found, 1_000);
    expect(found.pages.length).toBeGreaterThan(15);
  });

  it('counts each type', async () => {
    const tenant = await stage.newTenant();
    await fill(
      tenant,
      'credential',
      Array.from({ length: 10 }, () => 1),
    );
    await stage.outside('UPDATE wallet_store.credential SET types = $1 WHERE wallet_did = $2', [
      Array.from({ length: 2_000 }, (_, at) => `VerifiableCredentialWithALongName${'x'.repeat(40)}${at}`),
      tenant.owner.walletDid,
    ]);
    const found = await listing(tenant, 'credential', 1_000, false);
    expectBounded(found, 1_000);
    expect(found.pages.length).toBeGreaterThan(2);
  });
});

describe('a page of a search', () => {
  it.each([
    ['ASC', undefined],
    ['DESC', 7],
  ])('of drafts is bounded in bytes too, sorted %s, with limit %s', async (order, limit = 1_000) => {
    const names = Array.from({ length: 20 }, (_, at) => `text_${at}`);
    const schema = { schema: { fields: names.map((name) => ({ kind: 'STRING', value: { name } })) } };
    const values = Object.fromEntries(names.map((name) => [name, { kind: 'STRING', value: filler(3 * KIB) }]));
    const label = `drafts-${order}`;
    const made: string[] = [];
    for (let index = 0; index < 24; index += 1) {
      const body = { data: { schema, values }, labels: { label } };
      made.push((await stage.schemas.createDraft({ ...stage.asTenant(), body: body as never })).id);
    }
    const sort = [{ field: 'created_at', order }];
    const found = await walk(async (cursor) => {
      const filter = [{ labels: { label: { operator: 'EQUAL', value: label } } }];
      const body = { filter, sort, limit, ...(cursor === undefined ? {} : { cursor }) };
      const page = await stage.schemas.searchDrafts({ ...stage.asTenant(), body: body as never });
      return { items: page.items, next: page.next_cursor };
    });
    expect([...found.seen].sort()).toEqual([...made].sort());
    expectBounded(found, limit);
    expect(found.pages.length).toBeGreaterThan(2);
  });

  it('of schemas, published or not, is bounded in bytes too', async () => {
    const fields = Array.from({ length: 400 }, (_, at) => ({
      kind: 'STRING',
      value: { name: `claim_${at}`, title: filler(200) },
    }));
    const published: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      const { id } = await stage.schemas.createSchema({
        ...stage.asTenant(),
        body: { data: { schema: { fields } } } as never,
      });
      await stage.schemas.publishSchema({ ...stage.asTenant(), id, body: { slug: `large-${index}` } });
      published.push(id);
    }
    for (const search of [stage.schemas.searchSchemas, stage.schemas.searchPublishedSchemas]) {
      const found = await walk(async (cursor) => {
        const body = { limit: 1_000, ...(cursor === undefined ? {} : { cursor }) };
        const page = await search({ ...stage.asTenant(), body: body as never });
        return { items: page.items, next: page.next_cursor };
      });
      expect(new Set(found.seen).size).toBe(found.seen.length);
      expect(found.seen).toHaveLength(published.length);
      expectBounded(found, 1_000);
      expect(found.pages.length).toBeGreaterThan(1);
    }
  });
});

describe('a presentation', () => {
  const create = (tenant: Tenant, credentialDids: readonly string[]) =>
    stage.store.createPresentation({ apiKeyDigest: tenant.apiKeyDigest, ...tenant.owner, credentialDids });

  it('has at most 1 MiB of credentials; beyond it none of them is read, and nothing is stored', async () => {
    const tenant = await stage.newTenant();
    const dids = await fill(
      tenant,
      'credential',
      Array.from({ length: 6 }, () => 200 * KIB),
    );
    const refused = expect.objectContaining({
      code: 'invalid_request',
      faults: [expect.objectContaining({ path: 'CredentialDids' })],
    });
    await expect(create(tenant, dids)).rejects.toThrow(refused);
    expect((await listing(tenant, 'presentation', 10)).seen).toEqual([]);
    expect((await create(tenant, dids.slice(1))).State).toBe('draft');
  });

  it('is refused at its edge and not before it', async () => {
    const tenant = await stage.newTenant();
    const [did = ''] = await fill(tenant, 'credential', [1]);
    const pad = (bytes: number) =>
      stage.outside(
        `UPDATE wallet_store.credential SET body = (SELECT decode(repeat('00', $2::int), 'hex')) WHERE did = $1 AND wallet_did = $3`,
        [did, bytes, tenant.owner.walletDid],
      );
    await pad(1_048_577);
    await expect(create(tenant, [did])).rejects.toThrow(expect.objectContaining({ code: 'invalid_request' }));
    await pad(1_048_576);
    // Read, and no document: the bytes were not the reason.
    await expect(create(tenant, [did])).rejects.not.toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
