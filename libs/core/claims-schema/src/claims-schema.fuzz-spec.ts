import type { JsonValue } from '@vestibule/foundation';
import fc from 'fast-check';
import {
  findMissingValues,
  findValueFaults,
  jsonLdContext,
  jsonSchema,
  parseClaimsSchema,
  parseMetaSchema,
  parsePublication,
  sdJwtTypeMetadata,
  toPlainClaims,
} from './index';
import { anySchema, valuesOf } from './testing/arbitraries.fixture-spec';

const KEYS = [
  'fields',
  'kind',
  'value',
  'name',
  'values',
  'items',
  'title',
  '__proto__',
  'constructor',
  'slug',
  'schema',
];
const LEAVES = ['STRING', 'ENUM', 'LIST', 'OBJECT', 'a', '', '\ud800', null, true, 0, 1e308];
const soup = fc.letrec<{ tree: JsonValue }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constantFrom<JsonValue>(...LEAVES),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie('tree'), {
      maxKeys: 5,
      noNullPrototype: true,
    }) as fc.Arbitrary<JsonValue>,
  ),
})).tree;

describe("a stranger's JSON", () => {
  it('is read or refused with faults, never with an exception, as a schema', () => {
    fc.assert(
      fc.property(fc.oneof(soup, fc.jsonValue() as fc.Arbitrary<JsonValue>), (value) => {
        for (const { parsed, faults } of [
          parseClaimsSchema(value, 's'),
          parseMetaSchema(value, 's'),
          parsePublication(value),
        ]) {
          expect(parsed === undefined).toBe(faults.length > 0);
          for (const { path, message } of faults) expect(path.length + message.length).toBeLessThan(20_000);
        }
      }),
    );
    expect(({} as { kind?: string }).kind).toBeUndefined();
  });

  it('is judged, never with an exception, as values; what holds can be unwrapped', () => {
    const mutated = anySchema.chain((schema) =>
      fc.tuple(fc.constant(schema), valuesOf(schema), soup, fc.constantFrom('kind', 'value', 'extra', '__proto__')),
    );
    fc.assert(
      fc.property(mutated, ([schema, values, noise, member]) => {
        const [first] = Object.keys(values);
        const changed = JSON.parse(JSON.stringify(values)) as typeof values;
        if (first !== undefined) (changed[first] as Record<string, JsonValue>)[member] = noise;
        for (const candidate of [changed, noise]) {
          const faults = findValueFaults(candidate, schema, 'v');
          if (faults.length > 0) continue;
          findMissingValues(candidate as typeof values, schema, 'v');
          toPlainClaims(candidate as typeof values);
        }
      }),
    );
  });

  it('that is a schema gives all three formats', () => {
    fc.assert(
      fc.property(anySchema, (schema) => {
        const address = 'https://a.example/s';
        const formats = [
          jsonLdContext(schema, { vocabulary: `${address}#`, slug: 'a' }),
          jsonSchema(schema, { id: address, title: 'A' }),
          sdJwtTypeMetadata(schema, { vct: address, title: 'A' }),
        ];
        expect(JSON.parse(JSON.stringify(formats))).toEqual(formats);
      }),
    );
  });
});
