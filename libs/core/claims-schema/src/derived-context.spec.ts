import type { JsonObject, JsonValue } from '@vestibule/foundation';
import fc from 'fast-check';
import type { ClaimsSchema } from './claims-schema';
import { isDerivedContext } from './derived-context';
import { contextTerms } from './json-ld-context';
import { anySchema } from './testing/arbitraries.fixture-spec';

const VOCABULARY = 'https://connector.example/schemas/temporary/did%3Akey%3AzDna#';
const derive = (schema: ClaimsSchema, slug?: string) => contextTerms(schema, { vocabulary: VOCABULARY, slug });
const field = (kind: string, name: string, more: object = {}) => ({ kind, value: { name, ...more } });
const BADGE = {
  fields: [
    field('STRING', 'given_name'),
    field('STRING', 'name'),
    field('DATE', 'since'),
    field('OBJECT', 'office', { fields: [field('STRING', 'street'), field('OBJECT', 'empty', { fields: [] })] }),
    field('LIST', 'photos', { items: { kind: 'LINKED_FILE', value: {} } }),
    field('LIST', 'rows', { items: { kind: 'LIST', value: { items: { kind: 'OBJECT', value: { fields: [] } } } } }),
  ],
} as unknown as ClaimsSchema;

describe('a context that is derived from a claims schema', () => {
  it('is known again, whatever the schema and the slug', () => {
    fc.assert(
      fc.property(anySchema, fc.constantFrom(undefined, 'badge', 'employee-badge'), (schema, slug) => {
        expect(isDerivedContext(derive(schema, slug), VOCABULARY)).toBe(true);
      }),
    );
  });

  it('is known again with as many claims as a schema may have, and a type', () => {
    const fields = Array.from({ length: 512 }, (_, index) => field('STRING', `claim_${index}`));
    expect(isDerivedContext(derive({ fields } as unknown as ClaimsSchema, 'badge'), VOCABULARY)).toBe(true);
  });

  it('is not one with another vocabulary', () => {
    for (const other of ['', '#', VOCABULARY.slice(0, -1), `${VOCABULARY}#`, VOCABULARY.toUpperCase()]) {
      expect(isDerivedContext(derive(BADGE), other)).toBe(false);
    }
  });

  const context = derive(BADGE, 'badge');
  const term = (name: string) => context[name] as JsonObject;
  const office = term('office')['@context'] as JsonObject;
  it.each<[string, JsonObject]>([
    ['an alias of a keyword', { ...context, fake: '@index' }],
    ['an alias of a keyword as an object', { ...context, fake: { '@id': '@index' } }],
    ['a term for null', { ...context, fake: null }],
    ['a term of another vocabulary', { ...context, fake: { '@id': 'https://evil.example/fake' } }],
    ['a term named unlike its IRI', { ...context, fake: { '@id': `${VOCABULARY}given_name` } }],
    ['a vocabulary', { ...context, '@vocab': VOCABULARY }],
    ['a version', { '@version': 1.1, ...context }],
    ['protection', { ...context, '@protected': true }],
    ['a base', { ...context, '@base': VOCABULARY }],
    ['an import', { ...context, '@import': 'https://evil.example/' }],
    ['another container', { ...context, photos: { ...term('photos'), '@container': '@index' } }],
    ['two containers', { ...context, photos: { ...term('photos'), '@container': ['@list'] } }],
    ['an index', { ...context, given_name: { ...term('given_name'), '@index': 'x' } }],
    ['a reverse property', { ...context, given_name: { '@reverse': `${VOCABULARY}given_name` } }],
    ['a nested property', { ...context, given_name: { ...term('given_name'), '@nest': '@nest' } }],
    ['a prefix', { ...context, given_name: { ...term('given_name'), '@prefix': true } }],
    ['another type', { ...context, since: { ...term('since'), '@type': '@json' } }],
    [
      'members in another order',
      { ...context, since: { '@type': term('since')['@type'] as JsonValue, '@id': term('since')['@id'] as JsonValue } },
    ],
    [
      'another scoped context',
      { ...context, office: { ...term('office'), '@context': { ...office, fake: '@index' } } },
    ],
    ['no scoped context', { ...context, office: { ...term('office'), '@context': null } }],
    ['a scoped context by address', { ...context, office: { ...term('office'), '@context': VOCABULARY } }],
    ['a term for what W3C protects', { ...context, name: { '@id': `${VOCABULARY}name` } }],
    ['a term for an id', { ...context, id: { '@id': `${VOCABULARY}id` } }],
    ['a second type at its end', { ...context, 'x:y': { '@id': `${VOCABULARY}x:y` } }],
    ['a name that is no claim', { ...context, 'a b': { '@id': `${VOCABULARY}a b` } }],
    ['a document', { '@context': context }],
  ])('is not one with %s', (_what, changed) => {
    expect(isDerivedContext(context, VOCABULARY)).toBe(true);
    expect(isDerivedContext(changed, VOCABULARY)).toBe(false);
  });

  it('is not one with any other byte, and never a fault of the program', () => {
    const names = fc.constantFrom('given_name', 'office', '@id', '@type', '@context', '@container', '__proto__', 'x');
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, 1, '@list', '@index', `${VOCABULARY}given_name`, `${VOCABULARY}office.x`),
        fc.dictionary(names, tie('value'), { noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(names, value, { noNullPrototype: true }), (members) => {
        const known = isDerivedContext(members as JsonObject, VOCABULARY);
        const iris = JSON.stringify(members).match(/"@id":"[^"]*"/g) ?? [];
        if (known) expect(iris.every((iri) => iri.startsWith(`"@id":"${VOCABULARY}`))).toBe(true);
      }),
    );
  });
});
