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

/** Removes what only zod needs, and sets the type where zod sets none. */
function polish({ zodSchema, jsonSchema }: Described, schemaType: 'input' | 'output'): void {
  // The contracts' only custom type is a JSON object that a service validates.
  if (zodSchema._zod.def.type === 'custom') jsonSchema['type'] = 'object';
  // A newer version may return more members.
  if (schemaType === 'output' && jsonSchema['additionalProperties'] === false)
    delete jsonSchema['additionalProperties'];
  if (jsonSchema['format'] === 'date-time' || jsonSchema['type'] === 'integer') delete jsonSchema['pattern'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
}

/** A zod schema as OpenAPI 3.0: named parts become components. */
export function describeSchema(schema: z.ZodType, schemaType: 'input' | 'output'): SchemaDescription {
  const { definitions, ...root } = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: schemaType,
    unrepresentable: 'any',
    override: (context) => polish(context as Described, schemaType),
  }) as Json;
  return { schema: root, components: (definitions ?? {}) as Json };
}
