import { createFollowedDocuments, createKeptCopy, type DocumentSource, type Egress } from '@vestibule/egress';
import type { Clock } from '@vestibule/foundation';
import type { Logger, Metrics } from '@vestibule/process';
import {
  listedAnchors,
  MAX_LIST_BYTES,
  verifyTrustedList,
  type ListProfile,
  type VerifiedList,
} from '@vestibule/trusted-lists';
import type { Certificate, TrustAnchor } from '@vestibule/x509-trust';

/** A list of wallet providers: where it is, and who signs it. */
export interface AttesterList {
  readonly id: string;
  readonly url: string;
  readonly profile: ListProfile;
  readonly signers: readonly Certificate[];
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

const GET = {
  purpose: 'trust-lists',
  accept: 'application/jose, application/jwt, application/jose+json, application/json;q=0.9, */*;q=0.1',
  maxBytes: MAX_LIST_BYTES,
  timeoutMilliseconds: 20_000,
  maxRedirects: 3,
} as const;
const FOREVER = 8.64e15;

async function judged(
  bytes: Uint8Array,
  rules: Parameters<typeof verifyTrustedList>[1],
  pause: AttesterListsOptions['pause'],
): Promise<VerifiedList> {
  const steps = verifyTrustedList(bytes, rules);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await pause();
  }
}

function reports({ logger, metrics, clock }: AttesterListsOptions, onChange: () => void) {
  const help = 'Attempts to fetch lists of trusted entities, by list and outcome';
  const count = metrics.counter('trusted_list_fetches_total', help, 'list', 'outcome');
  return {
    onChange(source: DocumentSource<VerifiedList>, list: VerifiedList, from: string) {
      onChange();
      if (from === 'network') count(source.name, 'loaded');
      const { anchors, untrusted } = listedAnchors(list, { id: source.name }, clock());
      logger.info('a list of trusted entities was loaded', {
        list: source.name,
        from,
        sequence: list.sequence,
        issuedAt: list.issuedAt.toISOString(),
        nextUpdateAt: list.nextUpdateAt?.toISOString() ?? 'closed',
        anchors: anchors.length,
        untrustedServices: untrusted,
        ignored: list.ignored,
      });
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
    get: GET,
    refreshSeconds,
    chance,
    keptCopyOf: folder === undefined ? undefined : ({ name, url }) => createKeptCopy(folder, name, url, MAX_LIST_BYTES),
    ...reports(options, () => {
      composed = undefined;
    }),
  });
  documents.follow(
    lists.map(({ id, url, profile, signers }) => ({
      key: id,
      name: id,
      url,
      read: (bytes, previous) =>
        judged(bytes, { profile, signers, now: clock(), skewSeconds, graceSeconds, previous }, pause),
    })),
  );
  const endOf = ({ id }: AttesterList) => documents.find(id)?.usableUntil.getTime() ?? 0;
  options.metrics.gauges(
    'trusted_list_usable_until_timestamp_seconds',
    'Until when a list of trusted entities is used, its grace time included, in seconds since 1970; 0 if no version is known',
    'list',
    () => lists.map((list) => [list.id, endOf(list) / 1000] as const),
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
    firstEnd() {
      const ends = lists.map(endOf);
      return ends.length === 0 || ends.includes(0) ? undefined : new Date(Math.min(...ends));
    },
    close: () => documents.close(),
  };
}
