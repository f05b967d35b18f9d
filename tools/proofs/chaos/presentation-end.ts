import { WrongAnswer } from './patience';

/**
 * How a presentation may end after the last answer to the wallet's response. If accepted, it is FULFILLED. The status
 * list of its credential comes from the issuer: while that is unavailable the verifier fails closed with 503, the
 * request ends as PROCESSING_ERROR, and a repeated response gets 400. Without a preceding 503 or lost answer, a refusal
 * is wrong.
 */
export function presentationEnds(status: number, wasAway: boolean): readonly string[] {
  if (status === 200) return ['FULFILLED'];
  if (status === 400 && wasAway) return ['PROCESSING_ERROR'];
  throw new WrongAnswer(`response: ${status}`);
}

/**
 * How a request ends if its wallet denied it (200, also for a repetition), or presented without key binding, or what is
 * revoked or suspended (400). Where a part was away, the status of the last may not have been known.
 */
export function deviationEnds(
  did: 'denied' | 'broken' | 'invalid',
  status: number,
  wasAway: boolean,
): readonly string[] {
  const expected = did === 'denied' ? 200 : 400;
  if (status !== expected) throw new WrongAnswer(`${did} response: ${status}`);
  if (did === 'denied') return ['REJECTED'];
  return did === 'invalid' && wasAway ? ['VERIFICATION_FAILED', 'PROCESSING_ERROR'] : ['VERIFICATION_FAILED'];
}
