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

/** The default of a schema. One that has got its description after its default no longer has it in its JSON Schema. */
function presetOf({ zodSchema, jsonSchema }: Described): unknown {
  if ('default' in jsonSchema) return jsonSchema['default'];
  const { def } = zodSchema._zod;
  return def.type === 'default' ? def.defaultValue : undefined;
}

/**
 * A default as words: generators of types take a member with `default` for one that is always there, also in what is
 * sent.
 */
function sayDefault(described: Described): void {
  const preset = presetOf(described);
  if (preset === undefined) return;
  const { jsonSchema } = described;
  delete jsonSchema['default'];
  const { description } = jsonSchema;
  const said = typeof description === 'string' ? description : '';
  if (/default/i.test(said) || typeof preset === 'object') return;
  jsonSchema['description'] = `${said === '' ? 'Default' : `${said}. Default`}: ${String(preset)}`;
}

/** Of the formats that zod writes, those that JSON Schema defines (draft 2020-12, validation, §7.3): strict readers refuse others. */
const FORMATS = ['date', 'date-time', 'uri'];

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

/**
 * Says which value of which member chooses a named part: generators then make one type that knows its parts, and refuse
 * or mix them otherwise.
 */
function describeChoice({ zodSchema, jsonSchema }: Described): void {
  const { def } = zodSchema._zod;
  if (def.type !== 'union' || !('discriminator' in def)) return;
  const { discriminator, options } = def as z.core.$ZodDiscriminatedUnionDef;
  const mapping = options.flatMap((option) => {
    const { id } = z.globalRegistry.get(option) ?? {};
    const values = [...(option._zod.propValues?.[discriminator] ?? [])];
    return id === undefined ? [] : values.map((value) => [String(value), `#/$defs/${id}`]);
  });
  if (mapping.length < options.length) return;
  jsonSchema['discriminator'] = { propertyName: discriminator, mapping: Object.fromEntries(mapping) as Json };
}

/** Alternatives in place of a list of types: several generators of clients know only one type, or one and null. */
function splitTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(splitTypes);
  if (typeof value !== 'object' || value === null) return value;
  const { type, ...others } = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, splitTypes(part)]));
  if (!Array.isArray(type)) return type === undefined ? others : { type, ...others };
  if (type.filter((one) => one !== 'null').length < 2) return { type, ...others };
  return { anyOf: type.map((one) => ({ type: one as string })), ...others };
}

/** Removes what only zod needs, and sets the type where zod sets none. */
function polish(described: Described, schemaType: 'input' | 'output'): void {
  const { zodSchema, jsonSchema } = described;
  if (zodSchema._zod.def.type === 'custom') describeObject(jsonSchema);
  describeChoice(described);
  // A newer version may return more members.
  if (schemaType === 'output' && jsonSchema['additionalProperties'] === false)
    delete jsonSchema['additionalProperties'];
  if (schemaType === 'input') sayDefault(described);
  if (!FORMATS.includes(String(jsonSchema['format']))) delete jsonSchema['format'];
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
  } = splitTypes(
    z.toJSONSchema(schema, {
      target: 'draft-2020-12',
      io: schemaType,
      unrepresentable: 'any',
      override: (context) => polish(context as Described, schemaType),
    }),
  ) as Json;
  return { schema: root, components: ($defs ?? {}) as Json };
}
