import fc from 'fast-check';
import type { ClaimField, ClaimItem, ClaimsSchema } from '../claims-schema';
import type { DraftContent } from '../previous-version';
import type { JsonObject, JsonValue } from '@vestibule/foundation';

const NAMES = ['toString', 'constructor', 'value', 'kind', 'valueOf', 'given-name', '_x', 'a', 'b', 'Z9'];
const name = fc.oneof(fc.constantFrom(...NAMES), fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{3,9}$/));
const isFree = (text: string) =>
  !/^(name|description|mediaType|digest|type|id$|iss$|sub$|iat$|exp$|nbf$|jti$|vct$|aka_vcts$|cnf$|status$|_sd|__proto__$)/.test(
    text,
  );

const described = {
  not_empty: fc.boolean(),
  title: fc.string({ minLength: 1, maxLength: 12 }),
  description: fc.string({ minLength: 1, maxLength: 12 }),
};
const members = (more: Record<string, fc.Arbitrary<unknown>>, required: string[]): fc.Arbitrary<unknown> =>
  fc.record<Record<string, unknown>>(
    { name: name.filter(isFree), ...described, ...more },
    { requiredKeys: ['name', ...required] },
  );
const simpleKind = fc.constantFrom(
  'STRING' as const,
  'NUMBER' as const,
  'BOOLEAN' as const,
  'DATE' as const,
  'DATE_TIME' as const,
  'LINKED_CREDENTIAL' as const,
  'LINKED_FILE' as const,
);
const simple = fc.record({ kind: simpleKind, value: members({}, []) });
const enumValue = fc.record({ value: fc.constantFrom('red', 'green', 'constructor'), title: fc.constant('A title') });
const enumeration = fc.record({
  kind: fc.constant('ENUM' as const),
  value: members({ values: fc.uniqueArray(enumValue, { minLength: 1, selector: ({ value }) => value }) }, ['values']),
});

function fieldsWithin(depth: number): fc.Arbitrary<ClaimField[]> {
  const nested = depth === 1 ? [] : [objectOf(depth), listOf(depth)];
  const field = fc.oneof(simple, enumeration, ...nested) as fc.Arbitrary<ClaimField>;
  return fc.uniqueArray(field, { maxLength: 4, selector: ({ value }) => value.name });
}
const objectOf = (depth: number) =>
  fc.record({ kind: fc.constant('OBJECT' as const), value: members({ fields: fieldsWithin(depth - 1) }, ['fields']) });
const listOf = (depth: number): fc.Arbitrary<unknown> => {
  const item = fc.oneof(simple, enumeration, ...(depth === 2 ? [] : [objectOf(depth - 1), listOf(depth - 1)]));
  return fc.record({ kind: fc.constant('LIST' as const), value: members({ items: item }, ['items']) });
};

/** Schemas of every kind, up to four claims deep, with names that objects inherit. */
export const anySchema: fc.Arbitrary<ClaimsSchema> = fc.record({ fields: fieldsWithin(4) });

const instant = fc.date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
const text = fc.string({ maxLength: 12, unit: 'grapheme' }).filter((one) => !one.includes('\u0000'));

function contentOf(field: ClaimField | ClaimItem): fc.Arbitrary<JsonValue> {
  switch (field.kind) {
    case 'NUMBER':
      return fc
        .double({ noNaN: true, min: -(2 ** 53), max: 2 ** 53 })
        .map((number) => Number(number.toExponential(15)));
    case 'BOOLEAN':
      return fc.boolean();
    case 'DATE':
      return instant.map((date) => date.toISOString().slice(0, 10));
    case 'DATE_TIME':
      return instant.map((date) => date.toISOString());
    case 'ENUM':
      return fc.constantFrom(...field.value.values.map(({ value }) => value));
    case 'OBJECT':
      return valuesOf(field.value);
    case 'LIST':
      return fc.array(wrapped(field.value.items), { maxLength: 3 });
    case 'LINKED_CREDENTIAL':
      return fc.uuid().map((id) => `urn:uuid:${id}`);
    case 'LINKED_FILE':
      return fc
        .webUrl({ validSchemes: ['https'] })
        .map((url) => new URL(url).href)
        .filter((url) => !/['"<>^`{|}\\\s]/.test(url));
    case 'STRING':
      return text;
  }
}

const wrapped = (field: ClaimField | ClaimItem): fc.Arbitrary<JsonObject> =>
  fc.record({ kind: fc.constant(field.kind), value: contentOf(field) });

/** Values that a schema has nothing against; claims may be absent. */
export function valuesOf(schema: ClaimsSchema): fc.Arbitrary<JsonObject> {
  const all = Object.fromEntries(schema.fields.map((field) => [field.value.name, wrapped(field)]));
  return fc.record(all, { requiredKeys: [], noNullPrototype: true }) as fc.Arbitrary<JsonObject>;
}

const url = fc.constantFrom('https://a.example/one', 'https://b.example/two');

/** A draft with its schema; in every second one of them, the values fit another schema. */
export const anyDraft: fc.Arbitrary<{ schema: ClaimsSchema; content: DraftContent }> = fc
  .tuple(anySchema, anySchema, fc.boolean())
  .chain(([schema, other, fits]) =>
    fc.record({
      schema: fc.constant(schema),
      content: fc.record({
        meta_schema: url,
        json_ld_vocabs: fc.array(url, { maxLength: 2 }),
        vcdm_json_schemas: fc.array(url, { maxLength: 2 }),
        values: valuesOf(fits ? schema : other),
      }),
    }),
  );
