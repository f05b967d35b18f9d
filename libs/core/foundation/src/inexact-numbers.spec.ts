import fc from 'fast-check';
import { describePath, findInexactNumbers, inexactNumberDetail, inexactNumberFaults } from './inexact-numbers';
import { parseJson } from './json';
import type { JsonValue } from './json-value';

const BEYOND = '9007199254740993';
const bytes = (text: string) => Buffer.from(text, 'utf8');

/** Documents as trees, whose numbers are texts; each tree says where its inexact ones are. */
const NUMBERS: Record<string, boolean> = { 0: true, '-1.5': true, '1e3': true, [BEYOND]: false, '1e999': false };
type Tree = string | Tree[] | [string, Tree][] | { readonly members: readonly (readonly [string, Tree])[] };

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(...Object.keys(NUMBERS)),
    fc.constantFrom('true', 'null', '"1e999"', '"\\"[{:,9007199254740993"'),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom('a', 'b c', '1', '"', '__proto__', '{,'), tie('tree')), {
        selector: ([name]) => name,
        maxLength: 4,
      })
      .map((members) => ({ members })),
  ),
}));

function write(value: Tree): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `[${value.map((item) => write(item as Tree)).join(' ,')}]`;
  return `{ ${value.members.map(([name, member]) => `${JSON.stringify(name)} : ${write(member)}`).join(',')}}`;
}

function inexactIn(value: Tree): (string | number)[][] {
  if (typeof value === 'string') return NUMBERS[value] === false ? [[]] : [];
  const entries: (readonly [string | number, Tree])[] = Array.isArray(value)
    ? value.map((item, index) => [index, item as Tree] as const)
    : [...value.members];
  return entries.flatMap(([key, item]) => inexactIn(item).map((path) => [key, ...path]));
}

describe('findInexactNumbers', () => {
  it('names every place of every document, and parseJson takes exactly the documents without one', () => {
    fc.assert(
      fc.property(tree, (document) => {
        const text = write(document);
        const expected = inexactIn(document);
        expect(findInexactNumbers(text)).toEqual(expected);
        const read: JsonValue | undefined = parseJson(text);
        expect(read).toEqual(expected.length > 0 ? undefined : JSON.parse(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(['{"a":1e999', '{"a":1e999,"a":1}', `[${'['.repeat(40)}1e999`, 'nope 1e999', '"1e999"', '', '1-2', '01'])(
    'names none in %j, which is no document, or one without such a number',
    (text) => {
      expect(findInexactNumbers(text)).toEqual([]);
    },
  );

  it('names the first hundred', () => {
    const found = findInexactNumbers(`[${Array.from({ length: 500 }, () => '1e999').join(',')}]`);
    expect([found.length, found.at(-1)]).toEqual([100, [99]]);
  });

  it('never throws, whatever the text', () => {
    const parts = fc.constantFrom(...'{}[],:"\\-+.eE0123456789 a', '1e999', '"a":', BEYOND);
    fc.assert(
      fc.property(fc.string({ unit: parts }), (text) => void findInexactNumbers(text)),
      { numRuns: 2_000 },
    );
  });
});

describe('parseJson', () => {
  it.each([BEYOND, '1e999', '[0.12345678901234567891]', '{"a":[{"b":-1e-400}]}'])('refuses %s', (text) => {
    expect(parseJson(text)).toBeUndefined();
  });

  it('takes the same numbers in texts', () => {
    expect(parseJson(`{"${BEYOND}":"1e999","b":"\\"${BEYOND}"}`)).toEqual({ [BEYOND]: '1e999', b: `"${BEYOND}` });
  });
});

describe('the places of inexact numbers', () => {
  it('are one fault each for a backend', () => {
    const faults = inexactNumberFaults(bytes(`{"claims":{"a b":[1,${BEYOND}],"c":1e999},"${'n'.repeat(200)}":1e999}`));
    const paths = faults.map(({ path }) => path);
    expect(paths).toEqual(['claims["a b"][1]', 'claims.c', `["${'n'.repeat(100)}…"]`]);
    expect(inexactNumberFaults(bytes('{"a":1}'))).toEqual([]);
    expect(inexactNumberFaults(Uint8Array.of(0xff))).toEqual([]);
  });

  it('are told of a stranger only as far as they are names of claims', () => {
    const at = (text: string) => inexactNumberDetail(bytes(text));
    expect(at(`{"address":{"floor_2":[${BEYOND}]}}`)).toBe(
      'the number at address.floor_2[0] cannot be represented exactly',
    );
    expect(at(`{"NL91ABNA0417164300":{"two words":${BEYOND}}}`)).toBe(
      'the number at ["…"]["…"] cannot be represented exactly',
    );
    expect(at(BEYOND)).toBe('the number at the top cannot be represented exactly');
    expect(at('{"a":1}')).toBeUndefined();
  });

  it('are written as other faults write them', () => {
    expect(describePath(['a', 0, '__proto__', '', 'x#y', 3])).toBe('a[0].__proto__[""].x#y[3]');
  });
});
