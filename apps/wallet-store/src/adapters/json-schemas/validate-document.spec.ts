import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { JsonObject, JsonValue } from '@vestibule/foundation';
import { until } from '@vestibule/testkit';
import { createValidator, isJsonSchema } from './validate-document';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
setFlagsFromString('--no-expose-gc');

const validate = createValidator();
let count = 0;
const judge = (schema: JsonObject, document: JsonObject) => validate(`urn:example:${(count += 1)}`, schema, document);

describe('17.7 validating a document by a JSON Schema', () => {
  it.each<[string, JsonObject, JsonObject, string]>([
    ['a wrong type', { properties: { a: { type: 'number' } } }, { a: 'x' }, 'a must be of type number'],
    [
      'a missing member',
      { properties: { a: { required: ['b c'] } } },
      { a: {} },
      'a["b c"] is required by the JSON Schema',
    ],
    ['a surplus member', { additionalProperties: false }, { x: 1 }, 'x is not allowed by the JSON Schema'],
    [
      'a value that is not listed',
      { properties: { a: { enum: [1] } } },
      { a: 2 },
      'a does not satisfy enum of the JSON Schema',
    ],
    [
      'an element of a list',
      { properties: { a: { items: { properties: { '0': { const: 1 } } } } } },
      { a: [{}, { '0': 2 }] },
      'a[1].0 does not satisfy const of the JSON Schema',
    ],
  ])('17.7 names %s', (_what, schema, document, expected) => {
    expect(judge(schema, document).map(({ path, message }) => `${path} ${message}`)).toEqual([expected]);
  });

  it.each<[string, readonly JsonValue[], readonly JsonValue[]]>([
    [
      'members in another order',
      [
        { a: 1, b: [2] },
        { b: [2], a: 2 },
      ],
      [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
    ],
    ['other types', [1, '1', true, null, 'null', [], {}, '[]', [1], ['1']], [null, {}, null]],
    ['other zeros', [0, 1], [0, -0]],
    ['a member of the prototype', [{}, JSON.parse('{"__proto__":1}') as JsonValue], ['a', {}, 'a']],
    ['other nesting', [['a', 'b'], ['a,b'], [['a'], 'b']], [[['a'], 'b'], 1, [['a'], 'b']]],
    ['names that look like values', [{ 'a":1,"b': 2 }, { a: 1, b: 2 }], [{ a: { c: 1, b: 2 } }, { a: { b: 2, c: 1 } }]],
  ])('uniqueItems tells items apart: %s', (_what, different, repeated) => {
    const unique = (list: readonly JsonValue[], uniqueItems = true) =>
      judge({ properties: { a: { uniqueItems } } }, { a: [...list] }).map(({ path, message }) => `${path} ${message}`);
    expect(unique(different)).toEqual([]);
    expect(unique(repeated)).toEqual(['a does not satisfy uniqueItems of the JSON Schema']);
    expect(unique(repeated, false)).toEqual([]);
  });

  it('uniqueItems looks at each item once, not once for each other item', () => {
    let looks = 0;
    const items = Array.from({ length: 300 }, (_, index) =>
      Object.defineProperty({}, 'a', { get: () => ((looks += 1), index), enumerable: true }),
    );
    expect(judge({ properties: { a: { uniqueItems: true } } }, { a: items as JsonValue[] })).toEqual([]);
    expect(looks).toBeLessThan(1_000);
  });

  it('17.7 never shows a value', () => {
    const faults = judge({ properties: { a: { const: 'expected' } } }, { a: 'canary' });
    expect(JSON.stringify(faults)).not.toMatch(/canary|expected/);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['format, which only says something', { properties: { a: { format: 'date' } } }, { a: 'no date' }],
    ['an inherited member', { not: { required: ['constructor'] } }, {}],
    ['default, which fills in nothing', { properties: { a: { default: 1 } } }, {}],
  ])('17.7 does not judge by %s', (_what, schema, document) => {
    const before = structuredClone(document);
    expect(judge(schema, document)).toEqual([]);
    expect(document).toEqual(before);
  });

  it('17.7 compiles a schema once for each address, however often it is used', () => {
    const schema = { properties: { a: { type: 'number' } } };
    validate('urn:example:kept', schema, {});
    expect(validate('urn:example:kept', {}, { a: 'x' })).toHaveLength(1);
    for (let index = 0; index < 256; index += 1) validate(`urn:example:other:${index}`, {}, {});
    expect(validate('urn:example:kept', {}, { a: 'x' })).toEqual([]);
  });

  it('keeps fewer schemas if they are long: 8 MiB of them together, and always the latest', () => {
    const validate = createValidator();
    const long = { properties: { a: { type: 'number' } }, description: 'x'.repeat(3_000_000) };
    const isKept = (url: string) => validate(url, {}, { a: 'x' }).length === 1;
    for (const url of ['urn:example:1', 'urn:example:2']) validate(url, long, {});
    expect([isKept('urn:example:1'), isKept('urn:example:2')]).toEqual([true, true]);
    validate('urn:example:3', long, {});
    expect(isKept('urn:example:1')).toBe(false);
    validate('urn:example:4', { ...long, title: 'x'.repeat(9_000_000) }, {});
    expect(['urn:example:4', 'urn:example:3', 'urn:example:2'].map(isKept)).toEqual([true, false, false]);
  });

  it('forgets a schema, and what was made of it, that 256 others have displaced', async () => {
    const validate = createValidator();
    const displaced = (): WeakRef<JsonObject> => {
      const [schema, inner] = [{ type: 'object' } as JsonObject, { const: ['much'] } as JsonObject];
      validate('urn:example:displaced', Object.assign(schema, { properties: { a: inner } }), {});
      return new WeakRef(inner);
    };
    const schema = displaced();
    for (let index = 0; index < 256; index += 1) validate(`urn:example:later:${index}`, {}, {});
    await until(() => {
      collectGarbage();
      return schema.deref() === undefined;
    });
    expect(validate('urn:example:displaced', {}, {})).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['a type that does not exist', { type: 'text' }],
    ['a negative length', { minLength: -1 }],
    ['required that is no list', { required: 'a' }],
  ])('17.7 %s is no JSON Schema', (_what, schema) => {
    expect(isJsonSchema(schema)).toBe(false);
  });
});
