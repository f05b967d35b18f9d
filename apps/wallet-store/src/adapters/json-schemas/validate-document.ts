import {
  isJsonObject,
  memberPath,
  ownMember,
  type Fault,
  type JsonObject,
  type JsonValue,
} from '@vestibule/foundation';
import { Ajv2020, type ErrorObject, type KeywordDefinition, type ValidateFunction } from 'ajv/dist/2020';

/** Which compiled schemas are kept, by number and length; the one that was not used for the longest time goes first. */
const MAX_KEPT = 256;
const MAX_KEPT_CHARACTERS = 8_388_608;
const MAX_FAULTS = 20;

/** Says where a document does not satisfy a schema, which is always the same under one address. */
export type ValidateDocument = (url: string, schema: JsonObject, document: JsonObject) => readonly Fault[];

/** `format` is an annotation in draft 2020-12. Only own members count. Nothing is fetched, logged or filled in. */
const OPTIONS = {
  strict: false,
  validateSchema: false,
  validateFormats: false,
  ownProperties: true,
  addUsedSchema: false,
  logger: false,
} as const;

/** A text that equal values have in common (JSON Schema Core §4.2.2), whatever the order of their members is. */
function textOf(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${textOf(value[name] as JsonValue)}`).join()}}`;
}

/** Replaces the compiler's own keyword, which compares each item with every other one. */
const UNIQUE_ITEMS: KeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  validate: (isWanted: boolean, items: readonly JsonValue[]) =>
    !isWanted || new Set(items.map(textOf)).size === items.length,
};

function createCompiler(): Ajv2020 {
  const compiler = new Ajv2020(OPTIONS);
  compiler.removeKeyword('uniqueItems').addKeyword(UNIQUE_ITEMS);
  return compiler;
}

/** Is it a JSON Schema of draft 2020-12 that can be compiled? */
export function isJsonSchema(schema: JsonObject): boolean {
  const compiler = createCompiler();
  try {
    return compiler.validateSchema(schema) === true && typeof compile(compiler, schema) === 'function';
  } catch {
    return false;
  }
}

/** Compiles a schema, under no address. */
function compile(compiler: Ajv2020, { $id: _address, ...schema }: JsonObject): ValidateFunction {
  return compiler.compile(schema);
}

/** The path in a document that a JSON Pointer (RFC 6901) leads to. */
function pathOf(pointer: string, document: JsonValue): string {
  const names = pointer.split('/').slice(1);
  let [path, value]: [string, JsonValue | undefined] = ['', document];
  for (const escaped of names) {
    const name = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    path = Array.isArray(value) ? `${path}[${name}]` : memberPath(path, name);
    value = Array.isArray(value) ? value[Number(name)] : isJsonObject(value) ? ownMember(value, name) : undefined;
  }
  return path;
}

function faultOf({ instancePath, keyword, params }: ErrorObject, document: JsonObject): Fault {
  const path = pathOf(instancePath, document);
  const named = (name: unknown) => memberPath(path, String(name));
  const given = params as Readonly<Record<string, unknown>>;
  switch (keyword) {
    case 'required':
      return { path: named(given['missingProperty']), message: 'is required by the JSON Schema' };
    case 'additionalProperties':
      return { path: named(given['additionalProperty']), message: 'is not allowed by the JSON Schema' };
    case 'unevaluatedProperties':
      return { path: named(given['unevaluatedProperty']), message: 'is not allowed by the JSON Schema' };
    case 'type':
      return { path, message: `must be of type ${String(given['type'])}` };
    default:
      return { path, message: `does not satisfy ${keyword} of the JSON Schema` };
  }
}

/** A compiled schema, and its length as JSON. */
interface Compiled {
  readonly validate: ValidateFunction;
  readonly characters: number;
}

/** A compiler keeps all that it has compiled: with one for each schema, it goes with its schema. */
function compileAlone(schema: JsonObject): Compiled {
  return { validate: compile(createCompiler(), schema), characters: JSON.stringify(schema).length };
}

/** A validator that keeps what it compiled. */
export function createValidator(): ValidateDocument {
  const kept = new Map<string, Compiled>();
  let characters = 0;
  const forget = (url: string, { characters: freed }: Compiled): void => {
    kept.delete(url);
    characters -= freed;
  };
  const compiled = (url: string, schema: JsonObject): ValidateFunction => {
    const known = kept.get(url);
    if (known) forget(url, known);
    const latest = known ?? compileAlone(schema);
    for (const [oldest, displaced] of kept) {
      if (kept.size < MAX_KEPT && characters + latest.characters <= MAX_KEPT_CHARACTERS) break;
      forget(oldest, displaced);
    }
    kept.set(url, latest);
    characters += latest.characters;
    return latest.validate;
  };
  return (url, schema, document) => {
    const validate = compiled(url, schema);
    if (validate(document)) return [];
    return (validate.errors ?? []).slice(0, MAX_FAULTS).map((error) => faultOf(error, document));
  };
}
