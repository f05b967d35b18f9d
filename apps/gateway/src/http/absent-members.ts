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

function ofObject(schema: z.core.$ZodType, value: JsonObject): JsonObject {
  const object = membersOf(schema) ? schema : chosen(alternativesOf(schema), value);
  const members = object && membersOf(object);
  if (!members) return value;
  const kept: JsonObject = {};
  for (const [name, part] of Object.entries(value)) {
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (part === null && member && isAbsentAsNull(member)) continue;
    setOwnMember(kept, name, member ? withoutAbsent(member, part) : part);
  }
  return kept;
}

/**
 * A value without the optional members that are null: many programs write null for what they do not have. What a schema
 * leaves open (claims, values of a draft, a patch) stays as it is.
 */
export function withoutAbsent<Value extends JsonValue | undefined>(
  schema: z.core.$ZodType,
  value: Value,
): JsonValue | Value {
  const bare = bareSchema(schema);
  if (isJsonObject(value)) return ofObject(bare, value);
  const element = Array.isArray(value) ? elementOf(bare) : undefined;
  return element && Array.isArray(value) ? value.map((part) => withoutAbsent(element, part)) : value;
}
