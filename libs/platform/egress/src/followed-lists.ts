import type { LogFields, Logger, Metrics } from '@vestibule/process';
import {
  createFollowedDocuments,
  type DocumentSource,
  type FollowedDocuments,
  type FollowedDocumentsOptions,
} from './followed-documents';
import { createKeptCopy } from './kept-copy';

type Followed<List> = Pick<FollowedDocumentsOptions<List>, 'egress' | 'get' | 'refreshSeconds' | 'chance'>;

/** How lists of trusted entities are followed and reported. */
export interface FollowedListsOptions<List> extends Followed<List> {
  /** Where the last good copies are kept. */
  readonly folder?: string | undefined;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly metrics: Pick<Metrics, 'counter'>;
  /** What the log says of a list that was loaded. */
  readonly describe: (list: List, name: string) => LogFields;
  readonly onChange: () => void;
}

function reportsOf<List>({ logger, metrics, describe, onChange }: FollowedListsOptions<List>) {
  const help = 'Attempts to fetch lists of trusted entities, by list and outcome';
  const count = metrics.counter('trusted_list_fetches_total', help, 'list', 'outcome');
  return {
    onChange({ name }: DocumentSource<List>, list: List, from: string) {
      onChange();
      if (from === 'network') count(name, 'loaded');
      logger.info('a list of trusted entities was loaded', { ...describe(list, name), from });
    },
    onFailure({ name: list }: DocumentSource<List>, error: unknown, from: string) {
      if (from === 'network') count(list, 'failed');
      const fields = { list, from, error };
      logger.warn('a list of trusted entities could not be loaded or kept; what is in use stays in effect', fields);
    },
  };
}

/** Follows lists of trusted entities: each version and each failure is in the log and counted in metrics. */
export function createFollowedLists<List>(options: FollowedListsOptions<List>): FollowedDocuments<List> {
  const { egress, get, refreshSeconds, chance, folder } = options;
  const copyOf = (kept: string) => (source: DocumentSource<List>) =>
    createKeptCopy(kept, source.name, source.url, get.maxBytes);
  return createFollowedDocuments({
    egress,
    get,
    refreshSeconds,
    chance,
    keptCopyOf: folder === undefined ? undefined : copyOf(folder),
    ...reportsOf(options),
  });
}
