import { sha256Base64url } from '@vestibule/crypto';

/** When the newest list that was believed was issued, for each address. */
export interface NewestLists {
  /** True for a list that is older than one that was believed before. */
  isOlder(uri: string, issuedAt: Date): boolean;
  /** To be called for a list whose signer is authorised: a stranger's list must not shut out the right one. */
  remember(uri: string, issuedAt: Date): void;
}

/**
 * Remembers the newest lists of this process, the ones that were looked at last: whoever stands between an issuer and this
 * verifier must not bring a credential back to life with an older list that is still valid. Other replicas and the time
 * before the last start are not known here; there `exp` of the list bounds how far back it can go.
 */
export function createNewestLists(maxEntries: number): NewestLists {
  const newest = new Map<string, number>();
  return {
    isOlder: (uri, issuedAt) => issuedAt.getTime() < (newest.get(sha256Base64url(uri)) ?? -Infinity),
    remember(uri, issuedAt) {
      const key = sha256Base64url(uri);
      const latest = Math.max(newest.get(key) ?? -Infinity, issuedAt.getTime());
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
