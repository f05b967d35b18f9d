import { isJsonObject, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { vcdmFailure } from './failures';
import { STATUS_INTEGER, XSD } from './w3c-terms';

type Expanded = Readonly<Record<string, unknown>>;

/** The types that RDF gives to numbers and booleans: a string of such a type means the same as the number or boolean. */
const NATIVE: ReadonlySet<unknown> = new Set([`${XSD}boolean`, `${XSD}integer`, `${XSD}double`, STATUS_INTEGER]);

const hasOnly = (object: object, names: readonly string[]) => Object.keys(object).every((name) => names.includes(name));

/** RDF writes a double with 16 digits (JSON-LD API §8.6); a double may need 17. */
function isExactDouble(value: number): boolean {
  return Number(value.toExponential(15)) === value;
}

/** Up to this value every integer has its own double, and RDF writes all its digits. */
const MAX_INTEGER = 2 ** 53;

function isCoveredNumber(value: number, type: unknown): boolean {
  const isDouble = type === `${XSD}double` || !Number.isInteger(value);
  if (isDouble ? !isExactDouble(value) : !(Math.abs(value) <= MAX_INTEGER)) throw vcdmFailure('vc_number_inexact');
  const isInteger = type === `${XSD}integer` || type === STATUS_INTEGER;
  return type === undefined || type === `${XSD}double` || (isInteger && Number.isInteger(value));
}

/** A text with a language or direction; one with neither is the bare text in other words. */
function isCoveredText(json: JsonObject, value: Expanded): boolean {
  const { '@value': text, '@language': language, '@direction': direction } = json;
  if (!hasOnly(json, ['@value', '@language', '@direction']) || Object.keys(json).length < 2) return false;
  if (typeof text !== 'string' || (language !== undefined && typeof language !== 'string')) return false;
  const expected = { '@value': text, '@language': language?.toLowerCase(), '@direction': direction };
  return (
    hasOnly(value, Object.keys(expected)) && Object.entries(expected).every(([name, member]) => value[name] === member)
  );
}

/**
 * Does the expanded value say what the JSON value says, in the one way that JSON has for it? A number whose type is not numeric
 * would equal its text, so it is rejected. Throws `vc_number_inexact`.
 */
export function isCoveredScalar(json: JsonValue, value: Expanded): boolean {
  if (isJsonObject(json)) return isCoveredText(json, value);
  const { '@value': own, '@type': type, ...rest } = value;
  if (own !== json) return false;
  if (typeof json === 'string') return !NATIVE.has(type) && hasOnly(rest, ['@language', '@direction']);
  if (Object.keys(rest).length > 0) return false;
  if (typeof json === 'number') return isCoveredNumber(json, type);
  return typeof json === 'boolean' && (type === undefined || type === `${XSD}boolean`);
}
