import {
  acceptedOrRenewed,
  createNewestLists,
  createTokenCache,
  EGRESS_FAILURES,
  type Egress,
  type EgressResponse,
  type Loaded,
  type TokenCache,
  type TokenCacheOptions,
} from '@vestibule/egress';
import { parseJsonBytes, parseUrl, ProcessingFailure, type Clock } from '@vestibule/foundation';
import {
  vcdmFailure,
  verifyStatusListCredential,
  type StatusLists,
  type Understanding,
  type VerifiedStatusList,
} from '@vestibule/vcdm';

export interface StatusListCredentialsOptions {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly onUse?: TokenCacheOptions<VerifiedStatusList>['onUse'];
  readonly skewSeconds: number;
  /** `host` or `host:port` from which lists are fetched; without any, none is. */
  readonly hosts: readonly string[];
  /** DIDs whose lists are accepted for credentials of any issuer. */
  readonly issuers: readonly string[];
  /** How to interpret one list; lists are shared by all tenants. */
  readonly understand: () => Understanding;
  /** For all lists of one call together, default 4,000: its caller still gets the answer. */
  readonly callMilliseconds?: number;
}

const MEBIBYTE = 1_048_576;
/** The types of a credential with an embedded proof (VCDM 2.0 §C.1), and those that plain file servers give it. */
const MEDIA_TYPES = ['application/vc', 'application/ld+json', 'application/json'];
/** No redirects: only the hosts on the operator's list decide what a list says. */
const FETCH = {
  purpose: 'status-lists',
  accept: MEDIA_TYPES.join(', '),
  maxBytes: MEBIBYTE,
  timeoutMilliseconds: 4_000,
  maxRedirects: 0,
} as const;
const JSON_LIMITS = { maxDepth: 40, maxLength: MEBIBYTE };
const CACHE = { maxBytes: 64 * MEBIBYTE, maxEntries: 1_000, loadMilliseconds: 10_000 };
const DEFAULT_CALL_MILLISECONDS = 4_000;
const MAX_REMEMBERED_LISTS = 10_000;
/** After how long a list is fetched again early, because it says nothing about a credential that names it. */
const REFUSED_MILLISECONDS = 10_000;

const isEgressCode = (code: string): boolean => Object.hasOwn(EGRESS_FAILURES, code);

function unavailable(reason: string, cause?: unknown): ProcessingFailure {
  return new ProcessingFailure('vc_status_unavailable', `the status list is not available: ${reason}`, cause);
}

function contentOf({ status, contentType, body }: EgressResponse): Buffer {
  const essence = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (status < 200 || status > 299) throw unavailable('egress_status');
  if (!MEDIA_TYPES.includes(essence)) throw unavailable('egress_content_type');
  return body;
}

/** Ends waiting after the given time; the list that is under way is still kept for later calls. */
async function within<T>(milliseconds: number, task: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable('egress_timeout')), milliseconds);
  });
  try {
    return await Promise.race([task(), limit]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Status list credentials of W3C issuers: fetched from the operator's hosts only, verified once, and shared by all
 * calls while their ttl and validity last; one that says nothing about a credential is fetched again before that. Nothing
 * older is used when a list is unavailable, and a version older than one that was seen, as a cache on the way may serve it,
 * makes the list unavailable.
 */
export class StatusListCredentials {
  readonly #lists: TokenCache<VerifiedStatusList>;
  readonly #hosts: ReadonlySet<string>;
  readonly #issuers: ReadonlySet<string>;
  /** By address and issuer: nobody else's list makes those of an issuer look old. */
  readonly #newest = createNewestLists(MAX_REMEMBERED_LISTS, () => this.options.clock());

  constructor(private readonly options: StatusListCredentialsOptions) {
    this.#hosts = new Set(options.hosts.map((host) => new URL(`https://${host}`).host));
    this.#issuers = new Set(options.issuers);
    const { clock, onUse } = options;
    this.#lists = createTokenCache({ ...CACHE, clock, onUse, load: (url) => this.load(url) });
  }

  /**
   * The lists for the credentials of one call. `find` throws `vc_status_host_not_allowed`, `vc_status_list_invalid`,
   * and a ProcessingFailure: `vc_status_unavailable`, which names the code of the egress, or that of the canonicalizer.
   */
  forCall(): StatusLists {
    let until: number | undefined;
    const find: StatusLists['find'] = (url, judge) => {
      until ??= performance.now() + (this.options.callMilliseconds ?? DEFAULT_CALL_MILLISECONDS);
      return this.find(url, judge, until);
    };
    return { find, issuers: this.#issuers };
  }

  private async find(
    url: string,
    judge: Parameters<StatusLists['find']>[1],
    until: number,
  ): Promise<VerifiedStatusList> {
    const host = parseUrl(url)?.host;
    if (host === undefined || !this.#hosts.has(host)) throw vcdmFailure('vc_status_host_not_allowed');
    const milliseconds = until - performance.now();
    if (milliseconds <= 0) throw unavailable('egress_timeout');
    try {
      const list = await within(milliseconds, () => this.#lists.get(url));
      // The other lists of the call need time as well, and the refusal stands if this takes too long.
      const renew = () => within((until - performance.now()) / 2, () => this.#lists.renew(url, REFUSED_MILLISECONDS));
      return await acceptedOrRenewed(list, (found) => void judge?.(found), renew);
    } catch (error) {
      const isOfEgress = error instanceof ProcessingFailure && isEgressCode(error.code);
      throw isOfEgress ? unavailable(error.code, error) : error;
    }
  }

  private async load(url: string): Promise<Loaded<VerifiedStatusList>> {
    const { egress, clock, skewSeconds, understand } = this.options;
    const body = contentOf(await egress.get(url, FETCH));
    const document = parseJsonBytes(body, JSON_LIMITS);
    const value = await verifyStatusListCredential(document, url, { now: clock(), skewSeconds, ...understand() });
    this.requireNewest(url, value);
    return { value, usableUntil: value.usableUntil, bytes: value.bits.byteLength };
  }

  /** The clocks of an issuer's own replicas may differ. */
  private requireNewest(url: string, { issuerDid, validFrom }: VerifiedStatusList): void {
    if (!validFrom) return;
    const key = JSON.stringify([url, issuerDid]);
    const latest = new Date(validFrom.getTime() + this.options.skewSeconds * 1000);
    if (this.#newest.isOlder(key, latest)) throw unavailable('an older version than before was served');
    this.#newest.remember(key, validFrom);
  }
}
