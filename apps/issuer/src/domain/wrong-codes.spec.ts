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

  it('are tried one after the other, each offer for itself, whatever becomes of the one before', async () => {
    const codes = createWrongCodes();
    const steps: string[] = [];
    const attempt =
      (name: string, end: () => Promise<string> = async () => name) =>
      async () => {
        steps.push(`${name} begins`);
        await end();
        steps.push(`${name} ends`);
        return name;
      };
    let release: (reason: Error) => void = () => undefined;
    const held = new Promise<string>((_resolve, reject) => (release = reject));
    const first = codes.inTurn(
      'offer',
      attempt('first', () => held),
    );
    const second = codes.inTurn('offer', attempt('second'));
    expect(await codes.inTurn('other', attempt('other'))).toBe('other');
    expect(steps).toEqual(['first begins', 'other begins', 'other ends']);
    release(new Error('lost'));
    await expect(first).rejects.toThrow('lost');
    expect(await second).toBe('second');
    expect(await codes.inTurn('offer', attempt('third'))).toBe('third');
  });
});
