import {
  elementsOf,
  holdsObject,
  isDate,
  isDateTime,
  isJsonObject,
  isWithin,
  memberOf,
  ownMember,
  placeOf,
  refuse,
  setOwnMember,
  urlFault,
  type Fault,
  type JsonObject,
  type JsonValue,
  type Place,
} from '@vestibule/foundation';
import { CLAIMS_LIMITS, type ClaimField, type ClaimItem, type ClaimKind, type ClaimsSchema } from './claims-schema';
import { isStorableText, refuseUnknown } from './findings';

/** Claims of a draft by name: `{"age": {"kind": "NUMBER", "value": 42}}`; nested ones are wrapped as well. */
export type ClaimValues = JsonObject;

const isUri = (text: string): boolean => urlFault(text, { maxLength: CLAIMS_LIMITS.maxTextLength }) === undefined;

const isText = (value: JsonValue | undefined): value is string =>
  typeof value === 'string' && isWithin(value, CLAIMS_LIMITS.maxTextLength) && isStorableText(value);

/** Up to this value every integer has its own double. */
const MAX_NUMBER = 2 ** 53;

/** A number that its credential says exactly as well: RDF writes 16 digits of a decimal (JSON-LD 1.1 API §8.6). */
function isSayableNumber(value: JsonValue | undefined): boolean {
  return typeof value === 'number' && Math.abs(value) <= MAX_NUMBER && Number(value.toExponential(15)) === value;
}

type SimpleKind = Exclude<ClaimKind, 'ENUM' | 'OBJECT' | 'LIST'>;

/** What each kind without parts holds. */
const SIMPLE: Readonly<Record<SimpleKind, { holds: (value: JsonValue | undefined) => boolean; expected: string }>> = {
  STRING: {
    holds: isText,
    expected: `a string of at most ${CLAIMS_LIMITS.maxTextLength} characters without NUL or unpaired surrogates`,
  },
  NUMBER: { holds: isSayableNumber, expected: 'a number of at most 2^53 with at most 16 digits' },
  BOOLEAN: { holds: (value) => typeof value === 'boolean', expected: 'true or false' },
  DATE: { holds: (value) => isText(value) && isDate(value), expected: 'a valid calendar date, YYYY-MM-DD' },
  DATE_TIME: { holds: (value) => isText(value) && isDateTime(value), expected: 'an RFC 3339 timestamp' },
  LINKED_CREDENTIAL: { holds: (value) => isText(value) && isUri(value), expected: 'the absolute URI of a credential' },
  LINKED_FILE: { holds: (value) => isText(value) && isUri(value), expected: 'the absolute URI of a file' },
};

function checkContent(place: Place, field: ClaimField | ClaimItem): void {
  switch (field.kind) {
    case 'OBJECT':
      return checkMembers(place, field.value.fields);
    case 'LIST': {
      const { items } = field.value;
      return elementsOf(place, { most: CLAIMS_LIMITS.maxListItems }).forEach((item) => checkWrapped(item, items));
    }
    case 'ENUM':
      if (!field.value.values.some(({ value }) => value === place.value)) {
        refuse(place, 'must be one of the values of the schema');
      }
      return;
    default:
      if (!SIMPLE[field.kind].holds(place.value)) refuse(place, `must be ${SIMPLE[field.kind].expected}`);
  }
}

function checkWrapped(place: Place, field: ClaimField | ClaimItem): void {
  if (!holdsObject(place)) return;
  refuseUnknown(place, ['kind', 'value']);
  const kind = memberOf(place, 'kind');
  if (kind.value !== field.kind) refuse(kind, `must be ${field.kind}, as in the schema`);
  checkContent(memberOf(place, 'value'), field);
}

function checkMembers(place: Place, fields: readonly ClaimField[]): void {
  if (!holdsObject(place)) return;
  const byName = new Map(fields.map((field) => [field.value.name, field]));
  refuseUnknown(place, [...byName.keys()], { what: 'is not a claim of the schema' });
  for (const name of Object.keys(place.value)) {
    const field = byName.get(name);
    if (field) checkWrapped(memberOf(place, name), field);
  }
}

/** Every place where values do not match their schema. An absent value is not a fault: a draft may be incomplete. */
export function findValueFaults(values: JsonValue | undefined, schema: ClaimsSchema, path: string): Fault[] {
  const place = placeOf(values, path);
  checkMembers(place, schema.fields);
  return place.findings.faults;
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (value === undefined || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

function checkCompleteItem(place: Place<JsonObject>, field: ClaimField | ClaimItem): void {
  const content = memberOf(place, 'value');
  if (field.value.not_empty === true && isEmpty(content.value)) refuse(content, 'must not be empty');
  if (field.kind === 'OBJECT') checkComplete(content as Place<JsonObject>, field.value.fields);
  if (field.kind !== 'LIST') return;
  for (const item of elementsOf(content, { most: CLAIMS_LIMITS.maxListItems })) {
    checkCompleteItem(item as Place<JsonObject>, field.value.items);
  }
}

function checkComplete(place: Place<JsonObject>, fields: readonly ClaimField[]): void {
  for (const field of fields) {
    const wrapped = memberOf(place, field.value.name);
    if (wrapped.value !== undefined) checkCompleteItem(wrapped as Place<JsonObject>, field);
    else if (field.value.not_empty === true) refuse(wrapped, 'is required');
  }
}

/** Every `not_empty` claim that has no value, in values that {@link findValueFaults} had nothing against. */
export function findMissingValues(values: ClaimValues, schema: ClaimsSchema, path: string): Fault[] {
  const place = placeOf(values, path);
  checkComplete(place, schema.fields);
  return place.findings.faults;
}

/** An object with a member for each of another; safe for every name. */
function mapMembers(object: JsonObject, change: (value: JsonValue, name: string) => JsonValue): JsonObject {
  const result: JsonObject = {};
  for (const name of Object.keys(object)) setOwnMember(result, name, change(object[name] as JsonValue, name));
  return result;
}

function unwrap(wrapped: JsonValue): JsonValue {
  const value = isJsonObject(wrapped) ? (ownMember(wrapped, 'value') ?? null) : null;
  if (Array.isArray(value)) return value.map(unwrap);
  return isJsonObject(value) ? mapMembers(value, unwrap) : value;
}

/** The plain claims for typed values: what a credential says about its subject. */
export function toPlainClaims(values: ClaimValues): JsonObject {
  return mapMembers(values, unwrap);
}

const JSON_KINDS: Readonly<Record<string, ClaimKind>> = { string: 'STRING', number: 'NUMBER', boolean: 'BOOLEAN' };

/** The kind of a value that no schema knows, by its JSON type alone. */
export function kindOfJson(value: JsonValue): ClaimKind {
  if (Array.isArray(value)) return 'LIST';
  return JSON_KINDS[typeof value] ?? 'OBJECT';
}

function wrap(value: JsonValue, field: ClaimField | ClaimItem | undefined): JsonObject {
  const kind = field?.kind ?? kindOfJson(value);
  if (Array.isArray(value)) {
    const items = field?.kind === 'LIST' ? field.value.items : undefined;
    return { kind, value: value.map((item) => wrap(item, items)) };
  }
  if (!isJsonObject(value)) return { kind, value };
  return { kind, value: wrapMembers(value, field?.kind === 'OBJECT' ? field.value.fields : []) };
}

function wrapMembers(object: JsonObject, fields: readonly ClaimField[]): JsonObject {
  const byName = new Map(fields.map((field) => [field.value.name, field]));
  return mapMembers(object, (value, name) => wrap(value, byName.get(name)));
}

/**
 * Typed values for plain claims: of the kind in the schema or, where the schema has none, of the kind of the JSON
 * value. {@link findValueFaults} checks whether they are valid.
 */
export function toTypedValues(claims: JsonObject, schema: ClaimsSchema): ClaimValues {
  return wrapMembers(claims, schema.fields);
}
