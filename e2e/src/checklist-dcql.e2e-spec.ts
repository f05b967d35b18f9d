import { bindingClaims, claims, refusing, type FaultRow } from './attempts';
import { cardQuery, joinBench, type Attempt, type Bench, type Hand } from './checklist-bench';
import { FAMILY_NAME, TYPE, type Members } from './handmade-credential';

let bench: Bench;
beforeAll(async () => {
  bench = await joinBench();
});
afterAll(() => bench?.stop());

const refuses = refusing(() => bench);

type VpToken = (hand: Hand) => unknown;
const answering = (vpToken: VpToken, ask: Attempt = {}): Attempt => ({ ...ask, vpToken });
/** Asks for these ids, and which of them together are enough. */
const asksFor = (ids: readonly string[], credential_sets?: readonly Members[]): Attempt => ({
  ask: {
    dcql_query: { credentials: ids.map((id) => cardQuery({ id })), ...(credential_sets ? { credential_sets } : {}) },
  },
});
/** An answer with one presentation for each id. */
const shows =
  (...ids: readonly string[]): VpToken =>
  ({ show }) =>
    Object.fromEntries(ids.map((id) => [id, [show()]]));

/** FULFILLED, with as many credentials for each id in the event. */
const accepts = async (_what: string, attempt: Attempt, counts: Readonly<Record<string, number>>) => {
  const ending = await bench.attempt(attempt);
  expect([ending.status, ending.codes, ending.http.status]).toEqual(['FULFILLED', [], 200]);
  const event = await bench.eventOf(ending.state);
  for (const member of ['credentials', 'credentialsRaw']) {
    const groups = Object.entries(event[member] as Record<string, unknown[]>);
    expect(new Map(groups.map(([id, all]) => [id, all.length]))).toEqual(new Map(Object.entries(counts)));
  }
  return event;
};

describe('a vp_token', () => {
  it.each<FaultRow>([
    ['VP:I2 that is a text', answering(() => 'token'), 'vp_token_malformed'],
    ['VP:I2 VP:T2 that is one presentation', answering(({ show }) => show()), 'vp_token_malformed'],
    ['VP:I2 that is JSON in a text', answering((hand) => JSON.stringify(shows('card')(hand))), 'vp_token_malformed'],
    ['VP:I2 that is an array', answering(({ show }) => [show()]), 'vp_token_malformed'],
    ['VP:I2 that is null', answering(() => null), 'vp_token_malformed'],
    ['VP:I2 that is a number', answering(() => 1), 'vp_token_malformed'],
    ['VP:J1 with an id besides that nobody asked for', answering(shows('card', 'other')), 'credential_not_requested'],
    ['VP:J1 with the id in other case', answering(shows('Card')), 'credential_not_requested'],
    ['VP:J1 with an inherited name as id', answering(shows('card', 'toString')), 'credential_not_requested'],
    [
      'VP:J1 with __proto__ as id',
      answering(({ show }) => ({ card: [show()], ['__proto__']: [show()] })),
      'credential_not_requested',
    ],
    [
      'VP:J2 VP:T2 with a text instead of an array',
      answering(({ show }) => ({ card: show() })),
      'presentations_malformed',
    ],
    ['VP:J2 with an object', answering(({ show }) => ({ card: { '0': show() } })), 'presentations_malformed'],
    ['VP:J2 with an empty array', answering(() => ({ card: [] })), 'presentations_malformed'],
    ['VP:J2 with null', answering(() => ({ card: null })), 'presentations_malformed'],
    [
      'VP:J3 with two presentations where one was asked for',
      answering(({ show }) => ({ card: [show(), show()] })),
      'too_many_presentations',
    ],
    [
      'VP:J3 VP:G10 with 65 presentations',
      answering(({ show }) => ({ card: Array.from({ length: 65 }, () => show()) }), { query: { multiple: true } }),
      'too_many_presentations',
    ],
    ['VP:J4 with a number as presentation', answering(() => ({ card: [1] })), 'presentation_malformed'],
    ['VP:J4 with an empty text as presentation', answering(() => ({ card: [''] })), 'presentation_malformed'],
    ['VP:J4 with an array as presentation', answering(({ show }) => ({ card: [[show()]] })), 'presentation_malformed'],
    [
      'VP:J4 VP:K22 with JSON serialization',
      answering((hand) => ({ card: [flattened(hand)] })),
      'presentation_malformed',
    ],
  ])('%s is refused', refuses);
});

describe('the type of a credential', () => {
  const typed = (vct: string, ...vct_values: readonly string[]): Attempt => ({
    ...claims({ vct }),
    query: { meta: { vct_values } },
  });

  it.each<FaultRow>([
    ['VP:J5 that was not asked for', typed('urn:example:other', TYPE), 'vct_not_requested'],
    ['VP:J5 in other case', typed('urn:example:Card', TYPE), 'vct_not_requested'],
    ['VP:J5 with a slash at its end', typed(`${TYPE}/`, TYPE), 'vct_not_requested'],
    ['VP:J6 that is a subtype by its name', typed(`${TYPE}:child`, TYPE), 'vct_not_requested'],
    [
      'VP:J6 that calls itself one that was asked for in aka_vcts',
      { ...claims({ vct: 'urn:example:other', aka_vcts: [TYPE] }) },
      'vct_not_requested',
    ],
  ])('%s is refused', refuses);

  it('VP:J5 that is the last of several is taken', async () => {
    await accepts('', typed(TYPE, 'urn:example:other', TYPE), { card: 1 });
  });
});

describe('several credentials', () => {
  const sets = [{ options: [['a', 'b'], ['c']] }, { options: [['d']], required: false }];
  const withSets = asksFor(['a', 'b', 'c', 'd', 'e'], sets);
  const optional = asksFor(['a'], [{ options: [['a']], required: false }]);
  const bad = { binding: bindingClaims({ nonce: 'A'.repeat(43) }) };

  it.each<FaultRow>([
    ['VP:J13 of which one is missing', answering(shows('a'), asksFor(['a', 'b'])), 'credential_missing'],
    ['VP:J13 of which all are missing', answering(() => ({}), asksFor(['a'])), 'credential_missing'],
    ['VP:J14 VP:T17 with half of an option', answering(shows('b'), withSets), 'credential_set_unsatisfied'],
    ['VP:J14 with the optional one only', answering(shows('d'), withSets), 'credential_set_unsatisfied'],
    ['VP:J14 with one that no set names', answering(shows('e'), withSets), 'credential_set_unsatisfied'],
    ['VP:J14 of which all are missing', answering(() => ({}), withSets), 'credential_set_unsatisfied'],
    [
      'VP:D11 VP:J3 of which one of two presentations is bad',
      answering(({ show }) => ({ card: [show(), show(bad)] }), { query: { multiple: true } }),
      'key_binding_nonce',
    ],
    [
      'VP:J15 of which an optional one is bad',
      answering(({ show }) => ({ a: [show(bad)] }), optional),
      'key_binding_nonce',
    ],
    [
      'VP:J16 of which a surplus one is bad',
      answering(({ show }) => ({ c: [show()], e: [show(bad)] }), withSets),
      'key_binding_nonce',
    ],
    [
      'VP:J16 of which a surplus one lacks its claim',
      answering(({ show }) => ({ c: [show()], e: [show({ credential: () => ({ disclosures: [] }) })] }), withSets),
      'claim_missing',
    ],
  ])('%s are refused', refuses);

  it.each<readonly [string, Attempt, Readonly<Record<string, number>>]>([
    ['VP:J13 that are all there', answering(shows('b', 'a'), asksFor(['a', 'b'])), { a: 1, b: 1 }],
    ['VP:J14 with the first option', answering(shows('a', 'b'), withSets), { a: 1, b: 1 }],
    ['VP:J14 with another option', answering(shows('c'), withSets), { c: 1 }],
    ['VP:J14 with the optional one besides', answering(shows('c', 'd'), withSets), { c: 1, d: 1 }],
    ['VP:J16 with a surplus one', answering(shows('c', 'e'), withSets), { c: 1 }],
    ['VP:J15 that are all optional, and of which none is there', answering(() => ({}), optional), {}],
    [
      'VP:J3 of one query that takes several',
      answering(({ show }) => ({ card: [show(), show(), show()] }), { query: { multiple: true } }),
      { card: 3 },
    ],
    [
      'VP:J3 of one query that takes several, but one',
      answering(shows('card'), { query: { multiple: true } }),
      { card: 1 },
    ],
    ['VP:J22 that are the same presentation under two ids', answering(sameTwice, asksFor(['a', 'b'])), { a: 1, b: 1 }],
    [
      'VP:E2 with names that objects inherit',
      answering(shows('toString', 'a-_9'), asksFor(['toString', 'a-_9'])),
      { toString: 1, 'a-_9': 1 },
    ],
  ])('%s are FULFILLED', async (what, attempt, counts) => {
    await accepts(what, attempt, counts);
  });

  it('VP:J16 VP:Q7 with a surplus one are logged by its id, and by nothing that it says', async () => {
    const before = bench.stage.readLog().length;
    await accepts('', answering(shows('c', 'e'), withSets), { c: 1 });
    const later = bench.stage.readLog().slice(before);
    const lines = later.filter((line) => line.includes('a wallet presented more than was requested'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('"credentials":"e"');
    expect(lines[0]).not.toContain(FAMILY_NAME);
  });

  it('VP:E2 with the id __proto__ are FULFILLED', async () => {
    const vpToken: VpToken = ({ show }) => ({ ['__proto__']: [show()] });
    const event = await accepts('', answering(vpToken, asksFor(['__proto__'])), JSON.parse('{"__proto__":1}'));
    const [entry] = Object.entries(event['credentials'] as Record<string, Members[]>);
    expect(entry).toMatchObject(['__proto__', [{ claims: { family_name: FAMILY_NAME }, kbSignatureIsValid: true }]]);
  });
});

it('made one callback for each', () => bench.expectOneCallbackEach());

function sameTwice({ show }: Hand) {
  const presentation = show();
  return { a: [presentation], b: [presentation] };
}

/** RFC 9901 §8: the same SD-JWT as a JSON object. */
function flattened({ show }: Hand): Members {
  const [jwt = '', ...rest] = show().split('~');
  const [protectedHeader, payload, signature] = jwt.split('.');
  return {
    payload,
    protected: protectedHeader,
    signature,
    header: { disclosures: rest.slice(0, -1), kb_jwt: rest.at(-1) },
  };
}
