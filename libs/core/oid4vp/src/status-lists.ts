import { presentationFailure } from './failures';
import type { VerifiedPresentation } from './verify-presentation';

/**
 * The maximum number of status lists for the credentials of one answer, and of these, of lists of untrusted issuers.
 */
export const MAX_STATUS_LISTS = 16;
export const MAX_STRANGERS_STATUS_LISTS = 4;

/** True for a credential of an issuer that the operator's configuration does not vouch for. */
export function isOfStranger({ signedBy }: Pick<VerifiedPresentation, 'signedBy'>): boolean {
  return signedBy.method === 'certificate' && signedBy.trusted === false;
}

/**
 * Throws `too_many_status_lists` where one answer would send the verifier to more lists than that; to be asked before any of
 * them is fetched. A list that several credentials name counts once.
 */
export function requireFewStatusLists(
  presentations: readonly Pick<VerifiedPresentation, 'signedBy' | 'status'>[],
): void {
  const listsOf = (all: typeof presentations) => new Set(all.flatMap(({ status }) => status?.uri ?? []));
  const isTooMany =
    listsOf(presentations).size > MAX_STATUS_LISTS ||
    listsOf(presentations.filter(isOfStranger)).size > MAX_STRANGERS_STATUS_LISTS;
  if (isTooMany) throw presentationFailure('too_many_status_lists');
}
