import { z } from 'zod';

type Json = Record<string, unknown>;

/** The API description of a message schema. */
export interface SchemaDescription {
  readonly schema: Json;
  /** Named parts, by name. */
  readonly components: Json;
}

interface Described {
  readonly zodSchema: z.core.$ZodTypes;
  readonly jsonSchema: Json;
}

/**
 * A default as words: generators of types take a member with `default` for one that is always there, also in what is
 * sent.
 */
function sayDefault(jsonSchema: Json): void {
  if (!('default' in jsonSchema)) return;
  const { default: preset, description } = jsonSchema;
  delete jsonSchema['default'];
  const said = typeof description === 'string' ? description : '';
  if (/default/i.test(said) || typeof preset === 'object') return;
  jsonSchema['description'] = `${said === '' ? 'Default' : `${said}. Default`}: ${String(preset)}`;
}

const MEMBERS = ['properties', 'additionalProperties', 'allOf', 'anyOf', 'oneOf'];

/**
 * Describes the contracts' only custom type, a JSON object that a service validates. Generators of types treat an object
 * without described members as empty, so the description says that any member is allowed.
 */
function describeObject(jsonSchema: Json): void {
  jsonSchema['type'] = 'object';
  const describesMembers = MEMBERS.some((name) => name in jsonSchema);
  if (!describesMembers) jsonSchema['additionalProperties'] = true;
}

/** Removes what only zod needs, and sets the type where zod sets none. */
function polish({ zodSchema, jsonSchema }: Described, schemaType: 'input' | 'output'): void {
  if (zodSchema._zod.def.type === 'custom') describeObject(jsonSchema);
  // A newer version may return more members.
  if (schemaType === 'output' && jsonSchema['additionalProperties'] === false)
    delete jsonSchema['additionalProperties'];
  if (schemaType === 'input') sayDefault(jsonSchema);
  if (jsonSchema['format'] === 'date-time' || jsonSchema['type'] === 'integer') delete jsonSchema['pattern'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
}

/** A zod schema as JSON Schema 2020-12, the dialect of OpenAPI 3.1: named parts become components. */
export function describeSchema(schema: z.ZodType, schemaType: 'input' | 'output'): SchemaDescription {
  const {
    $defs,
    $schema: _dialect,
    ...root
  } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: schemaType,
    unrepresentable: 'any',
    override: (context) => polish(context as Described, schemaType),
  }) as Json;
  return { schema: root, components: ($defs ?? {}) as Json };
}
