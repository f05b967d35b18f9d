import { isWithin } from './text-length';

describe('the length of a text', () => {
  it.each<[string, number]>([
    ['', 0],
    ['abc', 3],
    ['Zoë', 3],
    ['😀', 1],
    ['a😀b', 3],
    ['\ud83d', 1],
    ['e\u0301', 2],
  ])('of %j is %d characters', (text, length) => {
    expect([isWithin(text, length), isWithin(text, length - 1)]).toEqual([true, false]);
  });

  it('is that of the whole text, however many of its characters are two UTF-16 units', () => {
    const text = `${'😀'.repeat(1_000)}${'x'.repeat(1_000)}`;
    expect([1_999, 2_000, 2_001].map((most) => isWithin(text, most))).toEqual([false, true, true]);
  });
});
