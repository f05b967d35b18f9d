import { readJsonText } from './json-text';
import { DEFAULT_JSON_LIMITS, type JsonLimits, type JsonObject, type JsonValue } from './json-value';

/**
 * Parses untrusted JSON: bounded in length and depth. A member name that occurs twice in one object is an error (RFC
 * 8259 §4 leaves its meaning open, so two parsers could disagree), and so is a number that would change: too large, or
 * with digits that a double loses (RFC 8259 §6). {@link findInexactNumbers} finds those. The escape of an unpaired
 * surrogate, which readers keep, replace or refuse, is an error too (RFC 8259 §8.2, RFC 7493 §2.1). `__proto__` becomes
 * an ordinary own member. Returns undefined for anything that is not acceptable JSON.
 */
export function parseJson(text: string, limits: JsonLimits = DEFAULT_JSON_LIMITS): JsonValue | undefined {
  const document = readJsonText(text, limits);
  return document?.exact ? document.value : undefined;
}

/**
 * As {@link parseJson}, for a document in which nobody reads a number: members that a standard tells us to ignore may have any.
 * Numbers that a double does not have are others in the value.
 */
export function parseJsonWithUnreadNumbers(
  text: string,
  limits: JsonLimits = DEFAULT_JSON_LIMITS,
): JsonValue | undefined {
  return readJsonText(text, limits)?.value;
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

/** As {@link ownMember}, but null counts as absent: some programs write every member that they do not set as null. */
export function givenMember(object: JsonObject, name: string): JsonValue | undefined {
  return ownMember(object, name) ?? undefined;
}

/** Sets an own member whatever its name is, `__proto__` included. */
export function setOwnMember(object: JsonObject, name: string, value: JsonValue): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}
