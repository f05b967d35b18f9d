import { createWrongCodes } from './wrong-codes';

describe('wrong transaction codes', () => {
  it('are too many after five for an offer, whatever others have had', () => {
    const codes = createWrongCodes();
    const seen: boolean[] = [];
    for (let count = 0; count < 6; count += 1) {
      seen.push(codes.areTooMany('offer'));
      codes.note('offer');
      if (count < 4) codes.note('other');
    }
    expect(seen).toEqual([false, false, false, false, false, true]);
    expect(codes.areTooMany('other')).toBe(false);
  });

  it('are remembered for a bounded number of offers, those tried last', () => {
    const codes = createWrongCodes(2);
    for (let count = 0; count < 5; count += 1) ['first', 'second'].forEach(codes.note);
    codes.note('first');
    codes.note('third');
    expect(['first', 'second', 'third'].map(codes.areTooMany)).toEqual([true, false, false]);
  });
});
