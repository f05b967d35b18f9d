import { toEgressFailure } from './failures';

/** What documents are fetched for: each may go through a proxy of its own. */
export const EGRESS_PURPOSES = ['status-lists', 'crl', 'trust-lists', 'issuer-metadata', 'type-metadata'] as const;
export type EgressPurpose = (typeof EGRESS_PURPOSES)[number];

/** Is told what a request was for, how long it took, and its result: `ok` or the code of its failure. */
export type Observe = (purpose: EgressPurpose, seconds: number, result: string) => void;

/** Whether a cached value was there, had to be fetched, or is an older one that may still serve. */
export type CacheUse = 'hit' | 'miss' | 'stale';

/** The part of a process's metrics that this library writes to. */
interface FetchMetrics {
  durations(
    name: `${string}_duration_seconds`,
    help: string,
    labels: readonly string[],
  ): (seconds: number, ...values: readonly string[]) => void;
  counter(name: string, help: string, ...labels: readonly string[]): (...values: readonly string[]) => void;
}

/** Measures each fetched document, by purpose and result. */
export function measuredFetches(metrics: Pick<FetchMetrics, 'durations'>): Observe {
  const help = 'Fetched documents, by purpose and result';
  const observe = metrics.durations('vestibule_fetch_duration_seconds', help, ['purpose', 'result']);
  return (purpose, seconds, result) => observe(seconds, purpose, result);
}

/** Counts each use of a cache of documents, by purpose and result. */
export function countedUses(metrics: Pick<FetchMetrics, 'counter'>, purpose: EgressPurpose): (use: CacheUse) => void {
  const help = 'Uses of cached documents, by purpose and result';
  const count = metrics.counter('cache_uses_total', help, 'purpose', 'result');
  return (use) => count(purpose, use);
}

type Get<Options, Response> = (url: string, options: Options) => Promise<Response>;

/** The same `get`, of which each call is told to `observe`. */
export function observed<Options extends { readonly purpose: EgressPurpose }, Response>(
  get: Get<Options, Response>,
  observe: Observe | undefined,
): Get<Options, Response> {
  if (!observe) return get;
  return async (url, options) => {
    const started = performance.now();
    let result = 'ok';
    try {
      return await get(url, options);
    } catch (error) {
      result = toEgressFailure(error).code;
      throw error;
    } finally {
      observe(options.purpose, (performance.now() - started) / 1000, result);
    }
  };
}
