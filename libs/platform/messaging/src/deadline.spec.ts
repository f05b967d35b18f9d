import fc from 'fast-check';
import { awaitedUntil, CLOCKS_DIFFER_MILLISECONDS } from './deadline';

const arrivedAt = new Date('2026-03-01T12:00:00.000Z');
const timeoutMilliseconds = 10_000;
const at = (milliseconds: number) => new Date(arrivedAt.getTime() + milliseconds);
const until = (answerBy: Date | undefined) => awaitedUntil({ answerBy, arrivedAt, timeoutMilliseconds });

describe('a question is awaited', () => {
  it.each([
    ['until its deadline', at(9_990), at(9_990)],
    ['until its deadline, at the end of the contract’s time', at(10_000), at(10_000)],
    ['for the contract’s time, where its deadline is by a clock that is ahead', at(10_001), at(10_000)],
    ['for the contract’s time, where that clock is 2 s ahead', at(12_000), at(10_000)],
    ['for the contract’s time, where its deadline is further away than the contract allows', at(12_001), at(10_000)],
    ['for the contract’s time, where its deadline is in a hundred years', at(3e12), at(10_000)],
    ['for the contract’s time, where it names none', undefined, at(10_000)],
    ['perhaps still, where its deadline is 2 s ago', at(-2_000), at(-2_000)],
    ['by nobody, where its deadline is longer ago', at(-2_001), undefined],
    ['by nobody, where its deadline is of 1970', new Date(1), undefined],
  ])('%s', (_rule, answerBy, expected) => {
    expect(until(answerBy)).toEqual(expected);
  });

  it('and never dropped while its asker waits, whatever way it took and by how much the clocks differ', () => {
    const skew = fc.integer({ min: -CLOCKS_DIFFER_MILLISECONDS, max: CLOCKS_DIFFER_MILLISECONDS });
    const underWay = fc.integer({ min: 0, max: timeoutMilliseconds });
    fc.assert(
      fc.property(skew, underWay, (ahead, milliseconds) => {
        // Asked at `at(0)` of the answering clock, by a clock that is `ahead`; it arrives within the time.
        const answerBy = at(ahead + timeoutMilliseconds);
        const judged = awaitedUntil({ answerBy, arrivedAt: at(milliseconds), timeoutMilliseconds });
        expect(judged).toBeDefined();
        // And nobody works for longer than the contract allows.
        expect((judged as Date).getTime() - arrivedAt.getTime()).toBeLessThanOrEqual(
          milliseconds + timeoutMilliseconds,
        );
      }),
    );
  });

  it('for no longer than the contract allows, whatever the deadline says', () => {
    const stranger = fc.option(fc.date({ noInvalidDate: true }), { nil: undefined });
    fc.assert(
      fc.property(stranger, (answerBy) => {
        const judged = until(answerBy);
        if (judged === undefined) expect(answerBy?.getTime()).toBeLessThan(arrivedAt.getTime() - 2_000);
        else expect(judged.getTime()).toBeLessThanOrEqual(at(10_000).getTime());
      }),
    );
  });
});
