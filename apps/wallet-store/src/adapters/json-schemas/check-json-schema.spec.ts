import type { JsonObject, JsonValue } from '@vestibule/foundation';
import { findSchemaFault } from './check-json-schema';
import { isJsonSchema } from './validate-document';

const chain = (length: number, make: (next: string) => JsonObject): JsonObject => ({
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries(
    Array.from({ length }, (_, index) => [`d${index}`, index === length - 1 ? true : make(`#/$defs/d${index + 1}`)]),
  ),
});

describe('17.7 a JSON Schema of the operator', () => {
  it.each<[string, JsonValue]>([
    ['nothing', {}],
    ['its draft and address', { $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'https://a.example/s' }],
    [
      'usual keywords',
      {
        type: 'object',
        properties: { pattern: { type: 'string', minLength: 1 }, $ref: { const: { pattern: 'data' } } },
        required: ['pattern'],
        anyOf: [{ if: true, then: { maxProperties: 3 } }, false],
        prefixItems: [{ format: 'date' }],
      },
    ],
    ['references', chain(20, (next) => ({ properties: { deeper: { $ref: next } } }))],
    [
      'a reference twice',
      { allOf: [{ $ref: '#/$defs/a~1b' }, { $ref: '#/$defs/a~1b' }], $defs: { 'a/b': { type: 'object' } } },
    ],
  ])('17.7 is used with %s', (_what, schema) => {
    expect(findSchemaFault(schema)).toBeUndefined();
    expect(isJsonSchema(schema as never)).toBe(true);
  });

  it.each<[string, JsonValue, string]>([
    ['no object', [], ''],
    ['another draft', { $schema: 'http://json-schema.org/draft-07/schema#' }, '$schema'],
    ['a regular expression', { properties: { a: { pattern: '^(a+)+$' } } }, 'properties.a.pattern'],
    ['names by a regular expression', { patternProperties: { '^(a+)+$': {} } }, 'patternProperties'],
    ['an unknown keyword', { properties: { a: { maximun: 1 } } }, 'properties.a.maximun'],
    ['a reference to another host', { $ref: 'https://evil.example/schema' }, '$ref'],
    ['a reference to a file', { allOf: [{ $ref: 'file:///etc/passwd' }] }, 'allOf[0].$ref'],
    ['a reference by anchor', { $ref: '#name' }, '$ref'],
    ['a reference to nothing', { $ref: '#/$defs/a' }, '$ref'],
    ['a reference to what only the prototype has', { $ref: '#/constructor' }, '$ref'],
    ['a reference that is no text', { $ref: 1 }, '$ref'],
    ['a reference to itself', { properties: { a: { $ref: '#' } } }, 'properties.a.$ref'],
    ['a circle', { $ref: '#/$defs/a', $defs: { a: { not: { $ref: '#/$defs/a' } } } }, '$ref.not.$ref'],
    ['a dynamic reference', { $dynamicRef: '#a' }, '$dynamicRef'],
    ['an address within', { properties: { a: { $id: 'https://a.example/' } } }, 'properties.a.$id'],
    ['a number for a schema', { items: 1 }, 'items'],
    ['a list for a map', { properties: [] }, 'properties'],
  ])('17.7 is refused with %s, at its place', (_what, schema, path) => {
    expect(findSchemaFault(schema)).toMatchObject({ path });
  });

  it.each<[string, JsonValue]>([
    ['references that double', chain(40, (next) => ({ allOf: [{ $ref: next }, { $ref: next }] }))],
    [
      'references that double below members',
      chain(40, (next) => ({ properties: { a: { $ref: next }, b: { $ref: next } } })),
    ],
    ['a long list of values', { enum: Array.from({ length: 3_000 }, (_, index) => index) }],
    [
      'many members',
      { properties: Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`m${index}`, true])) },
    ],
  ])('17.7 is refused with %s: it is too large', (_what, schema) => {
    expect(findSchemaFault(schema)?.message).toContain('2048 values');
  });
});
