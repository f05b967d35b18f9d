import { sha256Base64url } from '@vestibule/crypto';
import { VerificationFailure } from '@vestibule/foundation';
import { statusListUrl } from '@vestibule/oid4vci';
import { indexesWith, readPublishedStatuses, STATUS_INVALID, type StatusEntry } from '@vestibule/status-list';
import type { ListTerms, Publication } from './status-list';

/** More than a list of this program has: 1,048,576 entries of two bits. */
const MAX_LIST_BYTES = 4_194_304;

/** What a token says: the indexes that are revoked in it, and how long it may be used. */
interface PublishedList {
  readonly revoked: readonly number[];
  readonly terms: ListTerms;
}

/** The list that was published at `uri`; undefined if the token is no such list. */
function publishedList(token: string, uri: string): PublishedList | undefined {
  try {
    const list = readPublishedStatuses(token, MAX_LIST_BYTES);
    const { expiresAt, ttlSeconds } = list;
    if (list.uri !== uri || !expiresAt || ttlSeconds === undefined) return undefined;
    return { revoked: indexesWith(list, STATUS_INVALID), terms: { expiresAt, ttlSeconds } };
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
  /**
   * Learns what is revoked in a publication, and returns its terms; undefined for one that lacks what was revoked before, or
   * is another list.
   */
  readonly admit: (listId: string, publication: Pick<Publication, 'etag' | 'token'>) => ListTerms | undefined;
  /** Keeps what is revoked in a list that this process builds. */
  readonly keep: (listId: string, revoked: readonly number[]) => void;
}

interface SeenList {
  /** The publication that was seen last; undefined until one is seen after a list was built. */
  readonly published: { readonly etag: string; readonly terms: ListTerms } | undefined;
  readonly revoked: readonly number[];
}

/** Remembers the lists of one issuer identifier, each as it was last published. */
export function createRevocationMemory(issuerUrl: string): RevocationMemory {
  const lists = new Map<string, SeenList>();
  const read = (listId: string, token: string) => publishedList(token, statusListUrl(issuerUrl, listId));
  return {
    revokedIn: (listId) => lists.get(listId)?.revoked ?? [],
    publishedIn: (listId, token) => (token === undefined ? undefined : read(listId, token))?.revoked ?? [],
    hasSeenLast: (listId, etag) => etag !== undefined && lists.get(listId)?.published?.etag === etag,
    admit(listId, { etag, token }) {
      const seen = lists.get(listId);
      if (token !== undefined && sha256Base64url(token) !== etag) return undefined;
      if (seen?.published?.etag === etag) return seen.published.terms;
      const list = token === undefined ? undefined : read(listId, token);
      if (!list) return undefined;
      const { revoked, terms } = list;
      const all = new Set(revoked);
      if (seen?.revoked.some((idx) => !all.has(idx))) return undefined;
      lists.set(listId, { published: { etag, terms }, revoked });
      return terms;
    },
    keep: (listId, revoked) => void lists.set(listId, { published: undefined, revoked }),
  };
}
