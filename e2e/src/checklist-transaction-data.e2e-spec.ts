import { bindingClaims } from './attempts';
import { cardQuery, joinBench, type Attempt, type Bench, type Ending } from './checklist-bench';
import { digestOf, encodeJson, type Members } from './handmade-credential';

let bench: Bench;
beforeAll(async () => {
  bench = await joinBench();
});
afterAll(() => bench?.stop());

const payment = (members: Members = {}) => ({ type: 'payment', credential_ids: ['card'], amount: '10.00', ...members });
/** Spelled as no serializer would, so that a hash over anything but the text itself differs. */
const spelled = Buffer.from('{ "type":"payment",  "credential_ids":["card"] }').toString('base64url');
const algorithms = { transaction_data_hashes_alg: ['sha-256', 'sha-384'] };

const sentStrings = (claims: Members) => claims['transaction_data'] as string[];
const sha256 = (strings: readonly string[]) => strings.map((text) => digestOf(text));

interface Case {
  readonly data?: readonly unknown[];
  /** Claims of the key binding, from the strings as the wallet received them. */
  readonly confirm: (strings: readonly string[]) => Members;
}

const single = ({ data, confirm }: Case): Attempt => ({
  ask: data ? { transaction_data: data } : {},
  vpToken: ({ request, show }) => ({
    card: [show({ binding: bindingClaims(confirm(sentStrings(request.claims) ?? [])) })],
  }),
});

/** Two credentials are asked for, and the transaction data names both. */
const double = (first: boolean, second: boolean): Attempt => ({
  ask: {
    dcql_query: { credentials: [cardQuery(), cardQuery({ id: 'second' })] },
    transaction_data: [payment({ credential_ids: ['card', 'second'] })],
  },
  vpToken: ({ request, show }) => {
    const confirmed = { binding: bindingClaims({ transaction_data_hashes: sha256(sentStrings(request.claims)) }) };
    return { card: [show(first ? confirmed : {})], second: [show(second ? confirmed : {})] };
  },
});

const rawOf = async ({ state }: Ending, id = 'card') => {
  const raw = (await bench.eventOf(state))['credentialsRaw'] as Record<string, Members[]>;
  return raw[id]?.[0] ?? {};
};

describe('transaction data that the wallet confirms', () => {
  it.each<readonly [string, Case]>([
    ['VP:F6 with one hash', { data: [payment()], confirm: (all) => ({ transaction_data_hashes: sha256(all) }) }],
    [
      'VP:F5 VP:T14 over the text as sent',
      { data: [spelled], confirm: (all) => ({ transaction_data_hashes: sha256(all) }) },
    ],
    [
      'VP:F6 with two hashes in any order',
      {
        data: [payment(), payment({ amount: '2.00' })],
        confirm: (all) => ({ transaction_data_hashes: sha256(all).reverse() }),
      },
    ],
    [
      'VP:F7 with sha-256 by name',
      {
        data: [payment(algorithms)],
        confirm: (all) => ({ transaction_data_hashes: sha256(all), transaction_data_hashes_alg: 'sha-256' }),
      },
    ],
    [
      'VP:F7 with another algorithm that was offered',
      {
        data: [payment(algorithms)],
        confirm: (all) => ({
          transaction_data_hashes: all.map((text) => digestOf(text, 'sha384')),
          transaction_data_hashes_alg: 'sha-384',
        }),
      },
    ],
    [
      'VP:F7 with sha-256 by name where none was asked for',
      {
        data: [payment()],
        confirm: (all) => ({ transaction_data_hashes: sha256(all), transaction_data_hashes_alg: 'sha-256' }),
      },
    ],
  ])('%s is FULFILLED, and the event has the hashes', async (_what, given) => {
    let hashes: unknown;
    const confirm = (all: readonly string[]) => {
      const claims = given.confirm(all);
      hashes = claims['transaction_data_hashes'];
      return claims;
    };
    const ending = await bench.attempt(single({ ...given, confirm }));
    expect([ending.status, ending.codes]).toEqual(['FULFILLED', []]);
    expect((await rawOf(ending))['transactionDataHashes']).toEqual(hashes);
  });

  it.each([
    ['first', true, false],
    ['second', false, true],
  ] as const)(
    'VP:F8 with the %s of two credentials is FULFILLED, and only that one has the hashes',
    async (_which, first, second) => {
      const ending = await bench.attempt(double(first, second));
      expect([ending.status, ending.codes]).toEqual(['FULFILLED', []]);
      expect(await rawOf(ending, first ? 'card' : 'second')).toHaveProperty('transactionDataHashes');
      expect(await rawOf(ending, first ? 'second' : 'card')).not.toHaveProperty('transactionDataHashes');
    },
  );
});

describe('transaction data that the wallet confirms', () => {
  const decoded = (text: string) => Buffer.from(text, 'base64url').toString('utf8');
  const again = (text: string) => encodeJson(JSON.parse(decoded(text)));

  it.each<readonly [string, Attempt, string]>([
    ['VP:F6 not at all', single({ data: [payment()], confirm: () => ({}) }), 'transaction_data_missing'],
    [
      'VP:F6 with another hash',
      single({ data: [payment()], confirm: () => ({ transaction_data_hashes: [digestOf('other')] }) }),
      'transaction_data_mismatch',
    ],
    [
      'VP:F6 with an empty list',
      single({ data: [payment()], confirm: () => ({ transaction_data_hashes: [] }) }),
      'transaction_data_mismatch',
    ],
    [
      'VP:F6 with a text instead of a list',
      single({ data: [payment()], confirm: ([text = '']) => ({ transaction_data_hashes: digestOf(text) }) }),
      'transaction_data_mismatch',
    ],
    [
      'VP:F6 with one hash for two',
      single({
        data: [payment(), payment({ amount: '2.00' })],
        confirm: (all) => ({ transaction_data_hashes: sha256(all).slice(0, 1) }),
      }),
      'transaction_data_mismatch',
    ],
    [
      'VP:F5 VP:T14 with a hash over the decoded text',
      single({ data: [spelled], confirm: (all) => ({ transaction_data_hashes: sha256(all.map(decoded)) }) }),
      'transaction_data_mismatch',
    ],
    [
      'VP:F5 with a hash over the text encoded anew',
      single({ data: [spelled], confirm: (all) => ({ transaction_data_hashes: sha256(all.map(again)) }) }),
      'transaction_data_mismatch',
    ],
    [
      'VP:F7 without the algorithm although algorithms were offered',
      single({ data: [payment(algorithms)], confirm: (all) => ({ transaction_data_hashes: sha256(all) }) }),
      'transaction_data_algorithm',
    ],
    [
      'VP:F7 with an algorithm that was not offered',
      single({
        data: [payment(algorithms)],
        confirm: (all) => ({
          transaction_data_hashes: all.map((text) => digestOf(text, 'sha512')),
          transaction_data_hashes_alg: 'sha-512',
        }),
      }),
      'transaction_data_algorithm',
    ],
    [
      'VP:F7 with another algorithm than sha-256 where none was offered',
      single({
        data: [payment()],
        confirm: (all) => ({
          transaction_data_hashes: all.map((text) => digestOf(text, 'sha384')),
          transaction_data_hashes_alg: 'sha-384',
        }),
      }),
      'transaction_data_algorithm',
    ],
    [
      'VP:F9 with a hash too many',
      single({
        data: [payment()],
        confirm: (all) => ({ transaction_data_hashes: [...sha256(all), digestOf('other')] }),
      }),
      'transaction_data_unexpected',
    ],
    [
      'VP:F9 although there was none',
      single({ confirm: () => ({ transaction_data_hashes: [digestOf('other')] }) }),
      'transaction_data_unexpected',
    ],
    ['VP:F8 with neither of two credentials', double(false, false), 'transaction_data_unanswered'],
    ['VP:F8 with both of two credentials', double(true, true), 'transaction_data_unanswered'],
  ])('%s is refused', async (_what, attempt, code) => {
    const { http, status, codes } = await bench.attempt(attempt);
    expect([status, codes, http.status]).toEqual(['VERIFICATION_FAILED', [code], 400]);
  });
});

it('made one callback for each', () => bench.expectOneCallbackEach());
