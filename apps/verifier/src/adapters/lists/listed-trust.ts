import { createFollowedLists, type DocumentSource, type Egress, type FollowedDocuments } from '@vestibule/egress';
import type { Clock } from '@vestibule/foundation';
import type { IssuerTrust } from '@vestibule/oid4vp';
import type { Logger, Metrics } from '@vestibule/process';
import type { TypeDocument } from '@vestibule/sd-jwt-vc';
import {
  describeList,
  firstEndOf,
  LIST_GAUGES,
  LIST_REQUEST,
  listedAnchors,
  listReaders,
  type VerifiedList,
} from '@vestibule/trusted-lists';
import type { Purpose, TrustAnchor, TrustCoverage } from '@vestibule/x509-trust';
import { pause } from '../turns';
import { createHostedDocuments, type HostedDocument } from './hosted-documents';
import { exchangeableSettings, type ListSetting } from './list-settings';

export interface ListedTrustOptions {
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
}

/** Trust as the trust file has it, which lists of trusted entities may add to. */
export interface TrustWithLists extends IssuerTrust {
  readonly settings: readonly ListSetting[];
  /** Type Metadata on hosts. */
  readonly hosted: readonly HostedDocument[];
  /** The same trust with more anchors, with what lists decide about, and with Type Metadata from hosts. */
  withLists(
    anchors: readonly TrustAnchor[],
    lists: readonly TrustCoverage[],
    fetched: readonly TypeDocument[],
  ): IssuerTrust;
}

/** Trust in the entities of lists, beside that of the trust file. */
export interface ListedTrust {
  /** As the file and the lists are now. */
  readonly trust: () => IssuerTrust;
  /** Follows the lists of the trust file as it is now. */
  follow(): void;
  /** True where the trust file names lists. */
  hasLists(): boolean;
  /** True where the trust file names lists, or Type Metadata on hosts. */
  isFollowing(): boolean;
  /** True once it was tried to fetch each of them. */
  isTried(): boolean;
  /** The end of the list that ends first; undefined if one is not known. */
  firstEnd(): Date | undefined;
  close(): Promise<void>;
}

const FOREVER = new Date(8.64e15);

const purposesOf = ({ profile }: ListSetting): readonly Purpose[] => [
  ...new Set([...profile.services.values()].flat()),
];

function isKnown(list: VerifiedList | undefined, now: Date): boolean {
  return list !== undefined && (list.nextUpdateAt === undefined || now < list.usableUntil);
}

type Followed = FollowedDocuments<VerifiedList>;

/** The trust of the file with the anchors of all its lists at `now`, and until when that holds. */
function compose(
  file: TrustWithLists,
  documents: Followed,
  fetched: readonly TypeDocument[],
  now: Date,
): { trust: IssuerTrust; until: Date } {
  const listed = file.settings.map((setting) => {
    const list = documents.find(setting.key);
    const missing = isKnown(list, now) ? undefined : ('anchors' as const);
    const coverage = { purposes: purposesOf(setting), vcts: setting.use.vcts, missing };
    return { coverage, ...(list ? listedAnchors(list, setting.use, now) : { anchors: [], until: FOREVER }) };
  });
  const trust = file.withLists(
    listed.flatMap(({ anchors }) => anchors),
    listed.map(({ coverage }) => coverage),
    fetched,
  );
  return { trust, until: new Date(Math.min(...listed.map(({ until }) => until.getTime()), FOREVER.getTime())) };
}

function showLists(options: ListedTrustOptions, file: () => TrustWithLists, documents: Followed): void {
  const { metrics, clock } = options;
  for (const { name, help, read } of LIST_GAUGES)
    metrics.gauges(name, help, 'list', () =>
      file().settings.map(({ key, use: { id } }) => [id, read(documents.find(key), id, clock())] as const),
    );
}

/** Follows the lists of a trust file, and adds the entities on them to its trust. */
export function createListedTrust(file: () => TrustWithLists, options: ListedTrustOptions): ListedTrust {
  const { clock, skewSeconds, graceSeconds } = options;
  /** It holds from `at`, too: a clock that was ahead for a moment must not decide until the next version of a list. */
  let composed: { file: TrustWithLists; trust: IssuerTrust; at: Date; until: Date } | undefined;
  const forget = () => {
    composed = undefined;
  };
  const documents: Followed = createFollowedLists({
    ...options,
    get: LIST_REQUEST,
    describe: (list, name) => describeList(list, name, clock()),
    onChange: forget,
  });
  const hosted = createHostedDocuments(options, forget);
  showLists(options, file, documents);

  const sourceOf = ({ key, url, use, ...rules }: ListSetting): DocumentSource<VerifiedList> => ({
    key,
    url,
    name: use.id,
    ...listReaders(() => ({ ...rules, now: clock(), skewSeconds, graceSeconds }), pause),
  });

  const hasLists = () => file().settings.length > 0;
  const isFollowing = () => hasLists() || file().hosted.length > 0;

  function trust(): IssuerTrust {
    const current = file();
    if (!isFollowing()) return current;
    const now = clock();
    if (composed?.file !== current || now < composed.at || now >= composed.until)
      composed = { file: current, at: now, ...compose(current, documents, hosted.find(current.hosted), now) };
    return composed.trust;
  }

  return {
    trust,
    follow() {
      const exchangeable = exchangeableSettings(file().settings);
      if (exchangeable.length > 0)
        options.logger.warn('lists of one type and signer can be exchanged by who serves them: set schemeName', {
          lists: exchangeable.join(),
        });
      documents.follow(file().settings.map(sourceOf));
      hosted.follow(file().hosted);
      forget();
    },
    hasLists,
    isFollowing,
    isTried: () => documents.isTried() && hosted.isTried(),
    firstEnd: () => firstEndOf(file().settings.map(({ key }) => documents.find(key))),
    async close() {
      await Promise.all([documents.close(), hosted.close()]);
    },
  };
}
