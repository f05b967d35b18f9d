import { parseMetaSchema } from '@vestibule/claims-schema';
import { schemaSlug } from '@vestibule/contracts';
import fc from 'fast-check';

const { pattern, maxLength } = schemaSlug.meta() as { readonly pattern: string; readonly maxLength: number };
const asDescribed = (slug: string) => new RegExp(pattern, 'u').test(slug) && slug.length <= maxLength;
const accepted = (slug: string) => parseMetaSchema({ schema: { fields: [] }, slug }, 'data').faults.length === 0;

describe('17.13 the slug that the API descriptions show', () => {
  it.each([
    ['employee-badge', true],
    ['a', true],
    ['a1-2b', true],
    ['a'.repeat(64), true],
    ['a'.repeat(65), false],
    ['', false],
    ['1a', false],
    ['A', false],
    ['a--b', false],
    ['-a', false],
    ['a-', false],
    ['a_b', false],
    ['a\n', false],
    ['ä', false],
  ])('is %j: %s, as the store judges it', (slug, expected) => {
    expect([asDescribed(slug), accepted(slug)]).toEqual([expected, expected]);
  });

  it('is what the store accepts, but for the names of W3C types', () => {
    const letters = fc.constantFrom('a', 'z', '0', '9', '-', 'A', '_', ' ');
    fc.assert(fc.property(fc.string({ unit: letters, maxLength: 12 }), (slug) => asDescribed(slug) === accepted(slug)));
  });
});
