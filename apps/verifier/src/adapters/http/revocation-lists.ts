import {
  createNewestLists,
  createQuietTimes,
  createTokenCache,
  type CacheUse,
  type Egress,
  type Found,
  type Loaded,
  type TokenCache,
} from '@vestibule/egress';
import { DomainError, VerificationFailure, type Clock } from '@vestibule/foundation';
import {
  crlSourcesOf,
  crlUnavailable,
  isRevoked,
  judgeRevocation,
  MAX_CRL_BYTES,
  parseCertificate,
  parseCrl,
  requireCovered,
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
 * Identifies a cached list. Only one that this authority signed, and that covers the certificate, is kept: nobody else can
 * poison the cache, nor somebody on the way with another list of the same authority.
 */
interface ListKey {
  readonly uri: string;
  /** The issuer's certificate: base64 of its DER. */
  readonly issuer: string;
  readonly isCa: boolean;
  /** All addresses of the certificate: a partial list names one of them. */
  readonly uris: readonly string[];
}

/** How long an address may take; while an earlier list counts, all addresses of a certificate together. */
const ADDRESS_MILLISECONDS = 4_000;
/** After how long the next address is asked beside one that has not answered. */
const TURN_MILLISECONDS = 2_000;
/** How many of a certificate's alternative addresses are asked, which limits how long a response may wait. */
const MAX_ADDRESSES = 2;
/** How long an address that failed is not asked again while a list counts. */
const QUIET_MILLISECONDS = 60_000;
/** For how long a list is fresh: its address is not asked for another. */
const FRESH_MILLISECONDS = 3_600_000;
/**
 * Plain http is usual for revocation lists and safe, because they are signed (RFC 5280 §8). Addresses are checked all
 * the same.
 */
const FETCH = {
  purpose: 'crl',
  accept: 'application/pkix-crl, application/octet-stream;q=0.5',
  maxBytes: MAX_CRL_BYTES,
  timeoutMilliseconds: ADDRESS_MILLISECONDS,
  maxRedirects: 3,
  allowHttp: true,
} as const;
const CACHE = { maxBytes: 67_108_864, maxEntries: 1_000 };
const MAX_REMEMBERED = 10_000;

/** An address of a certificate. */
interface Address {
  /** Of its list in the cache. */
  readonly key: string;
  /** Of the newest list that was seen there, whatever the other addresses of a certificate are. */
  readonly place: string;
}

/** A list that counts. */
interface Known extends Found<Crl> {
  readonly address: Address;
}

/** The list at an address, or why there is none. */
type Answer = PromiseSettledResult<Crl>;

const placeOf = ({ uri, issuer, isCa }: ListKey): string => JSON.stringify([uri, issuer, isCa]);

const hasEnded = ({ nextUpdate }: Crl, now: Date): boolean => now > nextUpdate;

/** Why a list is invalid; undefined if there was none. Throws what nobody provided for. */
function invalidityOf(reason: unknown): VerificationFailure | undefined {
  if (!(reason instanceof DomainError)) throw reason;
  return reason instanceof VerificationFailure ? reason : undefined;
}

function addressesOf({ uris = [], issuer, certificate: { isCa } }: CrlSource): readonly Address[] {
  return uris.slice(0, MAX_ADDRESSES).map((uri) => {
    const key: ListKey = { uri, issuer: issuer.der.toString('base64'), isCa, uris };
    return { key: JSON.stringify(key), place: placeOf(key) };
  });
}

/**
 * Checks certificates against the revocation lists of their authorities. A list counts until its next update, unless a
 * newer one was seen at an address of the certificate. Whom a check waits for, of the addresses of a certificate in turn:
 *
 * 1. An address is asked if its list is not fresh; while a list counts, not within a minute after it failed.
 * 2. The next is asked once the one before has failed, has served none that counts, or has taken two seconds.
 * 3. A slow one is waited for until its time is over, even if the next one was faster: its list may be the one that revokes.
 * 4. But one that failed before is not waited for while the next has a fresh list that counts.
 * 5. If nobody serves a list that counts, the one that is known does.
 *
 * The wait itself decides nothing: a list that counted while a certificate was looked up, and has ended since, still revokes
 * it, unless another one counts; but nobody is accepted with it, and nobody refused because it has ended.
 */
export class RevocationLists {
  readonly #lists: TokenCache<Crl>;
  readonly #newest = createNewestLists(MAX_REMEMBERED, () => this.options.clock());
  readonly #failed = createQuietTimes(QUIET_MILLISECONDS, CACHE.maxEntries);

  constructor(private readonly options: RevocationListsOptions) {
    const { clock, onUse } = options;
    this.#lists = createTokenCache({ ...CACHE, clock, onUse, load: (key) => this.load(key) });
  }

  /**
   * Passes unless an available list contains a certificate of the chain: all are looked up at the same time, also those below
   * one that is revoked, and each is judged when its own lookup ends. Of several failures, that of the highest authority is
   * thrown. A chain without an anchor passes, because its addresses must not be requested. Throws `certificate_revoked`, the
   * failures of an invalid list and, with `hard-fail`, the ProcessingFailure `crl_unavailable`.
   */
  async check(chain: VerifiedChain): Promise<void> {
    const judged = await Promise.allSettled(crlSourcesOf(chain).map((source) => this.judge(source)));
    for (const one of judged) if (one.status === 'rejected') throw one.reason;
  }

  private async judge(source: CrlSource): Promise<void> {
    const list = await this.find(source);
    const now = this.options.clock();
    // The lookup has decided whether the end of the list matters.
    const at = list && hasEnded(list, now) ? list.nextUpdate : now;
    judgeRevocation(source, list, { now: at, hardFail: this.options.mode === 'hard-fail' });
  }

  /** Undefined if no list is available. Throws why a list is invalid if no other one counts. */
  private async find(source: CrlSource): Promise<Crl | undefined> {
    const addresses = addressesOf(source);
    const seen = this.known(addresses).map(({ value }) => value);
    let invalid: VerificationFailure | undefined;
    for (const asked of await this.askInTurn(addresses)) {
      const answer = await asked;
      if (answer.status === 'rejected') invalid ??= invalidityOf(answer.reason);
      else if (this.counts(answer.value, addresses)) return answer.value;
      else seen.push(answer.value);
    }
    const [known] = this.known(addresses);
    if (known) this.options.onUse?.('stale');
    const { serialNumber } = source.certificate;
    const list = known?.value ?? seen.find((one) => !this.isOlder(one, addresses) && isRevoked(one, serialNumber));
    if (invalid && !list) throw invalid;
    return list;
  }

  private counts(list: Crl, addresses: readonly Address[]): boolean {
    return !this.isOlder(list, addresses) && !hasEnded(list, this.options.clock());
  }

  private async askInTurn(addresses: readonly Address[]): Promise<readonly Promise<Answer>[]> {
    const until = performance.now() + ADDRESS_MILLISECONDS;
    const asked: Promise<Answer>[] = [];
    for (const [index, address] of addresses.entries()) {
      const last = asked.at(-1);
      const inTurn = last && (await within(TURN_MILLISECONDS, () => last).catch(() => undefined));
      if (inTurn?.status === 'fulfilled' && !this.isOlder(inTurn.value, addresses)) break;
      const known = this.known(addresses);
      if (known.length > 0 && this.#failed.isOn(address.key)) continue;
      const isFreshLater = known.some((other) => other.isFresh && addresses.indexOf(other.address) > index);
      const isWaitedFor = !isFreshLater || !this.#failed.isOver(address.key);
      const answer = this.ask(address, known.length > 0 ? until - performance.now() : ADDRESS_MILLISECONDS);
      if (isWaitedFor) asked.push(answer);
    }
    return asked;
  }

  private async ask({ key }: Address, milliseconds: number): Promise<Answer> {
    const get = () => this.#lists.get(key);
    const [answer] = await Promise.allSettled([within(milliseconds, get, () => crlUnavailable())]);
    return answer;
  }

  /** The lists in memory that count, in the order of their addresses. */
  private known(addresses: readonly Address[]): readonly Known[] {
    return addresses.flatMap((address) => {
      const found = this.#lists.peek(address.key);
      return found && !this.isOlder(found.value, addresses) ? [{ address, ...found }] : [];
    });
  }

  /**
   * A party between a host and this process, above all with plain http, can send an older list that has not ended: it
   * counts at no address of a certificate.
   */
  private isOlder({ thisUpdate }: Crl, addresses: readonly Pick<Address, 'place'>[]): boolean {
    return addresses.some(({ place }) => this.#newest.isOlder(place, thisUpdate));
  }

  private async load(text: string): Promise<Loaded<Crl>> {
    try {
      const loaded = await this.fetch(JSON.parse(text) as ListKey);
      this.#failed.end(text);
      return loaded;
    } catch (error) {
      this.#failed.begin(text);
      throw error;
    }
  }

  /** Any media type is accepted: hosts of revocation lists rarely set the right one. */
  private async fetch(key: ListKey): Promise<Loaded<Crl>> {
    const { status, body } = await this.options.egress.get(key.uri, FETCH);
    if (status < 200 || status > 299) throw crlUnavailable();
    const now = this.options.clock();
    const crl = parseCrl(body);
    verifyCrl(crl, parseCertificate(Buffer.from(key.issuer, 'base64')), now);
    requireCovered(key, crl);
    const place = placeOf(key);
    if (this.isOlder(crl, [{ place }])) throw crlUnavailable();
    this.#newest.remember(place, crl.thisUpdate);
    const usableUntil = new Date(Math.min(crl.nextUpdate.getTime(), now.getTime() + FRESH_MILLISECONDS));
    return { value: crl, usableUntil, staleUntil: crl.nextUpdate, bytes: crl.der.byteLength };
  }
}
