import { setOwnMember, type JsonObject, type JsonValue } from '@vestibule/foundation';
import type { ClaimField, ClaimItem, ClaimKind, ClaimsSchema } from './claims-schema';

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

const TYPES: Readonly<Record<Exclude<ClaimKind, 'ENUM' | 'OBJECT' | 'LIST'>, JsonObject>> = {
  STRING: { type: 'string' },
  NUMBER: { type: 'number' },
  BOOLEAN: { type: 'boolean' },
  DATE: { type: 'string', format: 'date' },
  DATE_TIME: { type: 'string', format: 'date-time' },
  LINKED_CREDENTIAL: { type: 'string', format: 'uri' },
  LINKED_FILE: { type: 'string', format: 'uri' },
};

function shapeOf(field: ClaimField | ClaimItem): JsonObject {
  const notEmpty = field.value.not_empty === true;
  switch (field.kind) {
    case 'ENUM':
      return { type: 'string', enum: field.value.values.map(({ value }) => value) };
    case 'OBJECT':
      return { ...objectShape(field.value.fields), ...(notEmpty ? { minProperties: 1 } : {}) };
    case 'LIST':
      return { type: 'array', items: claimSchema(field.value.items), ...(notEmpty ? { minItems: 1 } : {}) };
    case 'STRING':
      return { ...TYPES.STRING, ...(notEmpty ? { minLength: 1 } : {}) };
    default:
      return TYPES[field.kind];
  }
}

function claimSchema(field: ClaimField | ClaimItem): JsonObject {
  const { title, description } = field.value;
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...shapeOf(field),
  };
}

function objectShape(fields: readonly ClaimField[], more: Readonly<Record<string, JsonValue>> = {}): JsonObject {
  const properties: JsonObject = { ...more };
  for (const field of fields) setOwnMember(properties, field.value.name, claimSchema(field));
  const required = fields.filter(({ value }) => value.not_empty === true).map(({ value }) => value.name);
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** What a JSON Schema says about itself. */
export interface JsonSchemaOptions {
  /** The address that it is served at. */
  readonly id: string;
  readonly title: string;
}

/**
 * The JSON Schema (draft 2020-12) of credentials of a claims schema, as `credentialSchema` of type `JsonSchema` refers to it
 * (W3C vc-json-schema §2.1): it judges the whole credential and constrains the subject.
 */
export function jsonSchema(schema: ClaimsSchema, { id, title }: JsonSchemaOptions): JsonObject {
  const subject = objectShape(schema.fields, { id: { type: 'string', format: 'uri' } });
  return {
    $schema: DRAFT,
    $id: id,
    title,
    type: 'object',
    properties: { credentialSubject: subject },
    required: ['credentialSubject'],
  };
}
