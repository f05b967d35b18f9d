import { alternativesOf, bareSchema, elementOf, membersOf } from '@vestibule/contracts';
import { isJsonObject, setOwnMember, type JsonObject, type JsonValue } from '@vestibule/foundation';
import type { z } from 'zod';

/** May the member be left out, and has null no meaning of its own? */
const isAbsentAsNull = (schema: z.core.$ZodType) =>
  schema._zod.optin !== undefined && !(schema as z.ZodType).safeParse(null).success;

/** The only alternative of a union that an object can be, or the one that its discriminating member chooses. */
function chosen(alternatives: readonly z.core.$ZodType[], value: JsonObject): z.core.$ZodType | undefined {
  const fits = alternatives.map(bareSchema).filter((one) => {
    const members = Object.entries(membersOf(one) ?? {});
    const literals = members.filter(([, member]) => member._zod.def.type === 'literal');
    return (
      members.length > 0 && literals.every(([name, member]) => (member as z.ZodType).safeParse(value[name]).success)
    );
  });
  return fits.length === 1 ? fits[0] : undefined;
}

function ofObject(schema: z.core.$ZodType, value: JsonObject, isPatch: boolean): JsonObject {
  const object = membersOf(schema) ? schema : chosen(alternativesOf(schema), value);
  const members = object && membersOf(object);
  if (!members) return value;
  const kept: JsonObject = {};
  for (const [name, part] of Object.entries(value)) {
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (part === null && !isPatch && member && isAbsentAsNull(member)) continue;
    setOwnMember(kept, name, member ? without(member, part, isPatch) : part);
  }
  return kept;
}

function without<Value extends JsonValue | undefined>(
  schema: z.core.$ZodType,
  value: Value,
  isPatch: boolean,
): JsonValue | Value {
  const bare = bareSchema(schema);
  if (isJsonObject(value)) return ofObject(bare, value, isPatch);
  const element = Array.isArray(value) ? elementOf(bare) : undefined;
  return element && Array.isArray(value) ? value.map((part) => without(element, part, false)) : value;
}

/**
 * A value without the optional members that are null: many programs write null for what they do not have. What a schema
 * leaves open (claims, values of a draft) stays as it is.
 */
export function withoutAbsent<Value extends JsonValue | undefined>(
  schema: z.core.$ZodType,
  value: Value,
): JsonValue | Value {
  return without(schema, value, false);
}

/**
 * The same for a JSON merge patch, where null removes a member of what is there. Only arrays replace what is there as a
 * whole (RFC 7396 §1), so null removes nothing in their elements.
 */
export function patchWithoutAbsent<Value extends JsonValue | undefined>(
  schema: z.core.$ZodType,
  patch: Value,
): JsonValue | Value {
  return without(schema, patch, true);
}
