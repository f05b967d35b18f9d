import { WrongAnswer } from './patience';

/** What a request shows of its end at the management listener. */
export interface ShownEnd {
  readonly status?: string;
  readonly checks?: readonly { readonly outcome: string; readonly code?: string }[];
}

/**
 * A wrong answer to a wallet's response with what the wallet is not told: how many tries there were, how its request
 * ended, and the code of the check that failed.
 */
export function explainWrongAnswer({ message }: WrongAnswer, tries: number, { status, checks }: ShownEnd): WrongAnswer {
  const code = checks?.find(({ outcome }) => outcome === 'failed')?.code;
  const end = [status ?? 'unknown', ...(code === undefined ? [] : [code])].join(', ');
  return new WrongAnswer(`${message} at try ${tries}, and the request is ${end}`);
}

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
