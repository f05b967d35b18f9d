import fc from 'fast-check';
import { isJsonObject, ownMember, parseJson } from './index';
import { fastestMilliseconds } from '@vestibule/testkit';

const limits = { maxDepth: 16, maxLength: 65_536 };

describe('JSON of a stranger', () => {
  it('VP:Q10 VP:K21 pollutes no prototype, whatever its names', () => {
    const names = fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'a');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(fc.boolean(), fc.array(fc.tuple(names, tie('value')), { maxLength: 4 })),
    }));
    const write = (tree: unknown): string => {
      if (!Array.isArray(tree)) return String(tree);
      const members = new Map(tree as [string, unknown][]);
      return `{${[...members].map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`).join(',')}}`;
    };
    fc.assert(
      fc.property(value, (tree) => {
        const parsed = parseJson(write(tree), limits);
        expect(Object.getOwnPropertyNames({})).toEqual([]);
        expect(({} as Record<string, unknown>)['a']).toBeUndefined();
        if (!isJsonObject(parsed)) return;
        for (const name of ['toString', 'constructor', '__proto__']) {
          expect(ownMember(parsed, name) === undefined).toBe(!Object.hasOwn(parsed, name));
        }
      }),
    );
  });

  it.each([
    ['open brackets', '['.repeat(100_000)],
    ['open objects', '{"a":'.repeat(20_000)],
    ['one long string', `"${'a'.repeat(100_000)}"`],
    ['escapes', `"${'\\u0041'.repeat(16_000)}"`],
    ['digits', '1'.repeat(100_000)],
    ['zeros before a digit', `0.${'0'.repeat(100_000)}1`],
    ['zeros on both sides of the point', `1${'0'.repeat(50_000)}.${'0'.repeat(50_000)}1e-50000`],
    ['the exponent', `1e${'9'.repeat(100_000)}`],
    ['numbers of 17 digits', `[${'0.12345678901234567,'.repeat(5_000)}0]`],
    ['members', `{${Array.from({ length: 8_000 }, (_, index) => `"${index}":0`).join(',')}}`],
    ['blanks', `${' '.repeat(100_000)}x`],
  ])('VP:Q10 of 100 KB is answered within 50 ms, whatever its length may be: %s', (_what, text) => {
    const wide = { ...limits, maxLength: 200_000 };
    parseJson(text, wide);
    const milliseconds = fastestMilliseconds(() => {
      parseJson(text, wide);
    });
    expect(milliseconds).toBeLessThan(50);
  });

  it('VP:Q10 is nothing beyond its limits, and something within them', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect([15, 16, 17].map((depth) => parseJson(nested(depth), limits) !== undefined)).toEqual([true, true, false]);
    expect(parseJson(`"${'a'.repeat(limits.maxLength)}"`, limits)).toBeUndefined();
    expect(parseJson(`"${'a'.repeat(limits.maxLength - 2)}"`, limits)).toHaveLength(limits.maxLength - 2);
  });
});
