import {
  elementsOf,
  holdsObject,
  memberOf,
  placeOf,
  readFlag,
  refuse,
  type Fault,
  type JsonObject,
  type JsonValue,
  type Place,
} from '@vestibule/foundation';
import {
  CLAIM_KINDS,
  CLAIMS_LIMITS,
  type ClaimField,
  type ClaimItem,
  type ClaimKind,
  type ClaimsSchema,
  type EnumValue,
} from './claims-schema';
import { belongsTo, readText, refuseUnknown, type Places } from './findings';
import { reservedBy, W3C_TERMS } from './reserved-names';

const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;
const COMMON = ['name', 'not_empty', 'title', 'description'];
const OWN: Readonly<Partial<Record<ClaimKind, readonly string[]>>> = {
  ENUM: ['values'],
  OBJECT: ['fields'],
  LIST: ['items'],
};

/** The depth of a field, and the number of fields read so far in the whole schema. */
interface Level {
  readonly depth: number;
  readonly counter: { fields: number };
}

function readName(place: Place, { depth }: Level): string | undefined {
  const name = readText(place, CLAIMS_LIMITS.maxNameLength);
  if (name === undefined) {
    if (place.value === undefined) refuse(place, 'is required');
    return undefined;
  }
  const owner = reservedBy(name, depth);
  if (owner !== undefined) refuse(place, `is a name that ${owner} reserves`);
  else if (!NAME.test(name)) refuse(place, 'must be letters, digits, _ and -, and begin with a letter or _');
  return name;
}

function readKind(place: Place): ClaimKind | undefined {
  const kind = CLAIM_KINDS.find((known) => known === place.value);
  if (kind === undefined) refuse(place, `must be one of ${CLAIM_KINDS.join(', ')}`);
  return kind;
}

function readEnumValue(place: Place): EnumValue | undefined {
  if (!holdsObject(place)) return undefined;
  refuseUnknown(place, ['value', 'title']);
  const at = memberOf(place, 'value');
  const value = readText(at, CLAIMS_LIMITS.maxTitleLength);
  const title = readText(memberOf(place, 'title'), CLAIMS_LIMITS.maxTitleLength);
  if (value === undefined) {
    if (at.value === undefined) refuse(at, 'is required');
    return undefined;
  }
  return { value, ...(title === undefined ? {} : { title }) };
}

function readEnumValues(place: Place): EnumValue[] {
  const places = elementsOf(place, { most: CLAIMS_LIMITS.maxEnumValues });
  if (Array.isArray(place.value) && place.value.length === 0) refuse(place, 'must have at least one value');
  const seen = new Set<string>();
  return places.flatMap((item) => {
    const read = readEnumValue(item);
    if (!read) return [];
    if (seen.has(read.value)) refuse(memberOf(item as Place<JsonObject>, 'value'), 'occurs twice');
    seen.add(read.value);
    return [read];
  });
}

/** The members that only one kind has. */
function readOwn(kind: ClaimKind, place: Place<JsonObject>, level: Level): object {
  const below = { ...level, depth: level.depth + 1 };
  switch (kind) {
    case 'ENUM':
      return { values: readEnumValues(memberOf(place, 'values')) };
    case 'OBJECT':
      return { fields: readFields(memberOf(place, 'fields'), below) };
    case 'LIST':
      return { items: readField(memberOf(place, 'items'), below, 'item') };
    default:
      return {};
  }
}

/** The members of `value`, which callers write beside it. */
const inValue = (path: string): Places =>
  Object.fromEntries(
    [...COMMON, 'values', 'fields', 'items'].map((name) => [name, belongsTo(`${path}.value.${name}`)]),
  );

/** A value read with a fault is never used, so what comes back need only have the right shape without faults. */
function readField(place: Place, level: Level, what: 'field' | 'item'): ClaimField | ClaimItem | undefined {
  level.counter.fields += 1;
  if (level.depth > CLAIMS_LIMITS.maxDepth) {
    refuse(place, `is nested deeper than ${CLAIMS_LIMITS.maxDepth} claims`);
    return undefined;
  }
  if (!holdsObject(place)) return undefined;
  refuseUnknown(place, ['kind', 'value'], { places: inValue(place.path) });
  const kind = readKind(memberOf(place, 'kind'));
  const value = memberOf(place, 'value');
  if (!holdsObject(value) || kind === undefined) return undefined;
  refuseUnknown(value, [...COMMON, ...(OWN[kind] ?? [])]);
  const nameAt = memberOf(value, 'name');
  const name = what === 'item' && nameAt.value === undefined ? undefined : readName(nameAt, level);
  if (kind !== 'STRING' && name !== undefined && W3C_TERMS.has(name)) {
    refuse(memberOf(place, 'kind'), `must be STRING: W3C credentials define ${name}`);
  }
  const members = {
    name,
    not_empty: readFlag(memberOf(value, 'not_empty')),
    title: readText(memberOf(value, 'title'), CLAIMS_LIMITS.maxTitleLength),
    description: readText(memberOf(value, 'description'), CLAIMS_LIMITS.maxDescriptionLength),
    ...readOwn(kind, value, level),
  };
  const given = Object.entries(members).filter(([, member]) => member !== undefined);
  return { kind, value: Object.fromEntries(given) } as unknown as ClaimField | ClaimItem;
}

function readFields(place: Place, level: Level): ClaimField[] {
  const seen = new Set<string>();
  return elementsOf(place, { most: CLAIMS_LIMITS.maxFields }).flatMap((item) => {
    const field = readField(item, level, 'field') as ClaimField | undefined;
    if (!field) return [];
    const { name } = field.value;
    if (seen.has(name)) refuse({ ...item, path: `${item.path}.value.name` }, 'occurs twice');
    seen.add(name);
    return [field];
  });
}

/** What a reader found: the thing, which is there without faults only. */
export interface Parsed<Thing> {
  readonly parsed: Thing | undefined;
  readonly faults: readonly Fault[];
}

/** Reads a claims schema at a place of a larger document, whose faults it adds to. */
export function readClaimsSchema(place: Place): ClaimsSchema | undefined {
  if (!holdsObject(place)) return undefined;
  const before = place.findings.faults.length;
  refuseUnknown(place, ['fields']);
  const counter = { fields: 0 };
  const fields = readFields(memberOf(place, 'fields'), { depth: 1, counter });
  if (counter.fields > CLAIMS_LIMITS.maxFields) refuse(place, `must have at most ${CLAIMS_LIMITS.maxFields} claims`);
  return place.findings.faults.length === before ? { fields } : undefined;
}

/**
 * Reads a claims schema, `{fields: [{kind, value: {name, not_empty?, title?, description?, …}}]}`, with every fault by its
 * path below `path`. What comes back is a copy of what is known, with nothing else in it.
 */
export function parseClaimsSchema(value: JsonValue | undefined, path: string): Parsed<ClaimsSchema> {
  const place = placeOf(value, path);
  const parsed = readClaimsSchema(place);
  return { parsed, faults: place.findings.faults };
}
