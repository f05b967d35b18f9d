import { isNumericDate } from './date-time';
import { describeInexact, findInexactNumbers, type JsonPath } from './inexact-numbers';
import { decodeUtf8, isJsonObject } from './json';
import { readJsonText } from './json-text';
import { DEFAULT_JSON_LIMITS, type JsonLimits, type JsonObject } from './json-value';

/** A JWT Claims Set, or where the first number in it is that is not exact; `undefined` if it is for another reason none. */
export type ReadClaimsSet = { readonly claims: JsonObject } | { readonly inexact: string | undefined };

const NUMERIC_DATES: readonly JsonPath[number][] = ['exp', 'nbf', 'iat'];

const isDateOf =
  (claims: JsonObject) =>
  ([name, ...below]: JsonPath): boolean =>
    name !== undefined && NUMERIC_DATES.includes(name) && below.length === 0 && isNumericDate(claims[name]);

/**
 * Reads an untrusted JWT Claims Set (RFC 7519 §4) by the rules of `parseJson`, but `exp`, `nbf` and `iat` may have any
 * number of digits (RFC 7519 §2, NumericDate): the nearest double is less than a millisecond away. Not for a credential,
 * whose times are delivered.
 */
export function readClaimsSet(bytes: Uint8Array, limits: JsonLimits = DEFAULT_JSON_LIMITS): ReadClaimsSet {
  const text = bytes.byteLength > limits.maxLength * 3 ? undefined : decodeUtf8(bytes);
  const document = text === undefined ? undefined : readJsonText(text, limits);
  if (text === undefined || document === undefined) return { inexact: undefined };
  const { value: claims, exact } = document;
  if (!isJsonObject(claims)) return { inexact: undefined };
  if (exact) return { claims };
  const isDate = isDateOf(claims);
  const wrong = findInexactNumbers(text, limits).find((path) => !isDate(path));
  return wrong === undefined ? { claims } : { inexact: describeInexact(wrong) };
}
