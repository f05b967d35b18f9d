import type { Clock } from '@vestibule/foundation';
import { withTimeLimit } from './time-limit';

/** Something that was fetched and verified. */
export interface Loaded<T> {
  readonly value: T;
  /** From this time on the value is no longer used. */
  readonly usableUntil: Date;
  /** Until when {@link TokenCache.findStale} may still give it; absent: not after `usableUntil`. */
  readonly staleUntil?: Date;
  /** Memory that the value holds. */
  readonly bytes: number;
}

export interface TokenCacheOptions<T> {
  /** Fetches and verifies; what it throws goes to every caller that waits and is not remembered. */
  readonly load: (key: string) => Promise<Loaded<T>>;
  readonly maxBytes: number;
  readonly maxEntries: number;
  readonly clock: Clock;
  /** How long one load may take, default 10,000: no caller waits longer. */
  readonly loadMilliseconds?: number;
}

/** Verified values by key, bounded in memory. */
export interface TokenCache<T> {
  /** The value while it is usable, else a fresh one. Throws what the load throws, or `egress_timeout`. */
  get(key: string): Promise<T>;
  /** Loads although a value is usable. When that fails, the old value stays, for no longer than before. */
  refresh(key: string): Promise<T>;
  /** The value although it is not usable any more, while that is allowed; for when a fresh one is unavailable. */
  findStale(key: string): T | undefined;
  /** What is held now. */
  size(): { readonly entries: number; readonly bytes: number };
}

const endOf = ({ usableUntil, staleUntil = usableUntil }: Pick<Loaded<unknown>, 'usableUntil' | 'staleUntil'>) =>
  staleUntil > usableUntil ? staleUntil : usableUntil;

const DEFAULT_LOAD_MILLISECONDS = 10_000;

/** Values in the order of their last use, the oldest first. */
function createStore<T>({ maxBytes, maxEntries }: Pick<TokenCacheOptions<T>, 'maxBytes' | 'maxEntries'>) {
  const entries = new Map<string, Loaded<T>>();
  let bytes = 0;

  function remove(key: string): void {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  }

  return {
    find(key: string, now: Date): Loaded<T> | undefined {
      const entry = entries.get(key);
      if (!entry) return undefined;
      if (endOf(entry) <= now) {
        remove(key);
        return undefined;
      }
      entries.delete(key);
      entries.set(key, entry);
      return entry;
    },
    /** Replaces the value of the key; what is not usable any more, or larger than everything allowed, is not kept. */
    keep(key: string, loaded: Loaded<T>, now: Date): void {
      remove(key);
      if (!(endOf(loaded) > now) || !(loaded.bytes <= maxBytes)) return;
      entries.set(key, loaded);
      bytes += loaded.bytes;
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && bytes <= maxBytes) return;
        remove(oldest);
      }
    },
    size: () => ({ entries: entries.size, bytes }),
  };
}

/**
 * Makes a cache in which one load per key is under way at a time and all callers share it, the least recently used
 * values give way when memory is short, and a failed load neither counts as a value, nor replaces or prolongs one.
 * A caller that needs the value for a decision of its own (is this signer authorised for that issuer?) decides at each use.
 */
export function createTokenCache<T>(options: TokenCacheOptions<T>): TokenCache<T> {
  const { load, clock, loadMilliseconds = DEFAULT_LOAD_MILLISECONDS } = options;
  const store = createStore<T>(options);
  const loading = new Map<string, Promise<T>>();

  async function loadAndKeep(key: string): Promise<T> {
    try {
      const loaded = await withTimeLimit(loadMilliseconds, () => load(key));
      store.keep(key, loaded, clock());
      return loaded.value;
    } finally {
      loading.delete(key);
    }
  }

  function refresh(key: string): Promise<T> {
    const underWay = loading.get(key);
    if (underWay) return underWay;
    const started = loadAndKeep(key);
    loading.set(key, started);
    return started;
  }

  return {
    async get(key) {
      const now = clock();
      const entry = store.find(key, now);
      return entry && entry.usableUntil > now ? entry.value : refresh(key);
    },
    findStale: (key) => store.find(key, clock())?.value,
    refresh,
    size: store.size,
  };
}
