import type { ContentQuery } from '../domain/content';
import type { ContentRecord } from '../domain/records';
import { getContent, listContent, type ReadContentDeps } from './read-content';

const owner = { entityDid: 'did:x:e', walletDid: 'did:x:w' };
const code = (expected: string) => expect.objectContaining({ code: expected });

const record = (index: number): ContentRecord => ({
  did: `did:x:${index}`,
  state: 'issued',
  ...owner,
  types: [],
  labels: {},
  annotations: {},
  revision: 1,
  createdAt: new Date(Date.UTC(2026, 2, 1, 12, 0, 0, index)),
  updatedAt: new Date(Date.UTC(2026, 2, 1)),
});

function store(count = 0) {
  const queries: ContentQuery[] = [];
  const deps: ReadContentDeps = {
    findTenant: (digest) => Promise.resolve(digest === 'known' ? 'tenant-1' : undefined),
    ownsWallet: (_tenant, { entityDid, walletDid }) =>
      Promise.resolve(entityDid === owner.entityDid && walletDid === owner.walletDid),
    findOne: (_tenant, { did }) => Promise.resolve(did === 'did:x:0' ? record(0) : undefined),
    findPage: (_tenant, query) => {
      queries.push(query);
      const from = query.after ? Number(query.after.did.slice('did:x:'.length)) + 1 : 0;
      const all = Array.from({ length: count }, (_, index) => record(index));
      const records = all.slice(from, from + query.limit);
      return Promise.resolve({ records, hasMore: from + query.limit < count });
    },
  };
  return { deps, queries };
}

const page = { apiKeyDigest: 'known', ...owner, queryMode: 'All' as const, getBodies: false, limit: 2 };
const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('listContent', () => {
  it('goes through all pages without a gap or a repeat, and the last one has no cursor', async () => {
    const list = listContent(store(5).deps);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { records, nextCursor } = await list({ ...page, cursor });
      seen.push(...records.map(({ did }) => did));
      expect(records.length).toBeLessThanOrEqual(2);
      cursor = nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(['did:x:0', 'did:x:1', 'did:x:2', 'did:x:3', 'did:x:4']);
  });

  it('gives no cursor for a page that is exactly full', async () => {
    expect((await listContent(store(2).deps)(page)).nextCursor).toBeUndefined();
    expect((await listContent(store(3).deps)(page)).nextCursor).toBeDefined();
  });

  it.each<[string, string]>([
    ['text', 'x'],
    ['no base64url', '$$'],
    ['no JSON', Buffer.from('{').toString('base64url')],
    ['a list', cursorOf([])],
    ['no DID', cursorOf({ createdAt: '2026-03-01T12:00:00.000Z' })],
    ['a DID with NUL', cursorOf({ createdAt: '2026-03-01T12:00:00.000Z', did: 'did:x:\u0000' })],
    ['a year alone', cursorOf({ createdAt: '2026', did: 'did:x:1' })],
    ['a number as text', cursorOf({ createdAt: '1', did: 'did:x:1' })],
    ['a day that does not exist', cursorOf({ createdAt: '2026-02-30T12:00:00.000Z', did: 'did:x:1' })],
    ['the year 0', cursorOf({ createdAt: '0000-01-01T00:00:00.000Z', did: 'did:x:1' })],
    ['a year of six digits', cursorOf({ createdAt: '+275760-09-13T00:00:00.000Z', did: 'did:x:1' })],
  ])('refuses a cursor of %s without asking the store', async (_what, cursor) => {
    const { deps, queries } = store(3);
    const listing = listContent(deps)({ ...page, cursor });
    await expect(listing).rejects.toThrow(
      expect.objectContaining({ code: 'invalid_request', faults: [expect.objectContaining({ path: 'cursor' })] }),
    );
    expect(queries).toEqual([]);
  });
});

describe('reads', () => {
  const get = { apiKeyDigest: 'known', ...owner, did: 'did:x:0', queryMode: 'All' as const };

  it('answer one record of an owned wallet', async () => {
    await expect(getContent('credential', store().deps)(get)).resolves.toEqual(record(0));
  });

  it.each(['credential', 'presentation'] as const)('say %s_not_found for what the wallet has not', async (kind) => {
    for (const did of ['did:x:9', 'did:x:0\u0000']) {
      await expect(getContent(kind, store().deps)({ ...get, did })).rejects.toThrow(code(`${kind}_not_found`));
    }
  });

  it.each([
    { entityDid: 'did:x:foreign' },
    { walletDid: 'did:x:foreign' },
    { entityDid: 'did:x:e\u0000' },
    { walletDid: '\u0000' },
  ])('say wallet_not_found for %j, singly and in lists', async (change) => {
    const { deps, queries } = store(3);
    await expect(getContent('credential', deps)({ ...get, ...change })).rejects.toThrow(code('wallet_not_found'));
    await expect(listContent(deps)({ ...page, ...change })).rejects.toThrow(code('wallet_not_found'));
    expect(queries).toEqual([]);
  });

  it.each([
    [{}, /credential$/],
    [{ revision: 2 }, /credential with this revision$/],
    [{ queryMode: 'Held' as const }, /credential with this queryMode$/],
    [{ revision: 2, queryMode: 'Presented' as const }, /credential with this revision and queryMode$/],
  ])('say which parameter may be in the way: %j', async (change, sentence) => {
    const asked = { ...get, did: 'did:x:absent', ...change };
    await expect(getContent('credential', store().deps)(asked)).rejects.toThrow(sentence);
  });

  it('judge the API key first', async () => {
    const change = { apiKeyDigest: 'unknown', walletDid: 'did:x:foreign' };
    const { deps } = store(3);
    await expect(getContent('credential', deps)({ ...get, ...change })).rejects.toThrow(code('api_key_invalid'));
    await expect(listContent(deps)({ ...page, ...change })).rejects.toThrow(code('api_key_invalid'));
  });
});
