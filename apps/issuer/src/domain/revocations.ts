import { sha256Base64url } from '@vestibule/crypto';
import { VerificationFailure } from '@vestibule/foundation';
import { statusListUrl } from '@vestibule/oid4vci';
import { indexesWith, readPublishedStatuses, STATUS_INVALID, type StatusEntry } from '@vestibule/status-list';
import type { Publication } from './status-list';

/** More than a list of this program has: 1,048,576 entries of two bits. */
const MAX_LIST_BYTES = 4_194_304;

/** The indexes that are revoked in the list that was published at `uri`; undefined if the token is no such list. */
function publishedRevocations(token: string, uri: string): readonly number[] | undefined {
  try {
    const list = readPublishedStatuses(token, MAX_LIST_BYTES);
    return list.uri === uri ? indexesWith(list, STATUS_INVALID) : undefined;
  } catch (error) {
    if (error instanceof VerificationFailure) return undefined;
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

/** What this process has seen revoked: somebody who writes rows cannot set that back. */
export interface RevocationMemory {
  readonly revokedIn: (listId: string) => readonly number[];
  /** What is revoked in the token of a publication; nothing if it is no token of that list. */
  readonly publishedIn: (listId: string, token: string | undefined) => readonly number[];
  /** Is this the publication that was seen last? */
  readonly hasSeenLast: (listId: string, etag: string | undefined) => boolean;
  /** Learns what is revoked in a publication; false for one that lacks what was revoked before, or is another list. */
  readonly admits: (listId: string, publication: Pick<Publication, 'etag' | 'token'>) => boolean;
  /** Keeps what is revoked in a list that this process builds. */
  readonly keep: (listId: string, revoked: readonly number[]) => void;
}

interface SeenList {
  /** Of the publication that was seen last; undefined until one is seen after a list was built. */
  readonly etag: string | undefined;
  readonly revoked: readonly number[];
}

/** Remembers the lists of one issuer identifier, each as it was last published. */
export function createRevocationMemory(issuerUrl: string): RevocationMemory {
  const lists = new Map<string, SeenList>();
  const read = (listId: string, token: string) => publishedRevocations(token, statusListUrl(issuerUrl, listId));
  return {
    revokedIn: (listId) => lists.get(listId)?.revoked ?? [],
    publishedIn: (listId, token) => (token === undefined ? undefined : read(listId, token)) ?? [],
    hasSeenLast: (listId, etag) => etag !== undefined && lists.get(listId)?.etag === etag,
    admits(listId, { etag, token }) {
      const seen = lists.get(listId);
      if (token === undefined) return seen?.etag === etag;
      if (sha256Base64url(token) !== etag) return false;
      if (seen?.etag === etag) return true;
      const revoked = read(listId, token);
      if (!revoked) return false;
      const all = new Set(revoked);
      if (seen?.revoked.some((idx) => !all.has(idx))) return false;
      lists.set(listId, { etag, revoked });
      return true;
    },
    keep: (listId, revoked) => void lists.set(listId, { etag: undefined, revoked }),
  };
}
