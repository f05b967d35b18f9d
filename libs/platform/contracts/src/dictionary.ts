import { isJsonObject } from '@vestibule/foundation';
import { z } from 'zod';

type Names = z.core.$ZodRecordKey;

/**
 * Zod's record with a check of what it drops. A separate schema type, so that descriptions remain those of a record.
 */
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
 * An object with arbitrary member names. Zod's own record silently drops a member `__proto__`, so a condition with that
 * name would restrict nothing; this schema refuses such an object.
 */
export function dictionary<Key extends Names, Value extends z.core.SomeType>(
  keyType: Key,
  valueType: Value,
): z.ZodRecord<Key, Value> {
  return new Dictionary({ type: 'record', keyType, valueType } as never) as unknown as z.ZodRecord<Key, Value>;
}
