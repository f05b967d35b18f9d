import type { JsonValue } from '@vestibule/foundation';
import jsonld from 'jsonld';
import { contextTerms, parseClaimsSchema, parseMetaSchema, type ClaimsSchema } from './index';

const text = (name: string) => ({ kind: 'STRING', value: { name } });
const object = (name: string, ...fields: object[]) => ({ kind: 'OBJECT', value: { name, fields } });
const list = (name: string, ...fields: object[]) => ({
  kind: 'LIST',
  value: { name, items: { kind: 'OBJECT', value: { fields } } },
});
const pathsOf = (...fields: object[]) =>
  parseMetaSchema({ schema: { fields } } as unknown as JsonValue, 'm').faults.map(({ path }) => path);
const FIELDS = 'm.schema.fields[0].value.fields';

describe('a claim whose meaning depends on the JSON-LD library is refused, at its path', () => {
  it.each<[string, object, string]>([
    ['beside its namesake', object('a', text('x'), object('a', text('x'))), `${FIELDS}[1].value.fields[0].value.name`],
    ['in three of one name', object('a', object('a', object('a'))), `${FIELDS}[0].value.fields[0].value.name`],
    [
      'deeper inside',
      object('b', object('a', object('a', text('y'), text('x')), text('x'))),
      `${FIELDS}[0].value.fields[0].value.fields[1].value.name`,
    ],
    [
      'in lists',
      list('a', text('x'), list('a', text('x'))),
      'm.schema.fields[0].value.items.value.fields[1].value.items.value.fields[0].value.name',
    ],
  ])('%s', (_where, claim, path) => {
    expect(pathsOf(claim)).toEqual([path]);
  });

  it.each<[string, object]>([
    ['an object in one of its name, without a namesake', object('parent', text('first'), object('parent', text('x')))],
    [
      'the same names in objects of other names',
      object('a', text('x'), object('b', text('x'), object('a', text('x')))),
    ],
    ['what W3C defines, which no context of ours defines', object('a', text('name'), object('a', text('name')))],
    ['a text in an object of its name', object('a', text('a'))],
  ])('but not %s', (_what, claim) => {
    expect(pathsOf(claim)).toEqual([]);
  });

  it('and would have another IRI than its own with the library in use here', async () => {
    const claim = object('a', text('x'), object('a', text('x')));
    const schema = parseClaimsSchema({ fields: [claim] } as unknown as JsonValue, '').parsed as ClaimsSchema;
    const context = contextTerms(schema, { vocabulary: 'https://t.example/#', slug: undefined });
    const documentLoader = () => Promise.reject(new Error('nothing is loaded'));
    const document = { '@context': context, a: { x: 'outer' } };
    const expanded = JSON.stringify(await jsonld.expand(document, { base: null, safe: true, documentLoader }));
    expect([expanded.includes('#a.x"'), expanded.includes('#a.a.x"')]).toEqual([false, true]);
  });
});
