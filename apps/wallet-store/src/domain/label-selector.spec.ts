import { isLabelKey, isLabelValue } from '@vestibule/contracts';
import fc from 'fast-check';
import { matchesLabels } from '../testing/matches-labels.fixture-spec';
import { parseLabelSelector } from './label-selector';

const labels = { tier: 'gold', 'example.org/region': 'eu', empty: '' };

describe('a label selector', () => {
  it.each<[string, boolean]>([
    ['tier=gold', true],
    ['tier==gold', true],
    ['tier = gold', true],
    ['tier=silver', false],
    ['tier!=gold', false],
    ['tier!=silver', true],
    ['other!=gold', true],
    ['tier in (gold,silver)', true],
    ['tier in ( gold , silver )', true],
    ['tier in (silver)', false],
    ['tier notin (silver)', true],
    ['tier notin (gold, silver)', false],
    ['other notin (gold)', true],
    ['tier', true],
    ['other', false],
    ['!tier', false],
    ['!other', true],
    ['! other', true],
    ['empty=', true],
    ['empty in ()', true],
    ['example.org/region=eu', true],
    ['tier=gold,example.org/region=eu,!other', true],
    ['tier in (gold,silver),other', false],
    ['toString', false],
  ])('%s holds: %s', (text, expected) => {
    const selector = parseLabelSelector(text);
    expect(selector && matchesLabels(selector, labels)).toBe(expected);
  });

  it.each([
    '',
    ',',
    'tier=gold,',
    'tier=a=b',
    'tier in gold',
    'tier in (gold',
    'tier in gold)',
    'tier in ((gold))',
    'tier (gold)',
    'tier=ho lo',
    'in (a)',
    'a/b/c',
    '/a',
    'A.B/c',
    `${'k'.repeat(64)}`,
    `tier=${'v'.repeat(64)}`,
    '-a',
    'a-',
    'a'.repeat(1025),
    Array.from({ length: 21 }, () => 'a').join(','),
  ])('is not %j', (text) => {
    expect(parseLabelSelector(text)).toBeUndefined();
  });

  it('is read in bounded time, or refused, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ',', '(', ')', '!', '=', ' ', 'in', '/', '-') }), (text) => {
        for (const { key, values } of parseLabelSelector(text) ?? []) {
          expect([isLabelKey(key), values.every(isLabelValue)]).toEqual([true, true]);
        }
      }),
    );
  });
});
