import { findRecovery, isCalm, QUESTIONS, type Sample } from './samples';

const sample = (
  question: Sample['question'],
  startedAt: number,
  outcome: Sample['outcome'] = 'good',
  took = 100,
): Sample => ({ question, startedAt, endedAt: startedAt + took, outcome });
const round = (startedAt: number, outcome: Sample['outcome'] = 'good', took = 100) =>
  QUESTIONS.map((question) => sample(question, startedAt, outcome, took));

describe('the recovery from a fault', () => {
  it('is complete when each question had a good answer, and counts from the mark', () => {
    const samples = [...round(0), ...round(1_000, 'away'), sample('search', 1_500), ...round(2_000), ...round(9_000)];
    expect(findRecovery(samples, 1_000)).toEqual({ firstGoodSeconds: 1.1, steadySeconds: 0 });
    expect(findRecovery(samples, 900)).toEqual({ firstGoodSeconds: 1.2, steadySeconds: 0.1 });
  });

  it('takes the slowest of the questions', () => {
    const samples = [...round(0).slice(1), sample('presentation', 0, 'good', 4_000)];
    expect(findRecovery(samples, 0).firstGoodSeconds).toBe(4);
  });

  it('has no first good answer where one question had none since the mark', () => {
    const samples = [...round(0), ...round(2_000).slice(1), sample('presentation', 2_000, 'wrong')];
    expect(findRecovery(samples, 1_000)).toEqual({ firstGoodSeconds: undefined, steadySeconds: 1 });
  });

  it('is steady after the last question that was asked in vain, however late that was known', () => {
    const samples = [...round(0), sample('search', 7_000, 'away', 30_000), ...round(8_000)];
    expect(findRecovery(samples, 0).steadySeconds).toBe(7);
  });
});

describe('calm', () => {
  const calm = { milliseconds: 2_000, patienceMilliseconds: 1_000 };
  const quiet = [...round(7_000, 'away'), ...round(8_500), ...round(9_500)];

  it('is when everything of late was answered well', () => {
    expect(isCalm(quiet, [9_900], 10_000, calm)).toBe(true);
  });

  it.each([
    ['something failed of late', [...quiet, sample('ready', 9_000, 'away')], []],
    ['something was wrong of late', [...quiet, sample('ready', 9_000, 'wrong')], []],
    ['somebody waits for long', quiet, [8_900]],
    ['a question was not asked of late', quiet.filter(({ question }) => question !== 'issuance'), []],
    ['nothing was asked at all', [], []],
  ])('is not when %s', (_what, samples, open) => {
    expect(isCalm(samples, open, 10_000, calm)).toBe(false);
  });
});
