import { createHash } from 'node:crypto';
import type { Clock } from '@vestibule/foundation';

/** No list is accepted that is from further in the future. */
const CLOCKS_DIFFER_MILLISECONDS = 60_000;

const hashOf = (uri: string): string => createHash('sha256').update(uri).digest('base64url');

/** For each address, when the newest accepted list was issued. */
export interface NewestLists {
  /** True if the list is older than one that was accepted before. */
  isOlder(uri: string, issuedAt: Date): boolean;
  /** Call it only for a list with an authorised signer: otherwise a forged list could block the genuine one. */
  remember(uri: string, issuedAt: Date): void;
}

/** When a list was issued and when it was accepted, the latter in milliseconds of a stopwatch, which nobody sets. */
interface Accepted {
  readonly issuedAt: number;
  readonly acceptedAt: number;
}

/**
 * Remembers the newest lists that this process has accepted, up to `maxEntries`, the most recently used ones. Otherwise
 * an attacker between an issuer and this process could make what was revoked valid again, with an older list that has
 * not expired. Other replicas and lists accepted before the last start are not covered; for these, `exp` of the
 * list limits how old it can be. What was from the future when it was accepted, as today's clock has it, does not count: the
 * clock was ahead then, and no list would count until it is there again. If the clock is behind now, it counts once that is over.
 * So the newest list is kept, and the newest before it that counts.
 */
export function createNewestLists(
  maxEntries: number,
  clock: Clock,
  stopwatch: () => number = () => performance.now(),
): NewestLists {
  const accepted = new Map<string, readonly Accepted[]>();
  const counts = ({ issuedAt, acceptedAt }: Accepted): boolean =>
    issuedAt <= clock().getTime() - (stopwatch() - acceptedAt) + CLOCKS_DIFFER_MILLISECONDS;
  const newestOf = (lists: readonly Accepted[]): readonly Accepted[] =>
    lists.length === 0 ? [] : [lists.reduce((newest, list) => (list.issuedAt > newest.issuedAt ? list : newest))];
  const acceptedFor = (key: string): readonly Accepted[] => accepted.get(key) ?? [];
  return {
    isOlder: (uri, issuedAt) =>
      acceptedFor(hashOf(uri)).some((list) => issuedAt.getTime() < list.issuedAt && counts(list)),
    remember(uri, issuedAt) {
      const key = hashOf(uri);
      const now = { issuedAt: issuedAt.getTime(), acceptedAt: stopwatch() };
      const lists = [...acceptedFor(key).filter((list) => list.issuedAt !== now.issuedAt), now];
      const newest = newestOf(lists);
      const earlier = lists.filter((list) => !newest.includes(list) && counts(list));
      accepted.delete(key);
      accepted.set(key, [...newest, ...newestOf(earlier)]);
      if (accepted.size <= maxEntries) return;
      for (const oldest of accepted.keys()) {
        accepted.delete(oldest);
        return;
      }
    },
  };
}
