import { VerificationFailure } from '@vestibule/foundation';
import { indexesWith, readPublishedStatuses, STATUS_INVALID, type StatusEntry } from '@vestibule/status-list';

/** More than a list of this program has: 1,048,576 entries of two bits. */
const MAX_LIST_BYTES = 4_194_304;

/** The indexes that were revoked in the list as it was last published at `uri`; none if there is no such list. */
export function publishedRevocations(token: string | undefined, uri: string): readonly number[] {
  if (token === undefined) return [];
  try {
    const list = readPublishedStatuses(token, MAX_LIST_BYTES);
    return list.uri === uri ? indexesWith(list, STATUS_INVALID) : [];
  } catch (error) {
    if (error instanceof VerificationFailure) return [];
    throw error;
  }
}

/** The indexes of revoked entries. */
export const revocationsOf = (entries: readonly StatusEntry[]): readonly number[] =>
  entries.filter(({ status }) => status === STATUS_INVALID).map(({ idx }) => idx);

/**
 * A revocation is final: what was revoked before stays so, whatever the entries say now. Returns the revoked indexes that
 * the entries have no more.
 */
export function lostRevocations(entries: readonly StatusEntry[], ...before: readonly (readonly number[])[]): number[] {
  const revoked = new Set(revocationsOf(entries));
  return [...new Set(before.flat())].filter((idx) => !revoked.has(idx));
}
