import {
  createNewestLists,
  createQuietTimes,
  createTokenCache,
  type CacheUse,
  type Egress,
  type Loaded,
  type TokenCache,
} from '@vestibule/egress';
import { DomainError, VerificationFailure, type Clock } from '@vestibule/foundation';
import {
  crlSourcesOf,
  crlUnavailable,
  judgeRevocation,
  MAX_CRL_BYTES,
  parseCertificate,
  parseCrl,
  verifyCrl,
  type Crl,
  type CrlSource,
  type VerifiedChain,
} from '@vestibule/x509-trust';
import { within } from '../turns';

export interface RevocationListsOptions {
  readonly egress: Egress;
  readonly clock: Clock;
  /** Is told of each use of what is cached. */
  readonly onUse?: ((result: CacheUse) => void) | undefined;
  /** Whether a certificate is accepted if its list is unavailable. */
  readonly mode: 'hard-fail' | 'soft-fail';
}

/**
 * Identifies a cached list. Only a list that this authority signed is kept, so that nobody else can poison the cache.
 */
interface ListKey {
  readonly uri: string;
  /** The issuer's certificate: base64 of its DER. */
  readonly issuer: string;
}

/**
 * Plain http is usual for revocation lists and safe, because they are signed (RFC 5280 §8). Addresses are checked all
 * the same.
 */
const FETCH = {
  purpose: 'crl',
  accept: 'application/pkix-crl, application/octet-stream;q=0.5',
  maxBytes: MAX_CRL_BYTES,
  timeoutMilliseconds: 4_000,
  maxRedirects: 3,
  allowHttp: true,
} as const;
const CACHE = { maxBytes: 67_108_864, maxEntries: 1_000 };
const USABLE_MILLISECONDS = 3_600_000;
/** How long an address that failed is not requested again, while a list that has not ended can be used instead. */
const QUIET_MILLISECONDS = 60_000;
const MAX_REMEMBERED = 10_000;
/** How many of a certificate's alternative addresses are tried, which limits how long a response may wait. */
const MAX_ADDRESSES = 2;
/** After how long the next address is tried beside one that has not answered, if a list was seen before. */
const TURN_MILLISECONDS = 2_000;

/** The list at an address, or why there is none. */
type Answer = PromiseSettledResult<Crl>;

/**
 * Checks certificates against the revocation lists of their authorities, which are fetched once and shared while fresh.
 * A list counts until its next update: one that was seen is not forgotten because no newer one is available, and an older
 * one never replaces it.
 */
export class RevocationLists {
  readonly #lists: TokenCache<Crl>;
  readonly #newest = createNewestLists(MAX_REMEMBERED, () => this.options.clock());
  /** Addresses whose list was not available just now. */
  readonly #failed = createQuietTimes(QUIET_MILLISECONDS, CACHE.maxEntries);

  constructor(private readonly options: RevocationListsOptions) {
    const load = (key: string) => this.load(key);
    this.#lists = createTokenCache({ ...CACHE, clock: options.clock, onUse: options.onUse, load });
  }

  /**
   * Passes unless an available list contains a certificate of the chain. A chain without an anchor passes, because its
   * addresses must not be requested. Throws `certificate_revoked`, the failures of an invalid list and, with
   * `hard-fail`, the ProcessingFailure `crl_unavailable`.
   */
  async check(chain: VerifiedChain, now: Date): Promise<void> {
    const hardFail = this.options.mode === 'hard-fail';
    for (const source of crlSourcesOf(chain)) judgeRevocation(source, await this.find(source), { now, hardFail });
  }

  /**
   * The list from the first address that serves it, or one that was seen before; undefined if there is none. What another
   * address serves instead is no list: throws why, if no address has one. Where one was seen, all addresses together have
   * the time of one, and each has until its end: the list that is slow to come may be the one that revokes.
   */
  private async find({ uris = [], issuer }: CrlSource): Promise<Crl | undefined> {
    const keys = uris.slice(0, MAX_ADDRESSES).map((uri) => {
      const key: ListKey = { uri, issuer: issuer.der.toString('base64') };
      return JSON.stringify(key);
    });
    let invalid: VerificationFailure | undefined;
    for (const asked of await this.askInTurn(keys)) {
      const answer = await asked;
      const list = this.listOf(answer, keys);
      if (list) return list;
      if (answer.status === 'fulfilled') continue;
      if (!(answer.reason instanceof DomainError)) throw answer.reason;
      if (answer.reason instanceof VerificationFailure) invalid ??= answer.reason;
    }
    const list = this.seen(keys);
    if (invalid && !list) throw invalid;
    if (list) this.options.onUse?.('stale');
    return list;
  }

  /** Asks the addresses one after another until a list counts. Where one was seen, none waits for another longer than its turn. */
  private async askInTurn(keys: readonly string[]): Promise<readonly Promise<Answer>[]> {
    const isSeen = this.seen(keys) !== undefined;
    const until = performance.now() + FETCH.timeoutMilliseconds;
    const asked: Promise<Answer>[] = [];
    for (const key of isSeen ? this.awaited(keys) : keys) {
      const last = asked.at(-1);
      const turn = last && isSeen ? within(TURN_MILLISECONDS, () => last).catch(() => undefined) : last;
      if (this.listOf(await turn, keys)) break;
      asked.push(this.ask(key, isSeen ? until - performance.now() : undefined));
    }
    return asked;
  }

  /**
   * The addresses that may be waited for while a list counts. One that failed, before one whose list is fresh, is asked
   * aside: if it has come back, its list counts from the next check on.
   */
  private awaited(keys: readonly string[]): readonly string[] {
    const usable = keys.findIndex((key) => {
      const found = this.#lists.peek(key);
      return found?.isFresh === true && !this.isOlder(found.value, keys);
    });
    const failing = keys.slice(0, Math.max(0, usable)).filter((key) => this.#failed.isOver(key));
    for (const key of failing) void this.ask(key, FETCH.timeoutMilliseconds);
    return keys.filter((key) => !failing.includes(key) && !this.#failed.isOn(key));
  }

  private async ask(key: string, milliseconds: number | undefined): Promise<Answer> {
    const get = () => this.#lists.get(key);
    const list = milliseconds === undefined ? get() : within(milliseconds, get, () => crlUnavailable());
    const [answer] = await Promise.allSettled([list]);
    if (answer.status === 'rejected') this.#failed.begin(key);
    return answer;
  }

  /** The list of an answer, if it counts. */
  private listOf(answer: Answer | undefined, keys: readonly string[]): Crl | undefined {
    return answer?.status === 'fulfilled' && !this.isOlder(answer.value, keys) ? answer.value : undefined;
  }

  private seen(keys: readonly string[]): Crl | undefined {
    return keys.flatMap((key) => this.#lists.peek(key)?.value ?? []).find((list) => !this.isOlder(list, keys));
  }

  /**
   * A party between a host and this process, above all with plain http, can send an older list that has not ended: it
   * counts at no address of a certificate.
   */
  private isOlder({ thisUpdate }: Crl, keys: readonly string[]): boolean {
    return keys.some((key) => this.#newest.isOlder(key, thisUpdate));
  }

  /** Any media type is accepted: hosts of revocation lists rarely set the right one. */
  private async load(key: string): Promise<Loaded<Crl>> {
    const { uri, issuer } = JSON.parse(key) as ListKey;
    const { status, body } = await this.options.egress.get(uri, FETCH);
    if (status < 200 || status > 299) throw crlUnavailable();
    const now = this.options.clock();
    const crl = parseCrl(body);
    verifyCrl(crl, parseCertificate(Buffer.from(issuer, 'base64')), now);
    if (this.isOlder(crl, [key])) throw crlUnavailable();
    this.#newest.remember(key, crl.thisUpdate);
    this.#failed.end(key);
    const usableUntil = new Date(Math.min(crl.nextUpdate.getTime(), now.getTime() + USABLE_MILLISECONDS));
    return { value: crl, usableUntil, staleUntil: crl.nextUpdate, bytes: crl.der.byteLength };
  }
}
