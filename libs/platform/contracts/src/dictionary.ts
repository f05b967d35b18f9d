import { isJsonObject } from '@vestibule/foundation';
import { z } from 'zod';

type Names = z.core.$ZodRecordKey;

/** Zod's record with a look at what it drops. A schema of its own, so that descriptions are still those of a record. */
const Dictionary = z.core.$constructor<z.ZodRecord>('Dictionary', (schema, definition) => {
  z.ZodRecord.init(schema, definition);
  const { parse } = schema._zod;
  schema._zod.parse = (payload, context) => {
    const { value: input, issues } = payload;
    if (!isJsonObject(input) || !Object.hasOwn(input, '__proto__')) return parse(payload, context);
    issues.push({ code: 'custom', path: ['__proto__'], message: 'is not allowed as a name', input, inst: schema });
    return payload;
  };
});

/**
 * An object whose member names are free. Zod's own record drops a member `__proto__` without a word, so that a condition
 * with that name would restrict nothing: here such an object is refused.
 */
export function dictionary<Key extends Names, Value extends z.core.SomeType>(
  keyType: Key,
  valueType: Value,
): z.ZodRecord<Key, Value> {
  return new Dictionary({ type: 'record', keyType, valueType } as never) as unknown as z.ZodRecord<Key, Value>;
}
