import { joinBench, type Attempt, type Bench } from './checklist-bench';
import { claims, refusing, structure, type FaultRow } from './attempts';
import { decoy, disclosureOf, FAMILY_NAME, placeholderOf, withDisclosures, type Members } from './handmade-credential';

let bench: Bench;
beforeAll(async () => {
  bench = await joinBench();
});
afterAll(() => bench?.stop());

const refuses = refusing(() => bench);

/** The entries of `credentials` in the event with the claims in each; `family_name` alone where nothing is said. */
type Delivered = readonly (readonly [id: string, claims: readonly Members[]])[];
type QueryRow = readonly [what: string, attempt: Attempt, delivered: Delivered];
const NAME: Members = { family_name: FAMILY_NAME };

const accepts = async (_what: string, attempt: Attempt, delivered: Delivered) => {
  const ending = await bench.attempt(attempt);
  expect([ending.status, ending.codes]).toEqual(['FULFILLED', []]);
  const event = await bench.eventOf(ending.state);
  for (const member of ['credentials', 'credentialsRaw']) {
    expect(Object.keys(event[member] as Members).sort()).toEqual(delivered.map(([id]) => id).sort());
  }
  const got = Object.entries(event['credentials'] as Record<string, Members[]>);
  expect(new Map(got.map(([id, all]) => [id, all.map((one) => one['claims'])]))).toEqual(new Map(delivered));
};

const [us, fr] = [disclosureOf('US'), disclosureOf('FR')];
const nationalities = { nationalities: [placeholderOf(us), placeholderOf(fr), { '...': decoy() }] };
const isName = ({ path }: Members) => Array.isArray(path) && path[0] === 'family_name';
/** Asks for these claims, and for `family_name`. */
const asking = (...wanted: readonly Members[]): Attempt => ({
  query: { claims: [...(wanted.some(isName) ? [] : [{ path: ['family_name'] }]), ...wanted] },
});
const askingFor = (...path: readonly unknown[]): Attempt => asking({ path });
const plain = (more: Members): Attempt => claims(more);

describe('a claim that was asked for', () => {
  it.each<QueryRow>([
    ['VP:J9 nowhere is any', { query: { claims: undefined } }, [['card', [{}]]]],
    [
      'VP:J8 by a path below',
      { ...plain({ a: { b: [1] } }), ...askingFor('a', 'b', 0) },
      [['card', [{ ...NAME, a: { b: [1] } }]]],
    ],
    ['VP:J8 with the value null', { ...plain({ a: null }), ...askingFor('a') }, [['card', [{ ...NAME, a: null }]]]],
    ['VP:J8 that is an empty object', { ...plain({ a: {} }), ...askingFor('a') }, [['card', [{ ...NAME, a: {} }]]]],
    [
      'VP:J8 by the name of a number',
      { ...plain({ a: { '0': 1 } }), ...askingFor('a', '0') },
      [['card', [{ ...NAME, a: { '0': 1 } }]]],
    ],
    [
      'VP:J8 in each element of an array',
      { ...plain({ a: [{ b: 1 }, { b: 2 }] }), ...askingFor('a', null, 'b') },
      [['card', [{ ...NAME, a: [{ b: 1 }, { b: 2 }] }]]],
    ],
    [
      'VP:J8 in one element of an array',
      { ...plain({ a: [{ b: 1 }, { c: 2 }] }), ...askingFor('a', null, 'b') },
      [['card', [{ ...NAME, a: [{ b: 1 }, { c: 2 }] }]]],
    ],
    [
      'VP:J8 VP:T9 VP:D13 at its place in the array as issued',
      { ...structure(nationalities, fr), ...asking({ path: ['nationalities', 1], values: ['FR'] }) },
      [['card', [{ ...NAME, nationalities: ['FR'] }]]],
    ],
    [
      'VP:J8 at any place of an array',
      { ...structure(nationalities, fr), ...askingFor('nationalities', null) },
      [['card', [{ ...NAME, nationalities: ['FR'] }]]],
    ],
    [
      'VP:J12 with one of the values in an array',
      { ...structure(nationalities, us, fr), ...asking({ path: ['nationalities', null], values: ['DE', 'FR'] }) },
      [['card', [{ ...NAME, nationalities: ['US', 'FR'] }]]],
    ],
    [
      'VP:J11 with one of the texts',
      asking({ path: ['family_name'], values: ['Other', FAMILY_NAME] }),
      [['card', [NAME]]],
    ],
    [
      'VP:J11 with the number',
      { ...plain({ a: 1 }), ...asking({ path: ['a'], values: [1] }) },
      [['card', [{ ...NAME, a: 1 }]]],
    ],
    [
      'VP:J11 with the value false',
      { ...plain({ a: false }), ...asking({ path: ['a'], values: [false] }) },
      [['card', [{ ...NAME, a: false }]]],
    ],
    ['VP:E18 that is always there', askingFor('vct'), [['card', [NAME]]]],
    [
      'VP:J8 that is named __proto__',
      { credential: withDisclosures(disclosureOf('__proto__', 1)), ...askingFor('__proto__') },
      [['card', [JSON.parse(`{"family_name":"${FAMILY_NAME}","__proto__":1}`) as Members]]],
    ],
  ])('%s is found', accepts);

  const hidden: Attempt = structure(nationalities, fr);
  it.each<FaultRow>([
    ['VP:J7 missing', askingFor('birthdate'), 'claim_missing'],
    ['VP:J7 that is kept back', askingFor('given_name'), 'claim_missing'],
    [
      'VP:J7 in an object of which all is hidden',
      { ...plain({ address: { _sd: [decoy()] } }), ...askingFor('address', 'street') },
      'claim_missing',
    ],
    [
      'VP:J7 in an array of which all is hidden',
      { ...plain({ a: [{ '...': decoy() }] }), ...askingFor('a', null) },
      'claim_missing',
    ],
    ['VP:J8 VP:T9 at a place that is hidden', { ...hidden, ...askingFor('nationalities', 0) }, 'claim_missing'],
    ['VP:J8 beyond the end of an array', { ...hidden, ...askingFor('nationalities', 3) }, 'claim_missing'],
    ['VP:J8 by a name in an array', { ...hidden, ...askingFor('nationalities', '1') }, 'claim_missing'],
    ['VP:J8 by a place in an object', { ...plain({ a: { '0': 1 } }), ...askingFor('a', 0) }, 'claim_missing'],
    ['VP:J8 by null in an object', { ...plain({ a: { b: 1 } }), ...askingFor('a', null) }, 'claim_missing'],
    ['VP:J8 by a name in a text', askingFor('family_name', 'length'), 'claim_missing'],
    ['VP:J8 by the length of an array', { ...hidden, ...askingFor('nationalities', 'length') }, 'claim_missing'],
    [
      'VP:J8 below one element of another kind',
      { ...plain({ a: [{ b: 1 }, 'x'] }), ...askingFor('a', null, 'b') },
      'claim_missing',
    ],
    ...['toString', 'constructor', '__proto__', 'hasOwnProperty'].map((name): FaultRow => [
      `VP:J8 that is only inherited: ${name}`,
      askingFor(name),
      'claim_missing',
    ]),
    ['VP:J11 with another text', asking({ path: ['family_name'], values: ['example'] }), 'claim_value_not_accepted'],
    [
      'VP:J11 with a text for a number',
      { ...plain({ a: 1 }), ...asking({ path: ['a'], values: ['1'] }) },
      'claim_value_not_accepted',
    ],
    [
      'VP:J11 with a number for a text',
      { ...plain({ a: '1' }), ...asking({ path: ['a'], values: [1] }) },
      'claim_value_not_accepted',
    ],
    [
      'VP:J11 with 1 for true',
      { ...plain({ a: true }), ...asking({ path: ['a'], values: [1] }) },
      'claim_value_not_accepted',
    ],
    [
      'VP:J11 VP:T16 in an array for a text',
      { ...plain({ a: ['x'] }), ...asking({ path: ['a'], values: ['x'] }) },
      'claim_value_not_accepted',
    ],
    [
      'VP:J12 with none of the values in an array',
      { ...hidden, ...asking({ path: ['nationalities', null], values: ['US'] }) },
      'claim_value_not_accepted',
    ],
  ])('%s is not found', refuses);
});

describe('claim sets', () => {
  const wanted = [
    { id: 'a', path: ['a'] },
    { id: 'b', path: ['b'] },
    { id: 'c', path: ['c'], values: [1] },
    { id: 'd', path: ['family_name'] },
  ];
  const sets = (...claim_sets: readonly string[][]): Attempt => ({ query: { claims: wanted, claim_sets } });

  it.each<QueryRow>([
    [
      'VP:J10 whose first set is there',
      { ...plain({ a: 1, b: 2 }), ...sets(['a', 'b'], ['d']) },
      [['card', [{ a: 1, b: 2 }]]],
    ],
    ['VP:J10 whose last set is there', sets(['a', 'b'], ['c'], ['d']), [['card', [NAME]]]],
    ['VP:J10 whose unnamed claims are missing', sets(['d']), [['card', [NAME]]]],
  ])('%s are satisfied', accepts);

  it.each<FaultRow>([
    [
      'VP:J10 VP:T17 of which halves are there',
      { ...plain({ a: 1, c: 1 }), ...sets(['a', 'b'], ['b', 'c']) },
      'claim_set_unsatisfied',
    ],
    [
      'VP:J10 of which one has another value',
      { ...plain({ a: 1, c: 2 }), ...sets(['a', 'b'], ['c']) },
      'claim_set_unsatisfied',
    ],
    ['VP:J10 of which nothing is there', sets(['a'], ['b']), 'claim_set_unsatisfied'],
  ])('%s are not satisfied', refuses);
});

it('made one callback for each', () => bench.expectOneCallbackEach());
