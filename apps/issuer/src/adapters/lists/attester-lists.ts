import { createFollowedDocuments, createKeptCopy, type DocumentSource, type Egress } from '@vestibule/egress';
import type { Clock } from '@vestibule/foundation';
import type { Logger, Metrics } from '@vestibule/process';
import {
  describeList,
  firstEndOf,
  LIST_GAUGES,
  LIST_REQUEST,
  listedAnchors,
  verifyInTurns,
  type ConfiguredList,
  type VerifiedList,
} from '@vestibule/trusted-lists';
import type { TrustAnchor } from '@vestibule/x509-trust';

/** A list of wallet providers. */
export interface AttesterList extends ConfiguredList {
  readonly id: string;
}

export interface AttesterListsOptions {
  readonly egress: Pick<Egress, 'get'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly metrics: Pick<Metrics, 'gauges' | 'counter'>;
  readonly skewSeconds: number;
  readonly graceSeconds: number;
  readonly refreshSeconds: number;
  /** Where the last good copies are kept. */
  readonly folder?: string | undefined;
  /** From 0 to 1. */
  readonly chance: () => number;
  /** Lets other work pass. */
  readonly pause: () => Promise<unknown>;
}

/** The attesters of wallets and keys that lists name. */
export interface AttesterLists {
  /** The same array for as long as nothing changes. */
  anchors(): readonly TrustAnchor[];
  /** True once it was tried to fetch every list. */
  isTried(): boolean;
  /** The end of the list that ends first; undefined if one is not known. */
  firstEnd(): Date | undefined;
  close(): Promise<void>;
}

/** Follows these lists. */
export type FollowAttesterLists = (lists: readonly AttesterList[]) => AttesterLists;

const FOREVER = 8.64e15;

function reports({ logger, metrics, clock }: AttesterListsOptions, onChange: () => void) {
  const help = 'Attempts to fetch lists of trusted entities, by list and outcome';
  const count = metrics.counter('trusted_list_fetches_total', help, 'list', 'outcome');
  return {
    onChange(source: DocumentSource<VerifiedList>, list: VerifiedList, from: string) {
      onChange();
      if (from === 'network') count(source.name, 'loaded');
      const description = describeList(list, source.name, clock());
      logger.info('a list of trusted entities was loaded', { ...description, from });
    },
    onFailure(source: DocumentSource<VerifiedList>, error: unknown, at: string) {
      if (at === 'network') count(source.name, 'failed');
      logger.warn('a list of trusted entities could not be loaded or kept; what is in use stays in effect', {
        list: source.name,
        from: at,
        error,
      });
    },
  };
}

/** Follows lists of wallet providers, which are fetched, verified and kept as the verifier does it with its lists. */
export function followAttesterLists(lists: readonly AttesterList[], options: AttesterListsOptions): AttesterLists {
  const { egress, clock, skewSeconds, graceSeconds, refreshSeconds, folder, chance, pause } = options;
  let composed: { anchors: readonly TrustAnchor[]; until: number } | undefined;
  const documents = createFollowedDocuments<VerifiedList>({
    egress,
    get: LIST_REQUEST,
    refreshSeconds,
    chance,
    keptCopyOf:
      folder === undefined ? undefined : ({ name, url }) => createKeptCopy(folder, name, url, LIST_REQUEST.maxBytes),
    ...reports(options, () => {
      composed = undefined;
    }),
  });
  documents.follow(
    lists.map(({ id, url, ...rules }) => ({
      key: id,
      name: id,
      url,
      read: (bytes, previous) =>
        verifyInTurns(bytes, { ...rules, now: clock(), skewSeconds, graceSeconds, previous }, pause),
    })),
  );
  for (const { name, help, read } of LIST_GAUGES)
    options.metrics.gauges(name, help, 'list', () =>
      lists.map(({ id }) => [id, read(documents.find(id), id, clock())] as const),
    );
  return {
    anchors() {
      const now = clock();
      if (composed && now.getTime() < composed.until) return composed.anchors;
      const listed = lists.map(({ id }) => {
        const list = documents.find(id);
        return list ? listedAnchors(list, { id }, now) : undefined;
      });
      const anchors = listed.flatMap((one) => one?.anchors ?? []);
      composed = { anchors, until: Math.min(FOREVER, ...listed.map((one) => one?.until.getTime() ?? FOREVER)) };
      return anchors;
    },
    isTried: () => documents.isTried(),
    firstEnd: () => firstEndOf(lists.map(({ id }) => documents.find(id))),
    close: () => documents.close(),
  };
}
