import type { JsonValue } from '@vestibule/foundation';
import fc from 'fast-check';
import { CLAIM_KINDS, CLAIMS_LIMITS, parseClaimsSchema, parseMetaSchema, parsePublication, typeNameOf } from './index';
import { anySchema } from './testing/arbitraries.fixture-spec';

const parse = (value: unknown) => parseClaimsSchema(value as JsonValue, 'schema');
const pathsOf = (value: unknown) => parse(value).faults.map(({ path }) => path);
const field = (more: object, kind = 'STRING') => ({ fields: [{ kind, value: { name: 'a', ...more } }] });

const COMPLETE = {
  fields: [
    {
      kind: 'STRING',
      value: { name: 'given_name', not_empty: true, title: 'Given name', description: 'As in the passport' },
    },
    { kind: 'NUMBER', value: { name: 'height' } },
    { kind: 'BOOLEAN', value: { name: 'member' } },
    { kind: 'DATE', value: { name: 'birth_date' } },
    { kind: 'DATE_TIME', value: { name: 'seen_at' } },
    { kind: 'ENUM', value: { name: 'level', values: [{ value: 'gold', title: 'Gold' }, { value: 'silver' }] } },
    { kind: 'OBJECT', value: { name: 'address', fields: [{ kind: 'STRING', value: { name: 'street' } }] } },
    { kind: 'LIST', value: { name: 'tags', items: { kind: 'STRING', value: { not_empty: true } } } },
    { kind: 'LINKED_CREDENTIAL', value: { name: 'diploma' } },
    { kind: 'LINKED_FILE', value: { name: 'photo' } },
  ],
};

describe('a claims schema', () => {
  it('has all ten kinds, and comes back as it was given', () => {
    expect(COMPLETE.fields.map(({ kind }) => kind)).toEqual([...CLAIM_KINDS]);
    expect(parse(COMPLETE)).toEqual({ parsed: COMPLETE, faults: [] });
  });

  it('may have no claims yet', () => {
    expect(parse({ fields: [] })).toEqual({ parsed: { fields: [] }, faults: [] });
  });

  it.each<[string, unknown, string[]]>([
    ['nothing', undefined, ['schema']],
    ['an array', [], ['schema']],
    ['no fields', {}, ['schema.fields']],
    ['an unknown member', { fields: [], title: 'x' }, ['schema.title']],
    ['a field that is a text', { fields: ['a'] }, ['schema.fields[0]']],
    ['an unknown kind', field({}, 'TEXT'), ['schema.fields[0].kind']],
    ['a kind in lower case', field({}, 'string'), ['schema.fields[0].kind']],
    ['a kind that objects inherit', field({}, 'toString'), ['schema.fields[0].kind']],
    ['no name', { fields: [{ kind: 'STRING', value: {} }] }, ['schema.fields[0].value.name']],
    ['a name with a space', field({ name: 'a b' }), ['schema.fields[0].value.name']],
    ['a name of 65 characters', field({ name: 'a'.repeat(65) }), ['schema.fields[0].value.name']],
    ['__proto__', field({ name: '__proto__' }), ['schema.fields[0].value.name']],
    ['a name of W3C', field({ name: 'id' }), ['schema.fields[0].value.name']],
    ['a name of SD-JWT', field({ name: '_sd' }), ['schema.fields[0].value.name']],
    ['a name of SD-JWT VC', field({ name: 'vct' }), ['schema.fields[0].value.name']],
    ['a term of W3C that is no text', field({ name: 'description' }, 'NUMBER'), ['schema.fields[0].kind']],
    ['not_empty as text', field({ not_empty: 'true' }), ['schema.fields[0].value.not_empty']],
    ['a title with NUL', field({ title: 'a\u0000' }), ['schema.fields[0].value.title']],
    ['a title with half a surrogate pair', field({ title: '\ud800' }), ['schema.fields[0].value.title']],
    [
      'a description that is too long',
      field({ description: 'x'.repeat(2_049) }),
      ['schema.fields[0].value.description'],
    ],
    ['a member of another kind', field({ values: [] }), ['schema.fields[0].value.values']],
    ['ENUM without values', field({}, 'ENUM'), ['schema.fields[0].value.values']],
    ['ENUM with no value', field({ values: [] }, 'ENUM'), ['schema.fields[0].value.values']],
    ['ENUM with texts', field({ values: ['a'] }, 'ENUM'), ['schema.fields[0].value.values[0]']],
    [
      'ENUM with a value twice',
      field({ values: [{ value: 'a' }, { value: 'a' }] }, 'ENUM'),
      ['schema.fields[0].value.values[1].value'],
    ],
    ['OBJECT without fields', field({}, 'OBJECT'), ['schema.fields[0].value.fields']],
    ['LIST without items', field({}, 'LIST'), ['schema.fields[0].value.items']],
    ['a claim twice', { fields: [...field({}).fields, ...field({}).fields] }, ['schema.fields[1].value.name']],
  ])('is refused with %s, at its path', (_what, value, paths) => {
    expect([pathsOf(value), parse(value).parsed]).toEqual([paths, undefined]);
  });

  it('has texts of so many characters, not UTF-16 units, as the API description says', () => {
    const withTexts = (more: number) => {
      const [title, description] = [256 + more, 2_048 + more].map((length) => '😀'.repeat(length));
      return field({ title, description, values: [{ value: title, title }] }, 'ENUM');
    };
    expect(pathsOf(withTexts(0))).toEqual([]);
    const texts = ['title', 'description', 'values[0].value', 'values[0].title'];
    expect(pathsOf(withTexts(1))).toEqual(texts.map((text) => `schema.fields[0].value.${text}`));
  });

  it('names every fault at once, with what was probably meant', () => {
    const { faults } = parse({
      field: [],
      fields: [
        { kind: 'X', value: { nam: 'a' } },
        { kind: 'STRING', value: { name: 'a', tittle: 'x' } },
      ],
    });
    expect(faults).toEqual([
      { path: 'schema.field', message: 'is not a known member; did you mean fields?' },
      { path: 'schema.fields[0].kind', message: `must be one of ${CLAIM_KINDS.join(', ')}` },
      { path: 'schema.fields[1].value.tittle', message: 'is not a known member; did you mean title?' },
    ]);
  });

  it('reserves SD-JWT VC names at the top only', () => {
    const inner = { kind: 'STRING', value: { name: 'status' } };
    expect(parse(field({ fields: [inner] }, 'OBJECT')).faults).toEqual([]);
  });

  it(`is nested at most ${CLAIMS_LIMITS.maxDepth} claims deep, and has at most ${CLAIMS_LIMITS.maxFields} of them`, () => {
    const nested = (depth: number): object =>
      depth === 1 ? field({}).fields[0]! : { kind: 'LIST', value: { name: 'a', items: nested(depth - 1) } };
    expect(parse({ fields: [nested(6)] }).faults).toEqual([]);
    expect(parse({ fields: [nested(7)] }).faults).toEqual([
      expect.objectContaining({ message: 'is nested deeper than 6 claims' }),
    ]);
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ kind: 'STRING', value: { name: `a${index}` } }));
    expect(parse({ fields: many(512) }).faults).toEqual([]);
    expect(pathsOf({ fields: many(513) })).toEqual(['schema.fields']);
    const halves = ['x', 'y'].map((name) => ({ kind: 'OBJECT', value: { name, fields: many(256) } }));
    expect(pathsOf({ fields: halves })).toEqual(['schema']);
  });

  it('of any content is read as it is', () => {
    fc.assert(
      fc.property(anySchema, (schema) => {
        const given = JSON.parse(JSON.stringify(schema)) as JsonValue;
        expect(parseClaimsSchema(given, 'schema')).toEqual({ parsed: given, faults: [] });
      }),
      { numRuns: 500 },
    );
  });
});

describe('a meta schema', () => {
  it('is a schema with a slug and a version, which are optional', () => {
    const full = { schema: { fields: [] }, slug: 'employee-badge', version: 2 };
    expect(parseMetaSchema(full, 'meta_schema')).toEqual({ parsed: full, faults: [] });
    expect(parseMetaSchema({ schema: { fields: [] } }, '').parsed).toEqual({ schema: { fields: [] } });
  });

  it('names every fault', () => {
    const { faults } = parseMetaSchema({ schemas: 1, schema: {}, slug: 'A B', version: 0 }, 'meta_schema');
    expect(faults.map(({ path }) => path)).toEqual([
      'meta_schema.schemas',
      'meta_schema.schema.fields',
      'meta_schema.slug',
      'meta_schema.version',
    ]);
  });

  it.each(['verifiable-credential', 'json-schema'])('has not the slug %s: W3C defines that type', (slug) => {
    expect(parsePublication({ slug }).faults).toEqual([
      { path: 'slug', message: 'is the name of a type that W3C credentials define' },
    ]);
  });

  it('has no claim that is named like its type', () => {
    const { faults } = parseMetaSchema({ schema: field({ name: 'Badge' }), slug: 'badge' }, 'm');
    expect(faults).toEqual([{ path: 'm.slug', message: 'results in the type Badge, which is the name of a claim' }]);
  });
});

describe('a publication', () => {
  it('has version 1 when none is given', () => {
    expect(parsePublication({ slug: 'badge' }).parsed).toEqual({ slug: 'badge', version: 1 });
    expect(parsePublication({ slug: 'badge', version: 7 }).parsed).toEqual({ slug: 'badge', version: 7 });
  });

  it.each(['', 'Badge', 'a--b', '-a', 'a-', '1a', 'a/b', 'ä', 'a'.repeat(65)])('has not the slug "%s"', (slug) => {
    expect(parsePublication({ slug }).faults.map(({ path }) => path)).toEqual(['slug']);
  });

  it.each([0, -1, 1.5, 1_000_001, '1', null])('has not the version %j', (version) => {
    expect(parsePublication({ slug: 'a', version }).faults.map(({ path }) => path)).toEqual(['version']);
  });

  it('needs a slug, which makes the type of its credentials', () => {
    expect(parsePublication({}).faults).toEqual([{ path: 'slug', message: 'is required: the definition has no slug' }]);
    expect(typeNameOf('employee-badge2')).toBe('EmployeeBadge2');
  });
});
