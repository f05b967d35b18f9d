import { DomainError, ProcessingFailure, type Clock } from '@vestibule/foundation';
import type { CacheUse } from './observed';
import { withTimeLimit } from './time-limit';

/** A fetched and verified value. */
export interface Loaded<T> {
  readonly value: T;
  /** From this time on the value is no longer used. */
  readonly usableUntil: Date;
  /** Until when {@link TokenCache.findStale} may still return it; by default not after `usableUntil`. */
  readonly staleUntil?: Date;
  /** The memory that the value occupies. */
  readonly bytes: number;
}

export interface TokenCacheOptions<T> {
  /**
   * Fetches and verifies; an error is not cached. It goes to the caller for which the load was begun, and to those that
   * joined: but if the value was unavailable, those of `get` and `refresh` get another load first, which began after they
   * came. Those of `renew` do not, and `renew` remembers a DomainError: see there.
   */
  readonly load: (key: string) => Promise<Loaded<T>>;
  readonly maxBytes: number;
  readonly maxEntries: number;
  readonly clock: Clock;
  /** Milliseconds that have passed, whatever the clock is set to; by default those of the process. */
  readonly stopwatch?: (() => number) | undefined;
  /** Is told of each use. */
  readonly onUse?: ((result: CacheUse) => void) | undefined;
  /** How long one load may take, default 10,000: no caller waits longer. */
  readonly loadMilliseconds?: number;
}

/** A value that is kept. */
export interface Found<T> {
  readonly value: T;
  readonly isFresh: boolean;
}

/** Verified values by key, bounded in memory. */
export interface TokenCache<T> {
  /** The value while it is usable, else a fresh one. Throws the error of the load, or `egress_timeout`. */
  get(key: string): Promise<T>;
  /** Loads even if a value is usable. If that fails, the old value is kept, for no longer than before. */
  refresh(key: string): Promise<T>;
  /**
   * For a value that its caller had to refuse: loads, unless a load is under way or ended less than this time ago. Then it
   * is what came of that: its DomainError, or the value that is kept, if that is usable. Any other error goes only to
   * those who waited for it. So refusals cause few requests, however many there are.
   */
  renew(key: string, quietMilliseconds: number): Promise<T | undefined>;
  /** A value that is no longer usable, as long as that is allowed; for when a fresh one is unavailable. */
  findStale(key: string): T | undefined;
  /** What `findStale` returns, without a use of it, and whether it is usable. */
  peek(key: string): Found<T> | undefined;
  /** The current content. */
  size(): { readonly entries: number; readonly bytes: number };
}

const endOf = ({ usableUntil, staleUntil = usableUntil }: Pick<Loaded<unknown>, 'usableUntil' | 'staleUntil'>) =>
  staleUntil > usableUntil ? staleUntil : usableUntil;

const DEFAULT_LOAD_MILLISECONDS = 10_000;

type StoreOptions<T> = Pick<TokenCacheOptions<T>, 'maxBytes' | 'maxEntries' | 'stopwatch'>;

const sinceStart = () => performance.now();

/** A value, and when it was kept: by the clock, and by the stopwatch. */
interface Kept<T> extends Loaded<T> {
  readonly keptAt: number;
  readonly keptMilliseconds: number;
}

/** Values in the order of their last use, least recent first. */
function createStore<T>({ maxBytes, maxEntries, stopwatch = sinceStart }: StoreOptions<T>) {
  const entries = new Map<string, Kept<T>>();
  let bytes = 0;

  /**
   * The time now, as far as a value is concerned: its clock may have been ahead when it was kept, and a value must not last
   * longer because the clock was set back.
   */
  const timeFor = ({ keptAt, keptMilliseconds }: Kept<T>, now: Date): number =>
    Math.max(now.getTime(), keptAt + (stopwatch() - keptMilliseconds));

  function remove(key: string): void {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  }

  return {
    find(key: string, now: Date): Found<T> | undefined {
      const entry = entries.get(key);
      if (!entry) return undefined;
      const time = timeFor(entry, now);
      if (endOf(entry).getTime() <= time) {
        remove(key);
        return undefined;
      }
      entries.delete(key);
      entries.set(key, entry);
      return { value: entry.value, isFresh: entry.usableUntil.getTime() > time };
    },
    /**
     * Replaces the value of the key; values that are no longer usable, or larger than the whole limit, are not kept.
     */
    keep(key: string, loaded: Loaded<T>, now: Date): void {
      remove(key);
      if (!(endOf(loaded) > now) || !(loaded.bytes <= maxBytes)) return;
      entries.set(key, { ...loaded, keptAt: now.getTime(), keptMilliseconds: stopwatch() });
      bytes += loaded.bytes;
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && bytes <= maxBytes) return;
        remove(oldest);
      }
    },
    size: () => ({ entries: entries.size, bytes }),
  };
}

/** A load that ended: when, by the clock and by the stopwatch, and why it failed, if that may be said again. */
interface Ended {
  readonly at: number;
  readonly milliseconds: number;
  readonly failed?: { readonly error: DomainError };
}

/** The last load of each key. Time has passed if either the clock or the stopwatch says so. Forgets the earliest. */
function createLastLoads({ maxEntries, clock, stopwatch = sinceStart }: Omit<TokenCacheOptions<unknown>, 'load'>) {
  const ended = new Map<string, Ended>();
  return {
    end(key: string, failed?: Ended['failed']): void {
      ended.delete(key);
      ended.set(key, { at: clock().getTime(), milliseconds: stopwatch(), ...(failed && { failed }) });
      const [earliest] = ended.keys();
      if (ended.size > maxEntries && earliest !== undefined) ended.delete(earliest);
    },
    findWithin(key: string, milliseconds: number): Ended | undefined {
      const last = ended.get(key);
      if (!last) return undefined;
      const passed = Math.max(clock().getTime() - last.at, stopwatch() - last.milliseconds);
      return passed < milliseconds ? last : undefined;
    },
  };
}

/** One load per key at a time. */
function createLoads<T>(options: TokenCacheOptions<T>, keep: (key: string, loaded: Loaded<T>) => void) {
  const { load, loadMilliseconds = DEFAULT_LOAD_MILLISECONDS } = options;
  const loading = new Map<string, Promise<T>>();
  const lastLoads = createLastLoads(options);

  async function loadAndKeep(key: string): Promise<T> {
    try {
      const loaded = await withTimeLimit(loadMilliseconds, () => load(key));
      keep(key, loaded);
      lastLoads.end(key);
      return loaded.value;
    } catch (error) {
      lastLoads.end(key, error instanceof DomainError ? { error } : undefined);
      throw error;
    } finally {
      loading.delete(key);
    }
  }

  function begin(key: string): Promise<T> {
    const started = loadAndKeep(key);
    loading.set(key, started);
    return started;
  }

  async function join(key: string, underWay: Promise<T>): Promise<T> {
    const cameAt = performance.now();
    try {
      return await underWay;
    } catch (error) {
      const left = loadMilliseconds - (performance.now() - cameAt);
      if (!(error instanceof ProcessingFailure) || left <= 0) throw error;
      return withTimeLimit(left, () => loading.get(key) ?? begin(key));
    }
  }

  return {
    refresh(key: string): Promise<T> {
      const underWay = loading.get(key);
      return underWay ? join(key, underWay) : begin(key);
    },
    /** Undefined if the last load has succeeded within this time, or failed in a way that nobody provided for. */
    async renew(key: string, quietMilliseconds: number): Promise<T | undefined> {
      const underWay = loading.get(key);
      if (underWay) return underWay;
      const last = lastLoads.findWithin(key, quietMilliseconds);
      if (!last) return begin(key);
      if (last.failed) throw last.failed.error;
      return undefined;
    },
  };
}

/**
 * Creates a cache with one load per key at a time, which all callers share. A load that began in an outage says nothing
 * about the time after it: a caller of `get` or `refresh` that joined it has one of its own. The least recently used values are evicted
 * when memory is short, and neither a failed load nor a clock that is set back prolongs a value. A caller that bases a decision on the
 * value (is this signer authorised for that issuer?) must make that decision at each use.
 */
export function createTokenCache<T>(options: TokenCacheOptions<T>): TokenCache<T> {
  const { clock, onUse } = options;
  const store = createStore<T>(options);
  const { refresh, renew } = createLoads(options, (key, loaded) => store.keep(key, loaded, clock()));
  const find = (key: string) => store.find(key, clock());

  return {
    async get(key) {
      const entry = find(key);
      onUse?.(entry?.isFresh ? 'hit' : 'miss');
      return entry?.isFresh ? entry.value : refresh(key);
    },
    findStale(key) {
      const entry = find(key);
      if (entry) onUse?.('stale');
      return entry?.value;
    },
    peek: find,
    refresh,
    async renew(key, quietMilliseconds) {
      const renewed = await renew(key, quietMilliseconds);
      if (renewed !== undefined) return renewed;
      const entry = find(key);
      return entry?.isFresh ? entry.value : undefined;
    },
    size: store.size,
  };
}
