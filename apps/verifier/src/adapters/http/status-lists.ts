import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate, setTimeout as rest } from 'node:timers/promises';
import {
  acceptedOrRenewed,
  createNewestLists,
  createQuietTimes,
  createTokenCache,
  EGRESS_FAILURES,
  RedirectedFailure,
  requireContent,
  type Egress,
  type EgressFailureCode,
  type EgressResponse,
  type Loaded,
  type TokenCache,
  type TokenCacheOptions,
} from '@vestibule/egress';
import { ProcessingFailure, VerificationFailure, type Clock } from '@vestibule/foundation';
import {
  authoriseStatusSigner,
  isOfStranger,
  responseFailure,
  statusSignerKey,
  statusSignerValidUntil,
  unvouched,
  type SignerTrust,
  type VerifiedPresentation,
} from '@vestibule/oid4vp';
import { selectIssuerKey, type IssuerKey } from '@vestibule/sd-jwt-vc';
import {
  freshness,
  MAX_STATUS_TOKEN_LENGTH,
  readStatus,
  STATUS_LIST_MEDIA_TYPE,
  statusFailure,
  verifyStatus,
  verifyStatusListToken,
  type StatusList,
  type VerifyStatusListTokenOptions,
} from '@vestibule/status-list';
import type { CheckRevocation, StatusLookup } from '../../domain/ports';
import { within } from '../turns';
import { isUnavailable, namingStrangers, timedOut } from './status-list-failures';

export interface StatusListsOptions {
  readonly egress: Egress;
  readonly trust: () => SignerTrust;
  readonly clock: Clock;
  readonly onUse?: TokenCacheOptions<StatusList>['onUse'];
  readonly skewSeconds: number;
  /** How long a list may be used past its `ttl`, but never past its `exp`, while no fresh one is available. */
  readonly graceSeconds: number;
  /** For how long after its `iat` a list counts. */
  readonly maxAgeSeconds: number;
  /** Throws if a certificate of a list's signer is revoked. Default: not checked. */
  readonly checkRevocation?: CheckRevocation | undefined;
}

/** Whose list it is: that of an issuer in the operator's configuration, or of anyone else. */
type Owner = 'known' | 'stranger';

/**
 * Identifies a cached list, including the keys from its issuer's metadata, so that new keys take effect immediately.
 */
interface ListKey {
  readonly uri: string;
  readonly keys?: readonly IssuerKey[];
}

function listKeyOf(uri: string, signedBy: VerifiedPresentation['signedBy']): string {
  const key: ListKey = signedBy.method === 'metadata' ? { uri, keys: signedBy.keys } : { uri };
  return JSON.stringify(key);
}

const ownerOf = (presentation: Pick<VerifiedPresentation, 'signedBy'>): Owner =>
  isOfStranger(presentation) ? 'stranger' : 'known';

/** For all lists of one answer together, from the first lookup on. */
const DEADLINE_MILLISECONDS = 5_000;
const LIMITS = { timeoutMilliseconds: DEADLINE_MILLISECONDS, maxRedirects: 3 };
const FETCH = { ...LIMITS, purpose: 'status-lists', accept: STATUS_LIST_MEDIA_TYPE } as const;
const MEBIBYTE = 1_048_576;
/** Lists of unknown issuers are smaller (a token of 256 KiB, 33 million entries) and cannot evict others. */
const BOUNDS = {
  known: { maxBytes: MAX_STATUS_TOKEN_LENGTH, maxListBytes: 16 * MEBIBYTE, cacheBytes: 64 * MEBIBYTE },
  stranger: { maxBytes: MEBIBYTE / 4, maxListBytes: 4 * MEBIBYTE, cacheBytes: 16 * MEBIBYTE },
} as const;
const MAX_CACHED_LISTS = 1_000;
const MAX_REMEMBERED_LISTS = 100_000;
/** A credential that refers to a forbidden address is at fault itself. */
const FORBIDDEN_ADDRESS: readonly string[] = ['egress_refused_url', 'egress_refused_address'];
/** Failures that may be temporary; all others would recur. */
const PASSING = /^egress_(?:timeout|failed|status|unresolved|overloaded|proxy|proxy_refused)$/;
const RESTS_MILLISECONDS = [250, 1_000];
/** How long a host that could not be reached is not requested again, while an older list can be used instead. */
const QUIET_MILLISECONDS = 10_000;
/** After how long a cached list is fetched again early, because it says nothing about a credential that names it. */
const REFUSED_MILLISECONDS = 10_000;

/**
 * The limit of tokens to verify for one answer, in bytes: 4 MiB take 17 to 33 ms (decision 5). Cached lists are free.
 */
const MAX_ANSWER_BYTES = 8 * MEBIBYTE;
const TOO_LARGE = 'status_lists_too_large';

/** The budget of one answer's lists. */
interface Effort {
  readonly until: number;
  /** The size of the tokens fetched so far. */
  bytes: number;
}

/**
 * Looks up credentials in the status lists of their issuers, which are fetched once and shared while they are fresh.
 */
export class StatusLists {
  readonly #lists: Readonly<Record<Owner, TokenCache<StatusList>>>;
  /** Kept apart, so that unknown issuers cannot evict others' entries; if either has a newer list, that counts. */
  readonly #newest = {
    known: createNewestLists(MAX_REMEMBERED_LISTS, () => this.options.clock()),
    stranger: createNewestLists(MAX_REMEMBERED_LISTS, () => this.options.clock()),
  };
  readonly #efforts = new WeakMap<object, Effort>();
  /** Hosts that were unreachable just now. Kept apart: unknown issuers' lists also fail for reasons of their own. */
  readonly #unreachable = {
    known: createQuietTimes(QUIET_MILLISECONDS, MAX_CACHED_LISTS),
    stranger: createQuietTimes(QUIET_MILLISECONDS, MAX_CACHED_LISTS),
  };
  /** The answer that a list is fetched for; other answers that wait for the same list share it. */
  readonly #fetchedFor = new AsyncLocalStorage<Effort>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: StatusListsOptions) {
    this.#lists = { known: this.createCache('known'), stranger: this.createCache('stranger') };
  }

  /**
   * Passes only if the list says that the credential is valid, or if the credential has no status. Throws the failures
   * of the list and its signer, `status_list_rolled_back`, `egress_refused_url` and `egress_refused_address`
   * (VerificationFailures), `credential_revoked`, `credential_suspended`, `credential_status_unknown`, or a
   * ProcessingFailure if the list is unavailable: nothing is assumed about a list that was not seen.
   */
  async check(
    { status, ...presentation }: VerifiedPresentation,
    now: Date,
    { answer, note }: StatusLookup = { answer: {}, note: () => undefined },
  ): Promise<void> {
    if (!status) return;
    const key = listKeyOf(status.uri, presentation.signedBy);
    const owner = ownerOf(presentation);
    const effort = this.effortOf(answer);
    const found = await this.findNewest(key, owner, effort);
    const accept = async (list: StatusList): Promise<void> => {
      const signer = authoriseStatusSigner(list.header, presentation, this.options.trust(), now);
      if (signer) await this.options.checkRevocation?.(signer);
      this.#newest[owner].remember(status.uri, list.issuedAt);
      readStatus(list, status.idx);
    };
    const list = await acceptedOrRenewed(found.list, accept, () => this.renew(key, owner, effort));
    verifyStatus(list, status.idx);
    if (found.isPastTtl && list === found.list) note('status_list_past_ttl');
  }

  private createCache(owner: Owner): TokenCache<StatusList> {
    const { clock, onUse } = this.options;
    const maxBytes = BOUNDS[owner].cacheBytes;
    const load = (key: string) => this.load(JSON.parse(key) as ListKey, owner);
    return createTokenCache({ maxBytes, maxEntries: MAX_CACHED_LISTS, clock, onUse, load });
  }

  private effortOf(answer: object): Effort {
    const effort = this.#efforts.get(answer) ?? { until: performance.now() + DEADLINE_MILLISECONDS, bytes: 0 };
    this.#efforts.set(answer, effort);
    return effort;
  }

  /** The list, with retries until the answer's deadline; if it is unavailable, an older one within its grace period. */
  private async find(key: string, owner: Owner, effort: Effort): Promise<{ list: StatusList; isPastTtl: boolean }> {
    const { until } = effort;
    const lists = this.#lists[owner];
    if (this.#unreachable[owner].isOn(key)) {
      const stale = lists.findStale(key);
      if (stale) return { list: stale, isPastTtl: true };
    }
    for (let attempt = 0; ; attempt += 1) {
      try {
        const get = () => this.#fetchedFor.run(effort, () => lists.get(key));
        const list = await within(until - performance.now(), get, timedOut);
        this.#unreachable[owner].end(key);
        return { list, isPastTtl: false };
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        // It was fetched for another answer, which had used up its own budget.
        if (error.code === TOO_LARGE && effort.bytes <= MAX_ANSWER_BYTES) continue;
        const stale = lists.findStale(key);
        if (stale) {
          this.#unreachable[owner].begin(key);
          return { list: stale, isPastTtl: true };
        }
        const milliseconds = PASSING.test(error.code) ? RESTS_MILLISECONDS[attempt] : undefined;
        if (milliseconds === undefined || performance.now() + milliseconds >= until) throw error;
        await rest(milliseconds);
      }
    }
  }

  /** The same address may be cached for known and unknown issuers: the older of the two copies is fetched again. */
  private async findNewest(
    key: string,
    owner: Owner,
    effort: Effort,
  ): Promise<{ list: StatusList; isPastTtl: boolean }> {
    const found = await this.find(key, owner, effort);
    if (!this.isOlder(found.list)) return found;
    const refreshed = () => this.#fetchedFor.run(effort, () => this.#lists[owner].refresh(key));
    const list = await within(effort.until - performance.now(), refreshed, timedOut);
    this.refuseOlder(list);
    return { list, isPastTtl: false };
  }

  private async renew(key: string, owner: Owner, effort: Effort): Promise<StatusList | undefined> {
    const renewed = () => this.#fetchedFor.run(effort, () => this.#lists[owner].renew(key, REFUSED_MILLISECONDS));
    const list = await within(effort.until - performance.now(), renewed, timedOut);
    if (list) this.refuseOlder(list);
    return list;
  }

  private isOlder({ uri, issuedAt }: StatusList): boolean {
    return Object.values(this.#newest).some((lists) => lists.isOlder(uri, issuedAt));
  }

  private refuseOlder(list: StatusList): void {
    if (this.isOlder(list)) throw statusFailure('status_list_rolled_back');
  }

  /** Verifies lists sequentially and yields to other work in between, because several may arrive at the same moment. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(() => setImmediate()).then(work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  private async fetch(uri: string, owner: Owner): Promise<EgressResponse> {
    try {
      return await this.options.egress.get(uri, { ...FETCH, maxBytes: BOUNDS[owner].maxBytes, namedBy: owner });
    } catch (error) {
      if (!(error instanceof ProcessingFailure) || error instanceof RedirectedFailure) throw error;
      if (!FORBIDDEN_ADDRESS.includes(error.code)) throw error;
      const { meaning, remedy } = EGRESS_FAILURES[error.code as EgressFailureCode];
      throw new VerificationFailure(
        error.code,
        { section: 'Token Status List §11.4', meaning, remedy },
        undefined,
        error,
      );
    }
  }

  private async load(key: ListKey, owner: Owner): Promise<Loaded<StatusList>> {
    const token = requireContent(await this.fetch(key.uri, owner), STATUS_LIST_MEDIA_TYPE);
    this.spend(token.byteLength);
    return this.inTurn(() => this.verify(token, key, owner));
  }

  /** Called before a list is verified, which takes time in proportion to its length: refuses it beyond the budget. */
  private spend(bytes: number): void {
    const effort = this.#fetchedFor.getStore();
    if (!effort) return;
    effort.bytes += bytes;
    if (effort.bytes > MAX_ANSWER_BYTES) throw responseFailure(TOO_LARGE);
  }

  private async verify(token: Buffer, { uri, keys }: ListKey, owner: Owner): Promise<Loaded<StatusList>> {
    const now = this.options.clock();
    const trust = owner === 'known' ? this.options.trust() : unvouched(this.options.trust());
    const signer: Pick<VerifyStatusListTokenOptions, 'signerKeys' | 'certificate'> = keys
      ? { signerKeys: (header) => [selectIssuerKey(keys, header)], certificate: 'optional' }
      : { signerKeys: (header) => [statusSignerKey(header, trust, now)] };
    const { skewSeconds, graceSeconds, maxAgeSeconds } = this.options;
    const { maxListBytes } = BOUNDS[owner];
    const text = token.toString('utf8').trim();
    const rules = { uri, now, skewSeconds, maxAgeSeconds, maxListBytes, ...signer };
    const list = await namingStrangers(() => verifyStatusListToken(text, rules));
    this.refuseOlder(list);
    // A list whose signer's certificate has expired fails every credential: its successor must not wait for the ttl.
    const validUntil = keys ? Infinity : statusSignerValidUntil(list.header, trust, now).getTime();
    const end = Math.min(validUntil, list.expiresAt?.getTime() ?? Infinity);
    const fresh = freshness(list, now).getTime();
    return {
      value: list,
      usableUntil: new Date(Math.min(fresh, validUntil)),
      staleUntil: new Date(Math.min(fresh + graceSeconds * 1000, end)),
      bytes: list.memoryBytes,
    };
  }
}
