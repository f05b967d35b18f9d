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

/** When the newest list of an address was issued, and the newest before it that was not from the future then. */
type Accepted = readonly number[];

/**
 * Remembers the newest lists that this process has accepted, up to `maxEntries`, the most recently used ones. Otherwise
 * an attacker between an issuer and this process could make what was revoked valid again, with an older list that has
 * not expired. Other replicas and lists accepted before the last start are not covered; for these, `exp` of the
 * list limits how old it can be. What is from the future does not count, because it was accepted while the clock was ahead:
 * otherwise no list would count until the clock is there again. It counts then, for the clock may have been behind meanwhile.
 */
export function createNewestLists(maxEntries: number, clock: Clock): NewestLists {
  const accepted = new Map<string, Accepted>();
  const counts = (issuedAt: number) => issuedAt <= clock().getTime() + CLOCKS_DIFFER_MILLISECONDS;
  const acceptedFor = (key: string): Accepted => accepted.get(key) ?? [];
  return {
    isOlder: (uri, issuedAt) => acceptedFor(hashOf(uri)).some((time) => counts(time) && issuedAt.getTime() < time),
    remember(uri, issuedAt) {
      const key = hashOf(uri);
      const times = [...acceptedFor(key), issuedAt.getTime()];
      const newest = Math.max(...times);
      const earlier = times.filter((time) => time < newest && counts(time));
      accepted.delete(key);
      accepted.set(key, earlier.length === 0 ? [newest] : [newest, Math.max(...earlier)]);
      if (accepted.size <= maxEntries) return;
      for (const oldest of accepted.keys()) {
        accepted.delete(oldest);
        return;
      }
    },
  };
}
