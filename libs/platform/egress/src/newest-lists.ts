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

/**
 * Remembers the newest lists that this process has accepted, up to `maxEntries`, the most recently used ones. Otherwise
 * an attacker between an issuer and this process could make what was revoked valid again, with an older list that has
 * not expired. Other replicas and lists accepted before the last start are not covered; for these, `exp` of the
 * list limits how old it can be. What was accepted while the clock was ahead does not count once that was set back:
 * otherwise no list would count until the clock is there again.
 */
export function createNewestLists(maxEntries: number, clock: Clock): NewestLists {
  const newest = new Map<string, number>();
  const latestOf = (key: string): number => {
    const latest = newest.get(key) ?? -Infinity;
    return latest > clock().getTime() + CLOCKS_DIFFER_MILLISECONDS ? -Infinity : latest;
  };
  return {
    isOlder: (uri, issuedAt) => issuedAt.getTime() < latestOf(hashOf(uri)),
    remember(uri, issuedAt) {
      const key = hashOf(uri);
      const latest = Math.max(latestOf(key), issuedAt.getTime());
      newest.delete(key);
      newest.set(key, latest);
      if (newest.size <= maxEntries) return;
      for (const oldest of newest.keys()) {
        newest.delete(oldest);
        return;
      }
    },
  };
}
