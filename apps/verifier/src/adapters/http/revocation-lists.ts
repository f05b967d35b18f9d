import { createTokenCache, type CacheUse, type Egress, type Loaded, type TokenCache } from '@vestibule/egress';
import { ProcessingFailure, type Clock } from '@vestibule/foundation';
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
/** How many of a certificate's alternative addresses are tried, which limits how long a response may wait. */
const MAX_ADDRESSES = 2;

/**
 * Checks certificates against the revocation lists of their authorities, which are fetched once and shared while fresh.
 */
export class RevocationLists {
  readonly #lists: TokenCache<Crl>;

  constructor(private readonly options: RevocationListsOptions) {
    const load = (key: string) => this.load(JSON.parse(key) as ListKey);
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

  /** The list from the first address that serves it; undefined if none does. */
  private async find({ uris = [], issuer }: CrlSource): Promise<Crl | undefined> {
    for (const uri of uris.slice(0, MAX_ADDRESSES)) {
      const key: ListKey = { uri, issuer: issuer.der.toString('base64') };
      try {
        return await this.#lists.get(JSON.stringify(key));
      } catch (error) {
        if (!(error instanceof ProcessingFailure)) throw error;
      }
    }
    return undefined;
  }

  /** Any media type is accepted: hosts of revocation lists rarely set the right one. */
  private async load({ uri, issuer }: ListKey): Promise<Loaded<Crl>> {
    const { status, body } = await this.options.egress.get(uri, FETCH);
    if (status < 200 || status > 299) throw crlUnavailable();
    const now = this.options.clock();
    const crl = parseCrl(body);
    verifyCrl(crl, parseCertificate(Buffer.from(issuer, 'base64')), now);
    const usableUntil = new Date(Math.min(crl.nextUpdate.getTime(), now.getTime() + USABLE_MILLISECONDS));
    return { value: crl, usableUntil, bytes: crl.der.byteLength };
  }
}
