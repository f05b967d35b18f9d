import { z } from 'zod';

type Json = Record<string, unknown>;

/** What a message schema looks like to a reader of the API description. */
export interface SchemaDescription {
  readonly schema: Json;
  /** Named parts, by their names. */
  readonly components: Json;
}

interface Described {
  readonly zodSchema: z.core.$ZodTypes;
  readonly jsonSchema: Json;
}

/** Leaves out what only zod needs, and names the type where zod knows none. */
function polish({ zodSchema, jsonSchema }: Described, schemaType: 'input' | 'output'): void {
  // The one custom type of the contracts is a JSON object that a service judges.
  if (zodSchema._zod.def.type === 'custom') jsonSchema['type'] = 'object';
  // A newer version may answer more members.
  if (schemaType === 'output' && jsonSchema['additionalProperties'] === false)
    delete jsonSchema['additionalProperties'];
  if (jsonSchema['format'] === 'date-time' || jsonSchema['type'] === 'integer') delete jsonSchema['pattern'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
}

/** A zod schema as OpenAPI 3.0 has it: what has a name becomes a component. */
export function describeSchema(schema: z.ZodType, schemaType: 'input' | 'output'): SchemaDescription {
  const { definitions, ...root } = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: schemaType,
    unrepresentable: 'any',
    override: (context) => polish(context as Described, schemaType),
  }) as Json;
  return { schema: root, components: (definitions ?? {}) as Json };
}
