import fc from 'fast-check';
import { findInexactNumbers } from './inexact-numbers';
import { parseJson } from './json';

const tokens = fc.constantFrom(
  ...['{', '}', '[', ']', ',', ':', '"', '\\', ' ', '"a"', '"b":', '"a":', 'null', 'true', '-', '+', '.', 'e', 'E-'],
  ...['0', '1', '25', '1e999', '9007199254740993', '0.1', '1E400', '-0', '0.12345678901234567891', '00', '1e-999'],
);
const texts = fc.array(tokens, { maxLength: 30 }).map((parts) => parts.join(''));

/** JSON.parse, with the text of every number in its place: what a reader would see who loses nothing. */
function parseKeepingNumbers(text: string): unknown {
  const inStringsOrNumbers = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
  return JSON.parse(text.replace(inStringsOrNumbers, (token) => (token.startsWith('"') ? token : `"#${token}"`)));
}

function numbersIn(kept: unknown): string[] {
  if (typeof kept === 'string') return kept.startsWith('#') ? [kept.slice(1)] : [];
  return typeof kept === 'object' && kept !== null ? Object.values(kept).flatMap(numbersIn) : [];
}

const isSame = (literal: string) => {
  const [written, again] = [literal, JSON.stringify(JSON.parse(literal))].map((text) => {
    const [mantissa = '', shift = '0'] = text.toLowerCase().split('e');
    const [whole = '', decimals = ''] = mantissa.replace('-', '').split('.');
    return { digits: BigInt(whole + decimals), shift: Number(shift) - decimals.length };
  }) as [{ digits: bigint; shift: number }, { digits: bigint; shift: number }];
  if (written.digits === 0n || again.digits === 0n) return written.digits === again.digits;
  const least = Math.min(written.shift, again.shift);
  const scaled = ({ digits, shift }: typeof written) => digits * 10n ** BigInt(shift - least);
  return scaled(written) === scaled(again);
};

describe('JSON of a stranger', () => {
  it('is what JSON.parse makes of it, or is refused; never another number', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const value = parseJson(text);
        if (value === undefined) return;
        expect(value).toEqual(JSON.parse(text));
        for (const literal of numbersIn(parseKeepingNumbers(text))) {
          expect(Number.isFinite(JSON.parse(literal)) && isSame(literal)).toBe(true);
        }
      }),
    );
  });

  it('has its places of inexact numbers found without an error, and only where it is refused', () => {
    fc.assert(
      fc.property(fc.oneof(texts, fc.string({ unit: 'binary' })), (text) => {
        const found = findInexactNumbers(text);
        expect(found.length > 0 && parseJson(text) !== undefined).toBe(false);
      }),
    );
  });
});
