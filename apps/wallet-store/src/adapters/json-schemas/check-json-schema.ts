import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '@vestibule/foundation';

/** The draft whose keywords are understood. */
const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/** The most that a schema may hold once every reference is replaced by what it refers to: names, keywords and values. */
const MAX_VALUES = 2_048;

/** Keywords whose value maps names to schemas. */
const MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);
/** Keywords whose value is a list of schemas. */
const LISTS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
/** Keywords whose value is a schema. */
const SCHEMAS: ReadonlySet<string> = new Set([
  ...['items', 'contains', 'additionalProperties', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties'],
  ...['not', 'if', 'then', 'else'],
]);
/** Keywords whose value is data. */
const DATA: ReadonlySet<string> = new Set([
  ...['type', 'enum', 'const', 'multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'],
  ...['maxLength', 'minLength', 'maxItems', 'minItems', 'uniqueItems', 'maxContains', 'minContains'],
  ...['maxProperties', 'minProperties', 'required', 'dependentRequired', 'format'],
  ...['title', 'description', 'default', 'deprecated', 'readOnly', 'writeOnly', 'examples', '$comment'],
  ...['contentEncoding', 'contentMediaType'],
]);

/** Why a schema is refused: where, and a sentence. */
class Refusal extends Error {
  constructor(
    readonly path: string,
    message: string,
  ) {
    super(message);
  }
}

interface Walk {
  readonly root: JsonObject;
  /** The references that are being followed. */
  readonly open: Set<string>;
  left: number;
}

function spend(walk: Walk, path: string, values: number): void {
  walk.left -= values;
  if (walk.left >= 0) return;
  throw new Refusal(path, `the schema has more than ${MAX_VALUES} values, with its references replaced`);
}

function countValues(value: JsonValue): number {
  if (value === null || typeof value !== 'object') return 1;
  return Object.values(value).reduce((sum: number, item) => sum + countValues(item), 1);
}

/** What a reference within the schema leads to: `#`, or `#/` and a JSON Pointer (RFC 6901). */
function resolve(root: JsonObject, reference: string, path: string): JsonValue {
  const within = reference === '#' || reference.startsWith('#/');
  if (!within) throw new Refusal(path, 'must be # or #/ and a JSON Pointer: nothing outside of the schema is read');
  const names = reference
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  let target: JsonValue | undefined = root;
  for (const name of names) target = isJsonObject(target) ? ownMember(target, name) : undefined;
  if (target === undefined) throw new Refusal(path, 'refers to nothing');
  return target;
}

function follow(walk: Walk, value: JsonValue, path: string): void {
  if (typeof value !== 'string') throw new Refusal(path, 'must be a string');
  if (walk.open.has(value)) throw new Refusal(path, 'leads back to itself: recursive schemas are not supported');
  walk.open.add(value);
  visit(walk, resolve(walk.root, value, path), path);
  walk.open.delete(value);
}

function visitKeyword(walk: Walk, keyword: string, value: JsonValue, path: string): void {
  if (keyword === '$ref') return follow(walk, value, path);
  if (SCHEMAS.has(keyword)) return visit(walk, value, path);
  if (MAPS.has(keyword) && isJsonObject(value)) {
    for (const [name, schema] of Object.entries(value)) visit(walk, schema, `${path}.${name}`);
    return;
  }
  if (LISTS.has(keyword) && Array.isArray(value)) {
    for (const [index, schema] of value.entries()) visit(walk, schema, `${path}[${index}]`);
    return;
  }
  if (!DATA.has(keyword)) throw new Refusal(path, 'is not a keyword that is supported here, or has the wrong type');
  spend(walk, path, countValues(value));
}

function visit(walk: Walk, schema: JsonValue, path: string): void {
  spend(walk, path, 1);
  if (typeof schema === 'boolean') return;
  if (!isJsonObject(schema)) throw new Refusal(path, 'must be a JSON Schema');
  const isRoot = schema === walk.root;
  for (const [keyword, value] of Object.entries(schema)) {
    if (isRoot && (keyword === '$schema' || keyword === '$id')) continue;
    visitKeyword(walk, keyword, value, path === '' ? keyword : `${path}.${keyword}`);
  }
}

/**
 * Why a JSON Schema is not used here; undefined if it is. It must be of draft 2020-12, refer to nothing outside of itself,
 * and not to itself again and again. Regular expressions (`pattern`, `patternProperties`) are not supported, because one
 * can take years. So a document is judged in time proportional to its size and that of the schema.
 */
export function findSchemaFault(schema: JsonValue): { readonly path: string; readonly message: string } | undefined {
  if (!isJsonObject(schema)) return { path: '', message: 'must be a JSON object' };
  const draft = ownMember(schema, '$schema');
  if (draft !== undefined && draft !== DRAFT) return { path: '$schema', message: `must be ${DRAFT}, or absent` };
  try {
    visit({ root: schema, open: new Set(['#']), left: MAX_VALUES }, schema, '');
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { path: error.path, message: error.message };
  }
}
