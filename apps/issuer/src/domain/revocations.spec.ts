import { generateKeyPairSync } from 'node:crypto';
import { sha256Base64url, signCompactJws, signEs256 } from '@vestibule/crypto';
import { statusListUrl } from '@vestibule/oid4vci';
import { packStatuses, signStatusListToken, STATUS_INVALID, STATUS_SUSPENDED } from '@vestibule/status-list';
import { createRevocationMemory, lostRevocations } from './revocations';

const ISSUER_URL = 'https://issuer.example';
const LIST = 'list';
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const TERMS = { expiresAt: new Date('2026-06-02T12:00:00Z'), ttlSeconds: 300 };

async function publication(revoked: readonly number[], listId = LIST) {
  const entries = [{ idx: 9, status: STATUS_SUSPENDED }, ...revoked.map((idx) => ({ idx, status: STATUS_INVALID }))];
  const token = await signStatusListToken({
    ...TERMS,
    uri: statusListUrl(ISSUER_URL, listId),
    issuedAt: new Date('2026-06-01T12:00:00Z'),
    list: packStatuses(1024, 2, entries),
    x5c: ['MIIB'],
    signer: (input) => signEs256(privateKey, input),
  });
  return { token, etag: sha256Base64url(token) };
}

it('what was revoked before and is not now is lost, whatever else is', () => {
  const entries = [
    { idx: 1, status: STATUS_INVALID },
    { idx: 2, status: STATUS_SUSPENDED },
  ];
  expect(lostRevocations(entries, [1, 2], [2, 3])).toEqual([2, 3]);
});

describe('what a process has seen revoked', () => {
  it('is what the last publication that it admitted says', async () => {
    const memory = createRevocationMemory(ISSUER_URL);
    const first = await publication([1, 2]);
    expect(memory.publishedIn(LIST, first.token)).toEqual([1, 2]);
    expect(memory.admit(LIST, first)).toEqual(TERMS);
    expect(memory.revokedIn(LIST)).toEqual([1, 2]);
    expect([memory.hasSeenLast(LIST, first.etag), memory.hasSeenLast(LIST, undefined)]).toEqual([true, false]);
    expect(memory.admit(LIST, { etag: first.etag, token: undefined })).toEqual(TERMS);
    expect(memory.admit(LIST, { etag: 'other', token: undefined })).toBeUndefined();
  });

  it('is not forgotten for a publication that lacks it, but adds up', async () => {
    const memory = createRevocationMemory(ISSUER_URL);
    memory.keep(LIST, [1, 2]);
    for (const fewer of [[], [1], [1, 3]]) expect(memory.admit(LIST, await publication(fewer))).toBeUndefined();
    expect(memory.revokedIn(LIST)).toEqual([1, 2]);
    expect(memory.admit(LIST, await publication([1, 2, 3]))).toEqual(TERMS);
    expect(memory.revokedIn(LIST)).toEqual([1, 2, 3]);
  });

  it('comes from no other list, no other token than the one that is named, and none without its times', async () => {
    const memory = createRevocationMemory(ISSUER_URL);
    const other = await publication([1], 'other');
    const { token } = await publication([1]);
    const timeless = signCompactJws(
      { typ: 'statuslist+jwt' },
      { sub: statusListUrl(ISSUER_URL, LIST), iat: 1, status_list: { bits: 1, lst: 'eNpjAAAAAQAB' } },
      privateKey,
    );
    expect(memory.admit(LIST, other)).toBeUndefined();
    expect(memory.admit(LIST, { token, etag: other.etag })).toBeUndefined();
    expect(memory.admit(LIST, { token: timeless, etag: sha256Base64url(timeless) })).toBeUndefined();
    expect(memory.admit(LIST, { token: 'a.b.c', etag: sha256Base64url('a.b.c') })).toBeUndefined();
    expect([memory.publishedIn(LIST, other.token), memory.publishedIn(LIST, undefined)]).toEqual([[], []]);
    expect(memory.revokedIn(LIST)).toEqual([]);
  });
});
