export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

/**
 * A JSON value in which an array may have holes: `undefined` stands where an element exists but was not disclosed, so
 * that positions stay those of the array as it was issued.
 */
export type IssuedJsonValue = null | boolean | number | string | (IssuedJsonValue | undefined)[] | IssuedJsonObject;
export interface IssuedJsonObject {
  [name: string]: IssuedJsonValue;
}

export interface JsonLimits {
  /** Nesting of arrays and objects; 1 allows `{}` but not `{"a":{}}`. */
  readonly maxDepth: number;
  /** Length of the text in UTF-16 units. */
  readonly maxLength: number;
}

export const DEFAULT_JSON_LIMITS: JsonLimits = { maxDepth: 32, maxLength: 1_048_576 };

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;

/** Index of the closing quote of the string that opens at `start`; the text's length when it never closes. */
function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length) {
    const unit = text.charCodeAt(index);
    if (unit === BACKSLASH) index += 1;
    else if (unit === QUOTE) return index;
    index += 1;
  }
  return index;
}

/** Members written in the text, or undefined when it nests deeper than `maxDepth`. */
function countWrittenMembers(text: string, maxDepth: number): number | undefined {
  let members = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) index = endOfString(text, index);
    else if (unit === COLON) members += 1;
    else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) {
      depth += 1;
      if (depth > maxDepth) return undefined;
    } else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) depth -= 1;
  }
  return members;
}

function countParsedMembers(value: JsonValue): number {
  if (value === null || typeof value !== 'object') return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countParsedMembers(item), 0);
  const names = Object.keys(value);
  return names.reduce((sum, name) => sum + countParsedMembers(value[name] as JsonValue), names.length);
}

/**
 * Parses JSON from a stranger: bounded in length and depth, and a member name that occurs twice in one object is an
 * error (RFC 8259 §4 leaves its meaning open, so two readers could disagree).
 * `__proto__` arrives as an ordinary own member. Returns undefined for anything that is not acceptable JSON.
 */
export function parseJson(text: string, limits: JsonLimits = DEFAULT_JSON_LIMITS): JsonValue | undefined {
  if (text.length > limits.maxLength) return undefined;
  const written = countWrittenMembers(text, limits.maxDepth);
  if (written === undefined) return undefined;
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  return countParsedMembers(value) === written ? value : undefined;
}

/** As {@link parseJson}, from UTF-8 bytes; malformed UTF-8 and a byte order mark are errors. */
export function parseJsonBytes(bytes: Uint8Array, limits: JsonLimits = DEFAULT_JSON_LIMITS): JsonValue | undefined {
  if (bytes.byteLength > limits.maxLength * 3) return undefined;
  const text = decodeUtf8(bytes);
  return text === undefined ? undefined : parseJson(text, limits);
}

/** The text of UTF-8 bytes, or undefined when they are malformed. A byte order mark stays in the text. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** True for a JSON object (not null, not an array). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member `name` of `object` if it is its own; inherited names such as `toString` are absent. */
export function ownMember(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets an own member whatever its name is, `__proto__` included. */
export function setOwnMember(object: JsonObject, name: string, value: JsonValue): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}
