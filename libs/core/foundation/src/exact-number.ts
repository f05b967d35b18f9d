/** A decimal of this many digits comes back from a double as it went in (DBL_DIG of IEEE 754 binary64). */
const ALWAYS_EXACT_LENGTH = 15;
/** With so few digits and no larger exponent a decimal is far from where doubles become rarer or end (1e-307, 1e308). */
const ALWAYS_EXACT_EXPONENT = 250;

const ZERO = 48;
const LOWER_E = 101;
const UPPER_E = 69;

/** The decimal that a JSON number writes: `digits` times ten to the power `exponent`, without zeros at either end. */
interface Decimal {
  readonly digits: string;
  readonly exponent: number;
}

function exponentAt(literal: string): number {
  for (let index = 0; index < literal.length; index += 1) {
    const unit = literal.charCodeAt(index);
    if (unit === LOWER_E || unit === UPPER_E) return index;
  }
  return literal.length;
}

function decimalOf(literal: string): Decimal {
  const end = exponentAt(literal);
  const mantissa = literal.slice(literal.startsWith('-') ? 1 : 0, end);
  const point = mantissa.indexOf('.');
  const written = point === -1 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1);
  let from = 0;
  let to = written.length;
  while (from < to && written.charCodeAt(from) === ZERO) from += 1;
  while (to > from && written.charCodeAt(to - 1) === ZERO) to -= 1;
  if (from === to) return { digits: '', exponent: 0 };
  const decimals = point === -1 ? 0 : mantissa.length - point - 1;
  const shift = end === literal.length ? 0 : Number(literal.slice(end + 1));
  return { digits: written.slice(from, to), exponent: shift - decimals + written.length - to };
}

/**
 * True for a JSON number (RFC 8259 §6) that is delivered as it was sent: it has a double, and the shortest decimal for
 * that double, which is what is written again, is the same decimal. `0.1`, `1.50`, `1e3` and `9007199254740992` are
 * exact; `9007199254740993`, `1e999`, `1e-400` and `0.12345678901234567891` are not. Linear in the length.
 */
export function isExactNumber(literal: string): boolean {
  const end = exponentAt(literal);
  const isShort = end <= ALWAYS_EXACT_LENGTH;
  if (isShort && Math.abs(Number(literal.slice(end + 1))) <= ALWAYS_EXACT_EXPONENT) return true;
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  const [written, read] = [decimalOf(literal), decimalOf(String(value))];
  return written.digits === read.digits && written.exponent === read.exponent;
}
