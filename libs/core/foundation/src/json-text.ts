import { isExactNumber } from './exact-number';
import type { JsonLimits, JsonValue } from './json-value';

export const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;
export const OPEN_BRACE = 123;
export const CLOSE_BRACE = 125;
export const OPEN_BRACKET = 91;
export const CLOSE_BRACKET = 93;
export const COMMA = 44;
export const MINUS = 45;
const PLUS = 43;
const POINT = 46;

/** Index of the closing quote of the string that opens at `start`; the text's length when it never closes. */
export function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length) {
    const unit = text.charCodeAt(index);
    if (unit === BACKSLASH) index += 1;
    else if (unit === QUOTE) return index;
    index += 1;
  }
  return index;
}

/** Index of the first unit after the number that begins at `start`; anything but a JSON number fails when it is parsed. */
export function endOfNumber(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && isNumberUnit(text.charCodeAt(index))) index += 1;
  return index;
}

export function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

function isNumberUnit(unit: number): boolean {
  return isDigit(unit) || unit === POINT || unit === MINUS || unit === PLUS || unit === 69 || unit === 101;
}

/** What the text of a document shows before it is parsed. */
interface Written {
  members: number;
  commas: number;
  containers: number;
  /** Containers that are open. */
  depth: number;
  /** False when some number in it is not what `JSON.parse` makes of it. */
  exact: boolean;
}

function countStructure(written: Written, unit: number): void {
  if (unit === COLON) written.members += 1;
  else if (unit === COMMA) written.commas += 1;
  else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) written.depth -= 1;
  else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) {
    written.depth += 1;
    written.containers += 1;
  }
}

/** One pass over the text; undefined when it nests deeper, or holds more values, than the limits say. */
function scan(text: string, { maxDepth, maxValues = Infinity }: JsonLimits): Written | undefined {
  const written: Written = { members: 0, commas: 0, containers: 0, depth: 0, exact: true };
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) index = endOfString(text, index);
    else if (isDigit(unit) || unit === MINUS) {
      const end = endOfNumber(text, index);
      written.exact &&= isExactNumber(text.slice(index, end));
      index = end - 1;
    } else countStructure(written, unit);
    if (written.depth > maxDepth) return undefined;
  }
  // Each container begins with its first value, or is empty; each comma comes before a further one.
  return written.commas + written.containers + 1 > maxValues ? undefined : written;
}

function countParsedMembers(value: JsonValue): number {
  if (value === null || typeof value !== 'object') return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countParsedMembers(item), 0);
  const names = Object.keys(value);
  return names.reduce((sum, name) => sum + countParsedMembers(value[name] as JsonValue), names.length);
}

/** An escape of a surrogate: whether it is half of a pair, only the parsed text shows. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
const UNPAIRED_SURROGATE = /\p{Surrogate}/u;

/** True where a string or a name in `value`, at any depth, has an unpaired surrogate: UTF-8 cannot write it. */
export function hasUnpairedSurrogate(value: JsonValue): boolean {
  if (typeof value === 'string') return UNPAIRED_SURROGATE.test(value);
  if (value === null || typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.some(hasUnpairedSurrogate);
  const isUnpairedAt = (name: string) =>
    UNPAIRED_SURROGATE.test(name) || hasUnpairedSurrogate(value[name] as JsonValue);
  return Object.keys(value).some(isUnpairedAt);
}

/** False for a text with an unpaired surrogate; one that was UTF-8 can have it as an escape only. */
const isUnicode = (text: string, value: JsonValue): boolean =>
  !SURROGATE_ESCAPE.test(text) || !hasUnpairedSurrogate(value);

export interface JsonText {
  readonly value: JsonValue;
  /** False when some number in the text is not what `value` has in its place. */
  readonly exact: boolean;
}

/** What a text says and whether its numbers are exact; undefined for anything that is not acceptable JSON. */
export function readJsonText(text: string, limits: JsonLimits): JsonText | undefined {
  if (text.length > limits.maxLength) return undefined;
  const written = scan(text, limits);
  if (written === undefined) return undefined;
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  const isUnambiguous = countParsedMembers(value) === written.members && isUnicode(text, value);
  return isUnambiguous ? { value, exact: written.exact } : undefined;
}

const isBlank = (unit: number | undefined): boolean => unit === 32 || unit === 9 || unit === 10 || unit === 13;
const isEnd = (unit: number | undefined): boolean => unit === CLOSE_BRACE || unit === CLOSE_BRACKET;

function endOfBytes(bytes: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < bytes.length && bytes[index] !== QUOTE) index += bytes[index] === BACKSLASH ? 2 : 1;
  return index;
}

function isEmptyAt(bytes: Uint8Array, start: number): boolean {
  let index = start + 1;
  while (isBlank(bytes[index])) index += 1;
  return isEnd(bytes[index]);
}

/**
 * How many values a JSON text in UTF-8 has, the containers included, without parsing it; counts no further than one beyond
 * `atMost`. For text that is not JSON, the number is meaningless. Costs a fraction of what parsing costs.
 */
export function countJsonValues(bytes: Uint8Array, atMost: number): number {
  let values = 1;
  for (let index = 0; index < bytes.length && values <= atMost; index += 1) {
    const unit = bytes[index];
    if (unit === QUOTE) index = endOfBytes(bytes, index);
    else if (unit === COMMA) values += 1;
    else if ((unit === OPEN_BRACE || unit === OPEN_BRACKET) && !isEmptyAt(bytes, index)) values += 1;
  }
  return values;
}
