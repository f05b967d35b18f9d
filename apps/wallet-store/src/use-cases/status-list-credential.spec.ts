import { randomBytes } from 'node:crypto';
import { canonicalize, createDidKey, verifyStatusListCredential } from '@vestibule/vcdm';
import type { StatusListName, StatusListPublication, StatusListState } from '../domain/status-lists';
import { getStatusListCredential, publishStatusList, withOwnStatusLists } from './status-list-credential';

const BASE_URL = 'https://connector.example';
const START = new Date('2026-03-01T12:00:00Z');
const HOUR = 3_600_000;
const NAME: StatusListName = { tenant: '6f7a6f3e-3f1e-4a53-9d5f-0b7f2f6d4d11', listId: 'A'.repeat(22) };
const KEY = createDidKey(randomBytes);
const contexts = { find: () => Promise.resolve(undefined), isOwn: () => false, findTexts: () => Promise.resolve([]) };
const notFound = expect.objectContaining({ code: 'credential_status_list_not_found' });

/** One list in memory, a clock that can be set, and how often the list was signed. */
function open() {
  const list: { -readonly [Name in keyof StatusListState]: StatusListState[Name] } = {
    entityDid: KEY.did,
    purpose: 'revocation',
    version: 0,
    size: 131_072,
    set: [],
  };
  const stage = {
    now: START,
    signatures: 0,
    list,
    kept: undefined as StatusListPublication | undefined,
    /** Signing waits for this. */
    held: undefined as Promise<void> | undefined,
  };
  const clock = () => stage.now;
  const publish = publishStatusList({
    clock,
    baseUrl: BASE_URL,
    findList: (_asker, { listId }) => Promise.resolve(listId === NAME.listId ? { ...list } : undefined),
    publish: (_name, publication) => Promise.resolve(void (stage.kept = publication)),
    async findEntityKey() {
      stage.signatures += 1;
      await stage.held;
      return KEY;
    },
    understand: () => ({
      contexts,
      statusLists: { find: () => Promise.reject(new Error('no list is read')), issuers: new Set() },
      canonicalize,
    }),
  });
  const get = getStatusListCredential({
    clock,
    findPublished: () => Promise.resolve({ version: list.version, published: stage.kept, databaseAt: START }),
    publishStatusList: publish,
  });
  return { stage, publish, get };
}

describe('a status list credential', () => {
  it('is signed at the first request, kept, and served from then on', async () => {
    const { stage, get } = open();
    const first = await get(NAME);
    expect(await get(NAME)).toEqual(first);
    expect([stage.signatures, first.json]).toEqual([1, stage.kept?.document]);
    const url = `${BASE_URL}/credential-status/${NAME.tenant}/${NAME.listId}`;
    const document: unknown = JSON.parse(first.json ?? '');
    await verifyStatusListCredential(document, url, { now: START, skewSeconds: 0, contexts, canonicalize });
    expect(document).toMatchObject({ validFrom: '2026-03-01T12:00:00Z', validUntil: '2026-03-02T12:00:00Z' });
  });

  it('is signed anew after a change, and twice a day without one', async () => {
    const { stage, get } = open();
    const { etag } = await get(NAME);
    stage.list.version += 1;
    stage.list.set = [7];
    const changed = await get({ ...NAME, knownEtag: etag });
    expect(changed.etag).not.toBe(etag);
    stage.now = new Date(START.getTime() + 11 * HOUR);
    expect(await get({ ...NAME, knownEtag: changed.etag })).toEqual({ etag: changed.etag, maxAgeSeconds: 60 });
    stage.now = new Date(START.getTime() + 12 * HOUR);
    const later = await get({ ...NAME, knownEtag: changed.etag });
    expect(JSON.parse(later.json ?? '')).toMatchObject({ validUntil: '2026-03-03T00:00:00Z' });
    expect(stage.signatures).toBe(3);
  });

  it('has a change from before the question, although a signature without it was under way', async () => {
    const { stage, get } = open();
    let release: () => void = () => undefined;
    stage.held = new Promise((resolve) => (release = resolve));
    const before = get(NAME);
    await new Promise((resolve) => setImmediate(resolve));
    stage.list.version += 1;
    stage.list.set = [7];
    const after = get(NAME);
    release();
    const [first, second] = [await before, await after];
    expect(second.etag).not.toBe(first.etag);
    expect(stage.signatures).toBe(2);
  });

  it('is replaced at once where a clock was a day ahead when it was signed, and never by a replica that is behind', async () => {
    const { stage, get } = open();
    stage.now = new Date(START.getTime() + 24 * HOUR);
    await get(NAME);
    stage.now = START;
    expect(JSON.parse((await get(NAME)).json ?? '')).toMatchObject({ validFrom: '2026-03-01T12:00:00Z' });
    stage.now = new Date(START.getTime() - 24 * HOUR);
    expect(JSON.parse((await get(NAME)).json ?? '')).toMatchObject({ validFrom: '2026-03-01T12:00:00Z' });
    expect(stage.signatures).toBe(2);
  });

  it('is signed once for all who ask together, and again after a failure', async () => {
    const { stage, publish } = open();
    const many = await Promise.all(Array.from({ length: 20 }, () => publish(NAME)));
    expect([new Set(many).size, stage.signatures]).toEqual([1, 1]);
    const missing = { ...NAME, listId: 'B'.repeat(21) + 'A' };
    await expect(publish(missing)).rejects.toEqual(notFound);
    await expect(publish(missing)).rejects.toEqual(notFound);
  });

  it.each([
    { ...NAME, tenant: 'default' },
    { ...NAME, listId: 'short' },
    { ...NAME, listId: `${'A'.repeat(21)}B` },
  ])('is not looked for under a name that no list can have: %j', async (name) => {
    await expect(open().get(name)).rejects.toEqual(notFound);
  });
});

describe('status lists of others', () => {
  it('are asked for under every address that is not of this service', async () => {
    const asked: string[] = [];
    const others = {
      find: (url: string) => Promise.reject(new Error(String(asked.push(url)))),
      issuers: new Set(['x']),
    };
    const findList = () => Promise.resolve(undefined);
    const lists = withOwnStatusLists({ baseUrl: BASE_URL, clock: () => START, findList }, NAME.tenant, others);
    const own = `${BASE_URL}/credential-status/${NAME.tenant}/${NAME.listId}`;
    const foreign = [
      `${own}/`,
      `${own}?x`,
      `https://connector.example.evil.example${own.slice(BASE_URL.length)}`,
      `${BASE_URL}/credential-statusx/${NAME.tenant}/${NAME.listId}`,
      own.toUpperCase(),
    ];
    for (const url of foreign) await expect(lists.find(url)).rejects.toThrow();
    expect(asked).toEqual(foreign);
    await expect(lists.find(own)).rejects.toEqual(expect.objectContaining({ code: 'vc_status_list_invalid' }));
    expect([asked.length, lists.issuers]).toEqual([foreign.length, others.issuers]);
  });
});
