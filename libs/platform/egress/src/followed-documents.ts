import type { Egress, EgressResponse, GetOptions } from './egress';
import { egressFailure } from './failures';
import type { KeptCopy } from './kept-copy';

/** A document at an address that the operator configured. */
export interface DocumentSource<Value> {
  /** The same for the same address and the same rules: another key is another document, which starts again. */
  readonly key: string;
  /** For the log and the metrics. */
  readonly name: string;
  readonly url: string;
  /** Verifies the bytes; throws if they are not better than `previous`, which then stays. */
  readonly read: (bytes: Uint8Array, previous: Value | undefined) => Promise<Value>;
  /** The same for the kept copy, if that is judged in another way: later versions are compared with it. */
  readonly readKept?: ((bytes: Uint8Array) => Promise<Value>) | undefined;
}

export interface FollowedDocumentsOptions<Value> {
  readonly egress: Pick<Egress, 'get'>;
  readonly get: GetOptions;
  /** From one successful fetch to the next, give or take a tenth. */
  readonly refreshSeconds: number;
  /** From 0 to 1: replicas must not ask at the same moment. */
  readonly chance: () => number;
  /** Where the last good copy of a document is kept; absent: nowhere. */
  readonly keptCopyOf?: ((source: DocumentSource<Value>) => KeptCopy) | undefined;
  /** Called after each new version. */
  readonly onChange: (source: DocumentSource<Value>, value: Value, from: 'network' | 'kept copy') => void;
  /** Called for each failure: of the network, of `read`, of the copy. */
  readonly onFailure: (source: DocumentSource<Value>, error: unknown, at: 'network' | 'kept copy') => void;
}

/** Documents that are fetched again and again. */
export interface FollowedDocuments<Value> {
  /** Begins to follow these, and stops following all others. */
  follow(sources: readonly DocumentSource<Value>[]): void;
  /** The last good version; undefined as long as there was none. */
  find(key: string): Value | undefined;
  /** True once the first attempt for each document has ended, however it ended. */
  isTried(): boolean;
  /** Resolves when the current attempts have ended: of each document at least its first one. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

const FIRST_REST_SECONDS = 30;
const NOT_MODIFIED = 304;

interface Followed<Value> {
  readonly source: DocumentSource<Value>;
  value: Value | undefined;
  etag: string | undefined;
  failures: number;
  isTried: boolean;
  isStopped: boolean;
  timer: NodeJS.Timeout | undefined;
  attempt: Promise<void>;
}

function requireBody({ status, body }: EgressResponse): Buffer {
  if (status !== 200) throw egressFailure('egress_status');
  return body;
}

/** The rest before the next attempt: longer after each failure, and never longer than after a success. */
export function restSeconds(failures: number, refreshSeconds: number, chance: number): number {
  const rest = failures === 0 ? refreshSeconds : FIRST_REST_SECONDS * 2 ** Math.min(failures - 1, 16);
  return Math.min(rest, refreshSeconds) * (0.9 + chance * 0.2);
}

/** Fetches a document, and loads its kept copy: what cannot be used is reported and changes nothing. */
function createLoading<Value>({ egress, get, keptCopyOf, onChange, onFailure }: FollowedDocumentsOptions<Value>) {
  return {
    async fetch(document: Followed<Value>): Promise<void> {
      const { source, etag } = document;
      const response = await egress.get(source.url, { ...get, ifNoneMatch: etag });
      if (etag !== undefined && response.status === NOT_MODIFIED) return;
      const bytes = requireBody(response);
      const value = await source.read(bytes, document.value);
      if (document.isStopped) return;
      document.value = value;
      document.etag = response.etag;
      onChange(source, value, 'network');
      try {
        keptCopyOf?.(source).keep(bytes);
      } catch (error) {
        onFailure(source, error, 'kept copy');
      }
    },
    async loadKept(document: Followed<Value>): Promise<void> {
      const { source } = document;
      try {
        const bytes = keptCopyOf?.(source).load();
        if (!bytes) return;
        document.value = await (source.readKept?.(bytes) ?? source.read(bytes, undefined));
        if (!document.isStopped) onChange(source, document.value, 'kept copy');
      } catch (error) {
        onFailure(source, error, 'kept copy');
      }
    },
  };
}

/**
 * Follows documents: fetches each one immediately and then regularly, asks only for what has changed (`If-None-Match`),
 * and keeps the last good version in memory and, if configured, as a file that the next start begins with. A version that
 * cannot be fetched or is refused changes nothing.
 */
export function createFollowedDocuments<Value>(options: FollowedDocumentsOptions<Value>): FollowedDocuments<Value> {
  const { refreshSeconds, chance, onFailure } = options;
  const loading = createLoading(options);
  const followed = new Map<string, Followed<Value>>();

  async function attempt(document: Followed<Value>): Promise<void> {
    if (!document.isTried) await loading.loadKept(document);
    try {
      await loading.fetch(document);
      document.failures = 0;
    } catch (error) {
      document.failures += 1;
      if (!document.isStopped) onFailure(document.source, error, 'network');
    }
    document.isTried = true;
    if (document.isStopped) return;
    const seconds = restSeconds(document.failures, refreshSeconds, chance());
    document.timer = setTimeout(() => start(document), seconds * 1000);
  }

  function start(document: Followed<Value>): void {
    document.attempt = attempt(document);
  }

  function begin(source: DocumentSource<Value>): void {
    const fresh = { value: undefined, etag: undefined, failures: 0, isTried: false, isStopped: false };
    const document: Followed<Value> = { source, ...fresh, timer: undefined, attempt: Promise.resolve() };
    followed.set(source.key, document);
    start(document);
  }

  function stop(document: Followed<Value>): void {
    document.isStopped = true;
    clearTimeout(document.timer);
    followed.delete(document.source.key);
  }

  return {
    follow(sources) {
      const keys = new Set(sources.map(({ key }) => key));
      for (const document of [...followed.values()]) if (!keys.has(document.source.key)) stop(document);
      for (const source of sources) if (!followed.has(source.key)) begin(source);
    },
    find: (key) => followed.get(key)?.value,
    isTried: () => [...followed.values()].every((document) => document.isTried),
    settled: async () => void (await Promise.all([...followed.values()].map((document) => document.attempt))),
    async close() {
      const all = [...followed.values()];
      all.forEach(stop);
      await Promise.all(all.map((document) => document.attempt));
    },
  };
}
