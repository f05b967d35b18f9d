import { WrongAnswer } from './patience';
import { presentationEnds } from './presentation-end';

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
