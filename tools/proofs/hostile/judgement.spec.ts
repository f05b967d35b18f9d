import { BOUNDS, costOf, excessesOf, medianCost, needsAnotherTry } from './judgement';

const CHEAP = { cpu: 100, stretch: 40 };
const FAIR = { cpu: BOUNDS.cpu, stretch: BOUNDS.stretch };
const DEAR = { cpu: BOUNDS.cpu + 1, stretch: 10 };
const LONG = { cpu: 10, stretch: BOUNDS.stretch + 1 };

describe('what one hostile answer may cost', () => {
  it('is 400 ms of both services together, and 150 ms of the busier loop', () => {
    expect(BOUNDS).toEqual({ cpu: 400, stretch: 150 });
    expect(costOf({ cpu: { verifier: 300, gateway: 50 }, longest: { verifier: 20, gateway: 30 } })).toEqual({
      cpu: 350,
      stretch: 30,
    });
  });

  it.each([
    ['one that costs little', [CHEAP], []],
    ['one at the bounds', [FAIR, FAIR, FAIR], []],
    ['one that was dear twice, while the machine was busy', [DEAR, CHEAP, LONG, CHEAP, CHEAP], []],
    [
      'one that is dear',
      [DEAR, DEAR, CHEAP, DEAR],
      ['kind: processor time 401 ms, may be 400 (the median of 4 tries)'],
    ],
    [
      'one that is long',
      [LONG, LONG, LONG],
      ['kind: stretch of an event loop 151 ms, may be 150 (the median of 3 tries)'],
    ],
    ['one that is not measured', [{ cpu: NaN, stretch: 1 }], ['kind: processor time NaN ms, may be 400 (one try)']],
  ])('is judged by the median: %s', (_, costs, sentences) => {
    expect(excessesOf('kind', costs)).toEqual(sentences);
  });

  it('says both when both are above', () => {
    expect(excessesOf('kind', [{ cpu: 1_000, stretch: 900 }])).toHaveLength(2);
    expect(medianCost([CHEAP, LONG, DEAR])).toEqual({ cpu: 100, stretch: 40 });
  });

  it.each([
    ['nothing was tried', [], true],
    ['the first is far below the bounds', [CHEAP], false],
    ['the first is near them', [FAIR], true],
    ['the first is above', [DEAR], true],
    ['two disagree', [DEAR, CHEAP], true],
    ['three are above', [DEAR, LONG, DEAR], false],
    ['three are within', [FAIR, FAIR, FAIR], false],
    ['two of four are', [DEAR, FAIR, DEAR, FAIR], true],
    ['there are five', [DEAR, FAIR, DEAR, FAIR, FAIR], false],
  ])('is tried again as long as that may change something: %s', (_, costs, expected) => {
    expect(needsAnotherTry(costs)).toBe(expected);
  });
});
