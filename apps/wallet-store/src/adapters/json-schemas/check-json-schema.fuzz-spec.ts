import type { JsonObject, JsonValue } from '@vestibule/foundation';
import fc from 'fast-check';
import { findSchemaFault } from './check-json-schema';
import { createValidator, isJsonSchema } from './validate-document';

const names = fc.constantFrom('a', 'b', '$ref', 'pattern', '__proto__', 'constructor', '0');
const { schema } = fc.letrec<{ schema: JsonValue; object: JsonValue }>((tie) => ({
  object: fc.record(
    {
      $ref: fc.constantFrom('#', '#/$defs/a', '#/$defs/b', '#/properties/a', '#/allOf/0', '#x', 'https://a.example/'),
      $defs: fc.dictionary(names, tie('schema'), { maxKeys: 2 }),
      properties: fc.dictionary(names, tie('schema'), { maxKeys: 3 }),
      allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      items: tie('schema'),
      not: tie('schema'),
      type: fc.constantFrom('object', 'string', 'array', 'text'),
      enum: fc.array(fc.jsonValue() as fc.Arbitrary<JsonValue>, { maxLength: 2 }),
      required: fc.uniqueArray(names, { maxLength: 2 }),
      pattern: fc.constant('(a+)+$'),
      minLength: fc.integer(),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<JsonValue>,
  schema: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.boolean(), tie('object')),
}));
const document = fc.dictionary(names, fc.jsonValue() as fc.Arbitrary<JsonValue>, { maxKeys: 4 });

it('17.7 any value is refused as a JSON Schema or judges any document, without an error', () => {
  fc.assert(
    fc.property(fc.oneof(schema, fc.jsonValue() as fc.Arbitrary<JsonValue>), document, (value, judged) => {
      if (findSchemaFault(value) !== undefined || !isJsonSchema(value as JsonObject)) return;
      const faults = createValidator()('urn:example:a', value as JsonObject, judged as JsonObject);
      expect(faults.length).toBeLessThanOrEqual(20);
    }),
    { numRuns: 200 },
  );
});
