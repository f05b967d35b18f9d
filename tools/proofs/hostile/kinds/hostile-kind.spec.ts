import { createHolder } from '../handmade-credential';
import { HOSTILE_KINDS } from '../kinds';
import { asManyAsFit, filled, MAX_PRESENTATIONS, MAX_RESPONSE_BYTES } from './hostile-kind';

it('items fill the bytes that there are, and not one more', () => {
  expect(filled(9, () => 'abc')).toBe('abc,abc');
  expect(filled(8, (index) => String(index))).toBe('0,1,2,3');
  expect(filled(2, () => 'abc')).toBe('');
});

it('an answer has as many credentials as fit, and 64 at most', () => {
  const holder = createHolder();
  const credentials = (length: number) => asManyAsFit(() => ({ sdJwt: 'x'.repeat(length), holder }));
  expect(credentials(100)).toHaveLength(MAX_PRESENTATIONS);
  const large = credentials(100_000);
  expect(large).toHaveLength(Math.floor(MAX_RESPONSE_BYTES / 100_500));
});

it('kinds of answers have names of their own, which fit into the table', () => {
  const names = HOSTILE_KINDS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !/^[a-z0-9-]{3,19}$/.test(name))).toEqual([]);
});

it('the short form has some of them', () => {
  const short = HOSTILE_KINDS.filter(({ inShort }) => inShort);
  expect(short.length).toBeGreaterThan(5);
  expect(short.length).toBeLessThan(HOSTILE_KINDS.length);
});
