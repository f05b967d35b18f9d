/** @jest-environment ./tools/jest-context-environment.cjs */
import { createLineBudget } from './line-budget';

describe('a budget for log lines', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  function stage(perSecond: number) {
    const leftOut: [string, number][] = [];
    const admit = createLineBudget({ perSecond, onLeftOut: (kind, count) => void leftOut.push([kind, count]) });
    const admitted = (kind: string, times: number) => Array.from({ length: times }, () => admit(kind)).filter(Boolean);
    return { leftOut, admitted: (kind: string, times: number) => admitted(kind, times).length };
  }

  it('lets so many of a kind through in a second, each kind for itself, and tells once how many were left out', () => {
    const { admitted, leftOut } = stage(20);
    expect([admitted('invalid_grant', 1_000), admitted('invalid_proof', 5)]).toEqual([20, 5]);
    jest.advanceTimersByTime(999);
    expect([admitted('invalid_grant', 1), leftOut]).toEqual([0, []]);
    jest.advanceTimersByTime(1);
    expect(leftOut).toEqual([['invalid_grant', 981]]);
    jest.advanceTimersByTime(10_000);
    expect(leftOut).toHaveLength(1);
  });

  it('begins anew with the first line after a second', () => {
    const { admitted, leftOut } = stage(2);
    expect(admitted('x', 2)).toBe(2);
    jest.advanceTimersByTime(1_000);
    expect([admitted('x', 3), leftOut]).toEqual([2, []]);
    jest.advanceTimersByTime(1_000);
    expect(leftOut).toEqual([['x', 1]]);
  });

  it('sets one timer for a second, however many lines come, and none while nothing is written', () => {
    const { admitted } = stage(2);
    expect(jest.getTimerCount()).toBe(0);
    for (const kind of ['a', 'b', 'c']) admitted(kind, 100);
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(1_000);
    expect(jest.getTimerCount()).toBe(0);
  });
});
