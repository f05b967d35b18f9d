import type { JsonObject, JsonValue } from '@vestibule/foundation';
import { hostileUrls } from '@vestibule/testkit';
import fc from 'fast-check';
import {
  findMissingValues,
  findValueFaults,
  parseClaimsSchema,
  toPlainClaims,
  toTypedValues,
  type ClaimsSchema,
} from './index';
import { anySchema, valuesOf } from './testing/arbitraries.fixture-spec';

const one = (kind: string, more: object = {}) => ({ kind, value: { name: 'a', ...more } });
const schemaOf = (...fields: object[]): ClaimsSchema => {
  const { parsed } = parseClaimsSchema({ fields } as unknown as JsonValue, '');
  if (!parsed) throw new Error('the schema of the test is wrong');
  return parsed;
};
const FIELDS: Record<string, object> = {
  ENUM: one('ENUM', { values: [{ value: 'red' }] }),
  OBJECT: one('OBJECT', { fields: [{ kind: 'NUMBER', value: { name: 'n' } }] }),
  LIST: one('LIST', { items: { kind: 'NUMBER', value: {} } }),
};
const faultsOf = (kind: string, value: unknown) =>
  findValueFaults({ a: { kind, value } } as JsonObject, schemaOf(FIELDS[kind] ?? one(kind)), 'values');

describe('a typed value', () => {
  it.each<[string, unknown]>([
    ['STRING', ''],
    ['STRING', 'Zoë 😀'],
    ['STRING', '😀'.repeat(32_768)],
    ['NUMBER', 0],
    ['NUMBER', -(2 ** 53)],
    ['NUMBER', 0.1234567890123456],
    ['BOOLEAN', false],
    ['DATE', '2024-02-29'],
    ['DATE_TIME', '2026-03-01T23:59:59.123Z'],
    ['DATE_TIME', '2026-03-01T00:00:00+02:00'],
    ['ENUM', 'red'],
    ['OBJECT', {}],
    ['OBJECT', { n: { kind: 'NUMBER', value: 1 } }],
    ['LIST', []],
    ['LIST', [{ kind: 'NUMBER', value: 1 }]],
    ['LINKED_CREDENTIAL', 'did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169'],
    ['LINKED_CREDENTIAL', 'urn:uuid:6f7a6f3e-3f1e-4a53-9d5f-0b7f2f6d4d11'],
    ['LINKED_FILE', 'https://files.example/photo.jpg'],
  ])('of kind %s holds %j', (kind, value) => {
    expect(faultsOf(kind, value)).toEqual([]);
  });

  it.each<[string, unknown, string?]>([
    ['STRING', 1],
    ['STRING', null],
    ['STRING', undefined],
    ['STRING', 'a\u0000'],
    ['STRING', '\udc00'],
    ['STRING', 'x'.repeat(32_769)],
    ['STRING', '😀'.repeat(32_769)],
    ['NUMBER', '1'],
    ['NUMBER', 2 ** 53 + 2],
    ['NUMBER', -1.5e300],
    ['NUMBER', 0.1 + 0.2],
    ['NUMBER', Infinity],
    ['NUMBER', NaN],
    ['BOOLEAN', 'true'],
    ['DATE', '2026-02-30'],
    ['DATE', '0000-01-01'],
    ['DATE', '2026-01-01T00:00:00Z'],
    ['DATE', 20260101],
    ['DATE_TIME', '2026-01-01'],
    ['DATE_TIME', '2026-02-30T00:00:00Z'],
    ['DATE_TIME', '2026-01-01T24:00:00Z'],
    ['DATE_TIME', '2026-01-01T00:00:00'],
    ['ENUM', 'blue'],
    ['ENUM', 'constructor'],
    ['OBJECT', []],
    ['OBJECT', { n: 1 }, 'values.a.value.n'],
    ['OBJECT', { m: { kind: 'NUMBER', value: 1 } }, 'values.a.value.m'],
    ['OBJECT', { n: { kind: 'NUMBER', value: 'x' } }, 'values.a.value.n.value'],
    ['LIST', {}],
    [
      'LIST',
      [
        { kind: 'NUMBER', value: 1 },
        { kind: 'NUMBER', value: null },
      ],
      'values.a.value[1].value',
    ],
    ['LIST', Array.from({ length: 1_001 }, () => ({ kind: 'NUMBER', value: 1 }))],
    ['LINKED_CREDENTIAL', 'no uri'],
    ['LINKED_FILE', '/photo.jpg'],
    ['LINKED_FILE', 'https://a.example/<x>'],
    ['LINKED_CREDENTIAL', 'urn:uuid:a b'],
    ['LINKED_CREDENTIAL', 'did:web:host%3'],
    ...hostileUrls('files.example').map(([, text]) => ['LINKED_FILE', text] as [string, string]),
  ])('of kind %s does not hold %j', (kind, value, path = 'values.a.value') => {
    expect(faultsOf(kind, value).map((fault) => fault.path)).toEqual([path]);
  });

  it('has exactly a kind and a value, and the kind of the schema', () => {
    const schema = schemaOf(one('STRING'), { kind: 'NUMBER', value: { name: 'height' } });
    const values = { a: { kind: 'STRING', value: 'x', title: 'x' }, height: { kind: 'STRING', value: 'x' }, heigth: 1 };
    expect(findValueFaults(values, schema, 'data.values')).toEqual([
      { path: 'data.values.heigth', message: 'is not a claim of the schema; did you mean height?' },
      { path: 'data.values.a.title', message: 'is not a known member' },
      { path: 'data.values.height.kind', message: 'must be NUMBER, as in the schema' },
      { path: 'data.values.height.value', message: 'must be a number of at most 2^53 with at most 16 digits' },
    ]);
    expect(findValueFaults({ a: 'x' }, schema, 'v')).toEqual([{ path: 'v.a', message: 'must be an object' }]);
  });

  it('is not found among what objects inherit, and never touches a prototype', () => {
    const values = JSON.parse(
      '{"__proto__":{"kind":"STRING","value":"x"},"toString":{"kind":"STRING","value":"x"}}',
    ) as JsonObject;
    expect(findValueFaults(values, schemaOf(one('STRING')), 'v')).toEqual([
      { path: 'v.__proto__', message: 'is not a claim of the schema' },
      { path: 'v.toString', message: 'is not a claim of the schema' },
    ]);
    const plain = toPlainClaims(values);
    expect([Object.keys(plain), Object.getPrototypeOf(plain)]).toEqual([['__proto__', 'toString'], Object.prototype]);
  });
});

describe('completeness', () => {
  const schema = schemaOf(
    one('STRING', { not_empty: true }),
    { kind: 'STRING', value: { name: 'free' } },
    { kind: 'LIST', value: { name: 'list', not_empty: true, items: { kind: 'STRING', value: { not_empty: true } } } },
    {
      kind: 'OBJECT',
      value: { name: 'object', fields: [{ kind: 'DATE', value: { name: 'inner', not_empty: true } }] },
    },
  );

  it('needs a value for every claim that is not_empty, also within objects and lists that are there', () => {
    expect(findMissingValues({}, schema, 'values').map(({ path }) => path)).toEqual(['values.a', 'values.list']);
    const poor = {
      a: { kind: 'STRING', value: '' },
      list: { kind: 'LIST', value: [{ kind: 'STRING', value: '' }] },
      object: { kind: 'OBJECT', value: {} },
    };
    expect(findValueFaults(poor, schema, 'values')).toEqual([]);
    expect(findMissingValues(poor, schema, 'values')).toEqual([
      { path: 'values.a.value', message: 'must not be empty' },
      { path: 'values.list.value[0].value', message: 'must not be empty' },
      { path: 'values.object.value.inner', message: 'is required' },
    ]);
  });

  it('is reached with zero, false and what is optional left out', () => {
    const zero = schemaOf(one('NUMBER', { not_empty: true }), {
      kind: 'BOOLEAN',
      value: { name: 'b', not_empty: true },
    });
    expect(
      findMissingValues({ a: { kind: 'NUMBER', value: 0 }, b: { kind: 'BOOLEAN', value: false } }, zero, ''),
    ).toEqual([]);
  });
});

describe('plain claims', () => {
  it('of typed values are the values alone, and the schema makes typed values of them again', () => {
    fc.assert(
      fc.property(
        anySchema.chain((schema) => fc.tuple(fc.constant(schema), valuesOf(schema))),
        ([schema, values]) => {
          expect(findValueFaults(values, schema, 'values')).toEqual([]);
          expect(toTypedValues(toPlainClaims(values), schema)).toEqual(values);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('many members that a schema does not know', () => {
  it('are all refused, the first of them with what was probably meant', () => {
    const schema = schemaOf(one('STRING', { name: 'given_name' }));
    const unknown = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`given_nam${index}`, {}]));
    const faults = findValueFaults(unknown as JsonObject, schema, 'values');
    const suggested = faults.filter(({ message }) => message.includes('did you mean'));
    expect([faults.length, suggested.length]).toEqual([200, 50]);
  });
});
