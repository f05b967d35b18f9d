import { WrongAnswer } from './patience';
import { deviationEnds, explainWrongAnswer, presentationEnds } from './presentation-end';

describe('the end of a presentation amid disturbances', () => {
  it.each([true, false])('is FULFILLED after 200, whether a part was away before or not (%s)', (wasAway) => {
    expect(presentationEnds(200, wasAway)).toEqual(['FULFILLED']);
  });

  it('is PROCESSING_ERROR, never FULFILLED, for a wallet that is refused after a part was away', () => {
    expect(presentationEnds(400, true)).toEqual(['PROCESSING_ERROR']);
  });

  it.each([
    [400, false],
    [401, true],
    [404, true],
    [204, false],
  ])('is none after %d (a part was away before: %s): the answer is wrong', (status, wasAway) => {
    expect(() => presentationEnds(status, wasAway)).toThrow(WrongAnswer);
  });
});

describe('the end of a request whose wallet does not present', () => {
  it('is REJECTED after 200 to a denial, VERIFICATION_FAILED after 400 to a presentation without key binding', () => {
    expect(deviationEnds('denied', 200, true)).toEqual(['REJECTED']);
    expect(deviationEnds('broken', 400, true)).toEqual(['VERIFICATION_FAILED']);
  });

  it('is VERIFICATION_FAILED for what is revoked, or PROCESSING_ERROR if a part was away before', () => {
    expect(deviationEnds('invalid', 400, false)).toEqual(['VERIFICATION_FAILED']);
    expect(deviationEnds('invalid', 400, true)).toEqual(['VERIFICATION_FAILED', 'PROCESSING_ERROR']);
  });

  it.each([
    ['denied', 400],
    ['broken', 200],
    ['invalid', 200],
  ] as const)('is none where a response that is %s is answered with %d', (did, status) => {
    expect(() => deviationEnds(did, status, true)).toThrow(WrongAnswer);
  });
});

describe('a wrong answer', () => {
  it.each([
    [
      { status: 'PROCESSING_ERROR', checks: [{ outcome: 'passed' }, { outcome: 'failed', code: 'egress_timeout' }] },
      'PROCESSING_ERROR, egress_timeout',
    ],
    [{ status: 'EXPIRED' }, 'EXPIRED'],
    [{}, 'unknown'],
  ])('comes with the end of its request', (shown, end) => {
    const explained = explainWrongAnswer(new WrongAnswer('response: 400'), 2, shown);
    expect(explained).toBeInstanceOf(WrongAnswer);
    expect(explained.message).toBe(`response: 400 at try 2, and the request is ${end}`);
  });
});
