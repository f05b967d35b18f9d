import type { IssuedJsonValue } from '@vestibule/foundation';
import { resolveClaimPath, showClaimPath, type ClaimPath } from './index';
import { fastestMilliseconds } from '@vestibule/testkit';

/** The example of OpenID4VP 1.0 §7.3. */
const EXAMPLE = {
  name: 'Arthur Dent',
  address: { street_address: '42 Market Street', locality: 'Milliways', postal_code: '12345' },
  degrees: [
    { type: 'Bachelor of Science', university: 'University of Betelgeuse' },
    { type: 'Master of Science', university: 'University of Betelgeuse' },
  ],
  nationalities: ['British', 'Betelgeusian'],
};

const ODD = JSON.parse(
  '{"nothing":null,"empty":{},"none":[],"zero":0,"no":false,"text":"abc","":{"":"blank"},"0":"named zero",' +
    '"null":"named null","__proto__":{"own":1},"list":[null,0,[1,[2]],{"a":1}],"mixed":[{"a":1},"b"],' +
    '"some":[{"a":1},{"b":2},{}],"matrix":[[1,2],[3]],"ragged":[[1],2],"length":"own length"}',
) as IssuedJsonValue;

/** An array of four of which the first and third elements were not disclosed. */
const HIDDEN: IssuedJsonValue = {
  nat: [undefined, 'FR', undefined, 'DE'],
  all: [undefined],
  deep: [[undefined, 1], [2]],
};

describe('resolveClaimPath', () => {
  it.each<[path: ClaimPath, selected: unknown[]]>([
    [['name'], ['Arthur Dent']],
    [['address'], [EXAMPLE.address]],
    [['address', 'street_address'], ['42 Market Street']],
    [
      ['degrees', null, 'type'],
      ['Bachelor of Science', 'Master of Science'],
    ],
    [['nationalities', 1], ['Betelgeusian']],
    [['nationalities'], [['British', 'Betelgeusian']]],
    [
      ['nationalities', null],
      ['British', 'Betelgeusian'],
    ],
    [['degrees', 0], [EXAMPLE.degrees[0]]],
    [['degrees', 1, 'type'], ['Master of Science']],
    [['degrees', 2, 'type'], []],
    [['absent'], []],
    [['address', 'absent'], []],
    [['name', 'first'], []],
    [['address', null], []],
    [['address', 0], []],
    [['name', 0], []],
    [['name', null], []],
    [['degrees', 'type'], []],
    [['nationalities', null, 'x'], []],
  ])('VP:J8 in the example of the specification %j selects %j', (path, selected) => {
    expect(resolveClaimPath(EXAMPLE, path)).toEqual(selected);
  });

  it.each<[why: string, path: ClaimPath, selected: unknown[]]>([
    ['a claim that is null is there', ['nothing'], [null]],
    ['a claim that is an empty object is there', ['empty'], [{}]],
    ['a claim that is an empty array is there', ['none'], [[]]],
    ['a claim that is 0 is there', ['zero'], [0]],
    ['a claim that is false is there', ['no'], [false]],
    ['null has no members', ['nothing', 'a'], []],
    ['null has no elements', ['nothing', null], []],
    ['null has no indexes', ['nothing', 0], []],
    ['an empty array has no elements', ['none', null], []],
    ['an empty array has no first element', ['none', 0], []],
    ['an empty object has no members', ['empty', 'a'], []],
    ['the empty name is a name', ['', ''], ['blank']],
    ['a digit in quotes is a name', ['0'], ['named zero']],
    ['an index is no name', [0], []],
    ['null in quotes is a name', ['null'], ['named null']],
    ['null is no name', [null], []],
    ['a digit in quotes is no index', ['list', '0'], []],
    ['length is no member of an array', ['list', 'length'], []],
    ['length is no member of a string', ['text', 'length'], []],
    ['a string has no indexes', ['text', 0], []],
    ['an own member called length is one', ['length'], ['own length']],
    ['toString is inherited', ['toString'], []],
    ['constructor is inherited', ['empty', 'constructor'], []],
    ['an own member called __proto__ is one', ['__proto__', 'own'], [1]],
    ['an inherited __proto__ is none', ['empty', '__proto__'], []],
    ['an array method is no member', ['list', 'map'], []],
    ['an element that is null is there', ['list', 0], [null]],
    ['every element counts, null and 0 too', ['list', null], [null, 0, [1, [2]], { a: 1 }]],
    ['an index beyond the end selects nothing', ['list', 4], []],
    ['a huge index selects nothing', ['list', Number.MAX_SAFE_INTEGER], []],
    ['a negative index selects nothing', ['list', -1], []],
    ['a fraction selects nothing', ['list', 0.5], []],
    ['indexes nest', ['list', 2, 1, 0], [2]],
    ['one element of another type aborts everything', ['mixed', null, 'a'], []],
    ['elements without the member drop out', ['some', null, 'a'], [1]],
    ['no element with the member is an error', ['some', null, 'c'], []],
    ['null over null flattens', ['matrix', null, null], [1, 2, 3]],
    ['an index after null drops the short arrays', ['matrix', null, 1], [2]],
    ['one element that is no array aborts everything', ['ragged', null, 0], []],
    ['one element that is no array aborts null too', ['ragged', null, null], []],
  ])('VP:J8 %s: %j', (_why, path, selected) => {
    expect(resolveClaimPath(ODD, path)).toEqual(selected);
  });

  it.each<[path: ClaimPath, selected: unknown[]]>([
    [['nat', 0], []],
    [['nat', 1], ['FR']],
    [['nat', 2], []],
    [['nat', 3], ['DE']],
    [['nat', 4], []],
    [
      ['nat', null],
      ['FR', 'DE'],
    ],
    [['all'], [[undefined]]],
    [['all', null], []],
    [['deep', null, 0], [2]],
    [
      ['deep', null, null],
      [1, 2],
    ],
  ])('VP:T9 undisclosed elements keep their places: %j selects %j (pos-array-index-shift)', (path, selected) => {
    expect(resolveClaimPath(HIDDEN, path)).toEqual(selected);
  });

  it('VP:J8 the root may be any value', () => {
    expect(resolveClaimPath(['a'], [0])).toEqual(['a']);
    expect(resolveClaimPath('a', ['a'])).toEqual([]);
    expect(resolveClaimPath('a', [])).toEqual(['a']);
  });

  it('VP:J8 a hundred thousand elements and a deep path are no burden', () => {
    const wide = { list: Array.from({ length: 100_000 }, (_, index) => [index]) };
    const deep = Array.from({ length: 10_000 }).reduce<IssuedJsonValue>((inner) => [inner], 'x');
    const milliseconds = fastestMilliseconds(() => {
      expect(resolveClaimPath(wide, ['list', null, null])).toHaveLength(100_000);
      expect(
        resolveClaimPath(
          deep,
          Array.from({ length: 10_000 }, () => null),
        ),
      ).toEqual(['x']);
    }, 500);
    expect(milliseconds).toBeLessThan(500);
  });
});

describe('showClaimPath', () => {
  it('writes a path on one line and cuts long ones', () => {
    expect(showClaimPath(['a\n', null, 0])).toBe('["a\\n",null,0]');
    expect(showClaimPath(['x'.repeat(2_000)]).length).toBeLessThanOrEqual(201);
  });
});
