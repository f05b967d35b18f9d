import { gzipSync } from 'node:zlib';
import type { KeyPair } from '@digitalbazaar/ecdsa-multikey';
import { DomainError, type JsonObject } from '@vestibule/foundation';
import { knowing, verifying } from './testing/knowing.fixture-spec';
import {
  BITS,
  encodedList,
  entryOf,
  listOf,
  LIST_URL,
  servedLists,
  withStatus,
} from './testing/status-lists.fixture-spec';
import { CREDENTIALS, issueAsStranger, now, strangersKey, UNDEFINED_TERMS } from './testing/stranger.fixture-spec';
import { verifyCredential } from './verify-documents';
import { verifyStatusListCredential } from './verify-status';

let issuer: KeyPair;
let other: KeyPair;
beforeAll(async () => {
  issuer = await strangersKey();
  other = await strangersKey();
});

async function outcome(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'accepted';
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

/** Judges a credential with these statuses by lists that are served at their addresses. */
async function judged(
  status: JsonObject | JsonObject[],
  lists: Readonly<Record<string, unknown>>,
  trusted: readonly string[] = [],
): Promise<string> {
  const credential = await withStatus(issuer, status);
  return outcome(verifyCredential(credential, { ...verifying, statusLists: servedLists(lists, trusted) }));
}

const oneList = async (subject: JsonObject = {}, change: JsonObject = {}) => ({
  [LIST_URL]: await listOf(issuer, subject, change),
});

describe('a credential with a status', () => {
  it('is accepted while its bit is not set, and refused as revoked or suspended once it is', async () => {
    const [clear, set] = [encodedList([94_566, 94_568]), encodedList([94_567])];
    expect(await judged(entryOf(), await oneList({ encodedList: clear }))).toBe('accepted');
    expect(await judged(entryOf(), await oneList({ encodedList: set }))).toBe('vc_revoked');
    const suspension = { statusPurpose: 'suspension' };
    expect(await judged(entryOf(suspension), await oneList({ ...suspension, encodedList: set }))).toBe('vc_suspended');
  });

  it('may say that its entries have one bit, and only as a number', async () => {
    expect(await judged(entryOf({ statusSize: 1 }), await oneList())).toBe('accepted');
    expect(await judged(entryOf({ statusSize: '1' }), await oneList())).toBe('vc_member_unsigned');
  });

  it('finds its bit at either end of the list, the left-most first', async () => {
    const ends = await oneList({ encodedList: encodedList([0, BITS - 1]) });
    for (const [index, code] of [
      ['0', 'vc_revoked'],
      ['1', 'accepted'],
      ['7', 'accepted'],
      [`${BITS - 2}`, 'accepted'],
      [`${BITS - 1}`, 'vc_revoked'],
      [`${BITS}`, 'vc_status_list_invalid'],
      ['999999999999999', 'vc_status_list_invalid'],
    ] as const)
      expect([index, await judged(entryOf({ statusListIndex: index }), ends)]).toEqual([index, code]);
  });

  it.each<[string, string, JsonObject]>([
    ['vc_credential_status_malformed', 'a negative index', { statusListIndex: '-1' }],
    ['vc_credential_status_malformed', 'an index with an exponent', { statusListIndex: '1e3' }],
    ['vc_credential_status_malformed', 'leading zeros', { statusListIndex: '007' }],
    ['vc_credential_status_malformed', 'an index that is a number', { statusListIndex: 7 }],
    ['vc_credential_status_malformed', 'an index with a space', { statusListIndex: ' 7' }],
    ['vc_credential_status_malformed', 'an index beyond exact numbers', { statusListIndex: '9007199254740993' }],
    ['vc_credential_status_malformed', 'two indexes', { statusListIndex: ['7', '8'] }],
    ['vc_credential_status_malformed', 'a list with fragment', { statusListCredential: `${LIST_URL}#list` }],
    ['vc_credential_status_malformed', 'two lists', { statusListCredential: [LIST_URL, `${LIST_URL}2`] }],
    ['vc_credential_status_malformed', 'two purposes', { statusPurpose: ['revocation', 'suspension'] }],
    ['vc_status_unsupported', 'the purpose message', { statusPurpose: 'message', statusSize: 2 }],
    ['vc_status_unsupported', 'the purpose refresh', { statusPurpose: 'refresh' }],
    ['vc_status_unsupported', 'an invented purpose', { statusPurpose: 'toString' }],
    ['vc_status_unsupported', 'entries of two bits', { statusSize: 2 }],
    ['vc_status_unsupported', 'another type', { type: 'StatusList2021Entry' }],
  ])('is refused as %s with %s, and nothing is fetched', async (code, _what, change) => {
    const statusLists = servedLists(await oneList());
    const credential = await withStatus(issuer, entryOf(change));
    expect(await outcome(verifyCredential(credential, { ...verifying, statusLists }))).toBe(code);
    expect(statusLists.asked).toEqual([]);
  });

  it('is judged by every entry, and revocation counts before suspension', async () => {
    const second = `${LIST_URL}2`;
    const lists = {
      ...(await oneList({ statusPurpose: ['revocation', 'suspension'], encodedList: encodedList([3]) })),
      [second]: await listOf(issuer, { encodedList: encodedList([5]) }, { id: second }),
    };
    const at = (statusListIndex: string, change: JsonObject = {}) => entryOf({ statusListIndex, ...change });
    const suspended = at('3', { statusPurpose: 'suspension' });
    expect(await judged([at('1'), at('2')], lists)).toBe('accepted');
    expect(await judged([at('1'), at('3')], lists)).toBe('vc_revoked');
    expect(await judged([suspended, at('5', { statusListCredential: second })], lists)).toBe('vc_revoked');
    expect(await judged([suspended, at('6', { statusListCredential: second })], lists)).toBe('vc_suspended');
    expect(await judged([at('1'), at('2', { type: 'Invented' })], lists)).toBe('vc_status_unsupported');
  });

  it('has at most eight entries', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => entryOf({ statusListIndex: String(index) }));
    expect(await judged(many(8), await oneList())).toBe('accepted');
    expect(await judged(many(9), await oneList())).toBe('vc_credential_status_malformed');
    const endless = { ...(await withStatus(issuer, entryOf())), credentialStatus: many(10_000) };
    expect(await outcome(verifyCredential(endless, verifying))).toBe('vc_too_complex');
  });

  it('is not judged before its own proof holds', async () => {
    const statusLists = servedLists(await oneList());
    const credential = await withStatus(issuer, entryOf());
    for (const changed of [
      { ...credential, credentialSubject: { given_name: 'Eve' } },
      { ...credential, credentialStatus: entryOf({ statusListIndex: '1' }) },
      { ...credential, validUntil: '2020-01-01T00:00:00Z' },
    ])
      expect(await outcome(verifyCredential(changed, { ...verifying, statusLists }))).not.toBe('accepted');
    const { credentialStatus: _status, ...without } = credential;
    expect(await outcome(verifyCredential(without, { ...verifying, statusLists }))).toBe('vc_proof_invalid');
    expect(statusLists.asked).toEqual([]);
  });

  it('is judged by lists of its own issuer, or of those that the operator lists', async () => {
    const lists = { [LIST_URL]: await listOf(other) };
    expect(await judged(entryOf(), lists)).toBe('vc_status_issuer_mismatch');
    expect(await judged(entryOf(), lists, [issuer.controller])).toBe('vc_status_issuer_mismatch');
    expect(await judged(entryOf(), lists, [other.controller])).toBe('accepted');
  });

  it.each(['suspension', ['suspension', 'refresh']])('is not judged by a list for %j only', async (statusPurpose) => {
    expect(await judged(entryOf(), await oneList({ statusPurpose }))).toBe('vc_status_list_invalid');
  });
});

const gzipped = (bytes: Buffer) => `u${gzipSync(bytes).toString('base64url')}`;
const zeros = (bytes: number) => Buffer.alloc(bytes);

describe('a status list credential', () => {
  const verified = (document: unknown, url = LIST_URL) =>
    outcome(verifyStatusListCredential(document, url, { now, skewSeconds: 60, ...knowing() }));

  it('has an id equal to its URL, or none', async () => {
    const { id: _id, ...without } = await listOf(issuer);
    expect(await verified(await listOf(issuer))).toBe('accepted');
    const { proof: _proof, ...unsigned } = without;
    expect(await verified(await issueAsStranger(issuer, unsigned))).toBe('accepted');
    expect(await verified(await listOf(issuer), `${LIST_URL}2`)).toBe('vc_status_list_invalid');
    expect(await verified(await listOf(issuer, {}, { id: `${LIST_URL}/` }))).toBe('vc_status_list_invalid');
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['a status of its own', {}, { credentialStatus: entryOf() }],
    [
      'a status of its own elsewhere',
      {},
      { credentialStatus: entryOf({ statusListCredential: 'https://a.example/' }) },
    ],
    ['another type', {}, { type: ['VerifiableCredential'] }],
    ['an end that is over', {}, { validUntil: '2020-01-01T00:00:00Z' }],
    ['a begin to come', {}, { validFrom: '2036-01-01T00:00:00Z' }],
    ['another subject', { type: 'CityCard' }, { '@context': [CREDENTIALS, UNDEFINED_TERMS] }],
    ['no purpose', { statusPurpose: [] }, {}],
    ['a ttl that is text', { ttl: '300000' }, {}],
    ['a negative ttl', { ttl: -1 }, {}],
    ['another multibase', { encodedList: encodedList([]).replace(/^u/, 'z') }, {}],
    ['padding', { encodedList: `${encodedList([])}==` }, {}],
    ['no gzip', { encodedList: `u${zeros(BITS / 8).toString('base64url')}` }, {}],
    ['too few entries', { encodedList: gzipped(zeros(BITS / 8 - 1)) }, {}],
    ['an empty list', { encodedList: gzipped(zeros(0)) }, {}],
    ['a list that inflates beyond its bound', { encodedList: gzipped(zeros(4_194_305)) }, {}],
    ['a list that inflates a thousandfold', { encodedList: gzipped(zeros(33_554_432)) }, {}],
    [
      'half a gzip stream',
      {
        encodedList: `u${gzipSync(zeros(BITS / 8))
          .subarray(0, -9)
          .toString('base64url')}`,
      },
      {},
    ],
    [
      'bytes after the gzip stream',
      { encodedList: `u${Buffer.concat([gzipSync(zeros(BITS / 8)), Buffer.of(1, 2)]).toString('base64url')}` },
      {},
    ],
  ])('does not hold with %s', async (_what, subject, change) => {
    expect(await verified(await listOf(issuer, subject, change))).toBe('vc_status_list_invalid');
  });

  it('does not hold without its proof, with a changed one, or as another document', async () => {
    const list = await listOf(issuer);
    const { proof: _proof, ...unsigned } = list;
    const subject = list['credentialSubject'] as JsonObject;
    for (const document of [
      unsigned,
      { ...list, credentialSubject: { ...subject, encodedList: encodedList([1]) } },
      { ...list, issuer: other.controller },
      await withStatus(issuer, entryOf()),
      undefined,
      null,
      [],
      'text',
      {},
    ])
      expect(await verified(document)).toBe('vc_status_list_invalid');
  });

  it('may be cached for its ttl, but not past its end, and for an hour at most', async () => {
    const until = async (subject: JsonObject, change: JsonObject = {}) => {
      const document = await listOf(issuer, subject, change);
      const list = await verifyStatusListCredential(document, LIST_URL, { now, skewSeconds: 60, ...knowing() });
      return list.usableUntil.getTime() - now.getTime();
    };
    expect(await until({})).toBe(300_000);
    expect(await until({ ttl: 5_000 })).toBe(5_000);
    expect(await until({ ttl: 0 })).toBe(0);
    expect(await until({ ttl: 9_000_000_000 })).toBe(3_600_000);
    expect(await until({}, { validUntil: '2026-03-01T12:01:00Z' })).toBe(60_000);
  });

  it('may be as long as 33 million entries', async () => {
    expect(await verified(await listOf(issuer, { encodedList: gzipped(zeros(4_194_304)) }))).toBe('accepted');
  });
});
