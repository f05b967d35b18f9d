import { createFollowedLists, type Egress } from '@vestibule/egress';
import type { Clock } from '@vestibule/foundation';
import type { Logger, Metrics } from '@vestibule/process';
import {
  describeList,
  exchangeableLists,
  firstEndOf,
  LIST_GAUGES,
  LIST_REQUEST,
  listedAnchors,
  listReaders,
  type ConfiguredList,
  type VerifiedList,
} from '@vestibule/trusted-lists';
import type { TrustAnchor } from '@vestibule/x509-trust';

/** A list of wallet providers. */
export interface AttesterList extends ConfiguredList {
  readonly id: string;
  /** `keyOfList` */
  readonly key: string;
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

/**
 * All lists say who attests the same. But a host that shows one of them, as it was, in place of another would bring back
 * the attesters that have been taken off it since: how new it was before is known at its own address alone.
 */
function warnOfExchangeable(lists: readonly AttesterList[], logger: AttesterListsOptions['logger']): void {
  const exchangeable = exchangeableLists(lists.map((list) => ({ ...list, trustedFor: list.id })));
  if (exchangeable.length > 0)
    logger.warn('lists of one type and signer can be exchanged by who serves them: set schemeName', {
      lists: exchangeable.join(),
    });
}

/** Follows lists of wallet providers, which are fetched, verified and kept as the verifier does it with its lists. */
export function followAttesterLists(lists: readonly AttesterList[], options: AttesterListsOptions): AttesterLists {
  const { clock, skewSeconds, graceSeconds, pause } = options;
  warnOfExchangeable(lists, options.logger);
  /** It holds from `at`, too: a clock that was ahead for a moment must not decide until the next version of a list. */
  let composed: { anchors: readonly TrustAnchor[]; at: Date; until: number } | undefined;
  const documents = createFollowedLists<VerifiedList>({
    ...options,
    get: LIST_REQUEST,
    describe: (list, name) => describeList(list, name, clock()),
    onChange: () => (composed = undefined),
  });
  documents.follow(
    lists.map(({ id, url, ...rules }) => ({
      key: id,
      name: id,
      url,
      ...listReaders(() => ({ ...rules, now: clock(), skewSeconds, graceSeconds }), pause),
    })),
  );
  for (const { name, help, read } of LIST_GAUGES)
    options.metrics.gauges(name, help, 'list', () =>
      lists.map(({ id }) => [id, read(documents.find(id), id, clock())] as const),
    );
  return {
    anchors() {
      const now = clock();
      if (composed && now >= composed.at && now.getTime() < composed.until) return composed.anchors;
      const listed = lists.map(({ id }) => {
        const list = documents.find(id);
        return list ? listedAnchors(list, { id }, now) : undefined;
      });
      const anchors = listed.flatMap((one) => one?.anchors ?? []);
      const until = Math.min(FOREVER, ...listed.map((one) => one?.until.getTime() ?? FOREVER));
      composed = { anchors, at: now, until };
      return anchors;
    },
    isTried: () => documents.isTried(),
    firstEnd: () => firstEndOf(lists.map(({ id }) => documents.find(id))),
    close: () => documents.close(),
  };
}
