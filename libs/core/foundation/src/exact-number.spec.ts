import fc from 'fast-check';
import { isExactNumber } from './exact-number';

/** A decimal as the fraction numerator over denominator. */
function fractionOf(literal: string): { numerator: bigint; denominator: bigint } {
  const [, sign, whole = '', decimals = '', shift = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  const digits = BigInt(`${whole}${decimals}`) * (sign === '-' ? -1n : 1n);
  const exponent = BigInt(shift.replace('+', '')) - BigInt(decimals.length);
  return exponent >= 0n
    ? { numerator: digits * 10n ** exponent, denominator: 1n }
    : { numerator: digits, denominator: 10n ** -exponent };
}

/** The rule in arithmetic that loses nothing: JSON.parse and JSON.stringify leave the same fraction. */
function isExactByArithmetic(literal: string): boolean {
  const again = JSON.stringify(JSON.parse(literal));
  if (again === 'null') return false;
  const [written, read] = [fractionOf(literal), fractionOf(again)];
  return written.numerator * read.denominator === read.numerator * written.denominator;
}

const digits = (maxLength: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength });
const whole = digits(22).map((text) => text.replace(/^0+(?=\d)/, ''));
const exponent = fc.tuple(fc.constantFrom('e', 'E', 'e+', 'E-', 'e-'), digits(3)).map((parts) => parts.join(''));
const literals = fc
  .tuple(fc.constantFrom('', '-'), whole, fc.option(digits(25), { nil: undefined }), fc.option(exponent, { nil: '' }))
  .map(([sign, before, after, shift]) => `${sign}${before}${after === undefined ? '' : `.${after}`}${shift}`);

describe('isExactNumber', () => {
  it.each([
    ...['0', '-0', '0.0', '1', '-1', '1.50', '100', '1e3', '1E+2', '1e-7', '0.1', '-0.1', '0.30000000000000004'],
    ...['9007199254740991', '9007199254740992', '-9007199254740992', '9.007199254740992e15', '1700000000.123456'],
    ...['9007199254740994', '1e16', '12345678901234567000', '1e300', '1.7976931348623157e308', '-1e+21'],
    ...['5e-324', '2.2250738585072014e-308', '0e999', '0.000e-999', '1.000000000000000000000000'],
  ])('takes %s', (literal) => {
    expect(isExactNumber(literal)).toBe(true);
  });

  it.each([
    ...['9007199254740993', '-9007199254740993', '9007199254740992.5', '12345678901234567890'],
    ...['1e309', '1.7976931348623159e308', '1e999', '-1e999', '1e99999999999999999999', '1e-999', '1e-400', '4.9e-324'],
    ...['0.12345678901234567891', '0.10000000000000001', '3.14159265358979323846', '1.0000000000000000000000001'],
  ])('refuses %s', (literal) => {
    expect(isExactNumber(literal)).toBe(false);
  });

  it('agrees with arithmetic in BigInt on every number that JSON can write', () => {
    fc.assert(
      fc.property(literals, (literal) => {
        expect(isExactNumber(literal)).toBe(isExactByArithmetic(literal));
      }),
      { numRuns: 5_000 },
    );
  });

  it('takes every double as JSON.stringify writes it', () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(finite, (value) => isExactNumber(JSON.stringify(value))),
      { numRuns: 2_000 },
    );
  });

  it('takes every integer up to 2^53, and beyond only what comes back as the same integer', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 60n), max: 2n ** 60n }), (value) => {
        const again = JSON.stringify(JSON.parse(String(value)));
        const isSmall = value >= -(2n ** 53n) && value <= 2n ** 53n;
        expect(isExactNumber(String(value))).toBe(isSmall || BigInt(again) === value);
      }),
      { numRuns: 2_000 },
    );
  });
});
