import {
  createTokenCache,
  requireContent,
  type Egress,
  type EgressResponse,
  type Loaded,
  type TokenCache,
} from '@vestibule/egress';
import { DomainError, type Clock } from '@vestibule/foundation';
import {
  issuerMetadataUrl,
  MAX_ISSUER_METADATA_BYTES,
  parseIssuerKeySet,
  parseIssuerMetadata,
  type IssuerKey,
} from '@vestibule/sd-jwt-vc';

export interface IssuerMetadataOptions {
  readonly egress: Egress;
  readonly clock: Clock;
}

const JSON_MEDIA_TYPE = 'application/json';
const KEY_SET_MEDIA_TYPE = 'application/jwk-set+json';
/** No redirects: what an issuer's own host does not say itself is not its metadata. */
const FETCH = { maxBytes: MAX_ISSUER_METADATA_BYTES, timeoutMilliseconds: 4_000, maxRedirects: 0 };
const CACHE = { maxBytes: 4_194_304, maxEntries: 100 };
/** How long keys are used: an issuer's old key is refused, and a new one known, after this time at the latest. */
const USABLE_MILLISECONDS = 300_000;
/** How long an issuer is left alone after it was asked: whoever invents names of keys cannot have it asked more often. */
const QUIET_MILLISECONDS = 30_000;

/** A key set may be served as what it is, or as plain JSON (RFC 7517 §8.5). */
function requireKeySet(response: EgressResponse): Buffer {
  const isKeySet = response.contentType?.toLowerCase().startsWith(KEY_SET_MEDIA_TYPE);
  return requireContent(response, isKeySet ? KEY_SET_MEDIA_TYPE : JSON_MEDIA_TYPE);
}

/** The keys of issuers by their JWT VC Issuer Metadata, fetched once and shared for five minutes. */
export class IssuerMetadataDocuments {
  readonly #keys: TokenCache<readonly IssuerKey[]>;
  /** When each issuer was asked last, with whatever result; as many as the operator lists. */
  readonly #askedAt = new Map<string, Date>();

  constructor(private readonly options: IssuerMetadataOptions) {
    this.#keys = createTokenCache({ ...CACHE, clock: options.clock, load: (iss) => this.load(iss) });
  }

  /**
   * The keys that an issuer publishes. A key that is wanted and not among them has the issuer asked again before its time, but
   * not more than once in half a minute; where that fails, the keys that are known still count. Only for issuers on the operator's
   * list: each other `iss` would let a stranger choose an address. Throws the failures of the metadata, or a ProcessingFailure when it
   * cannot be had.
   */
  async getKeys(iss: string, wanted: readonly string[] = []): Promise<readonly IssuerKey[]> {
    const keys = await this.#keys.get(iss);
    const isKnown = (kid: string) => keys.some((key) => key.kid === kid);
    if (wanted.every(isKnown) || !this.mayAskAgain(iss)) return keys;
    try {
      return await this.#keys.refresh(iss);
    } catch (error) {
      if (error instanceof DomainError) return keys;
      throw error;
    }
  }

  /** The clock may go back: then the issuer is asked. */
  private mayAskAgain(iss: string): boolean {
    const askedAt = this.#askedAt.get(iss)?.getTime() ?? -Infinity;
    return Math.abs(this.options.clock().getTime() - askedAt) >= QUIET_MILLISECONDS;
  }

  /** Callers that come while an issuer is being asked share the answer: it counts as asked only afterwards. */
  private async load(iss: string): Promise<Loaded<readonly IssuerKey[]>> {
    const keys = await this.fetchKeys(iss).finally(() => this.#askedAt.set(iss, this.options.clock()));
    const usableUntil = new Date(this.options.clock().getTime() + USABLE_MILLISECONDS);
    return { value: keys, usableUntil, bytes: JSON.stringify(keys).length };
  }

  private async fetchKeys(iss: string): Promise<readonly IssuerKey[]> {
    const { egress } = this.options;
    const response = await egress.get(issuerMetadataUrl(iss), { ...FETCH, accept: JSON_MEDIA_TYPE });
    const metadata = await parseIssuerMetadata(requireContent(response, JSON_MEDIA_TYPE), iss);
    if ('keys' in metadata) return metadata.keys;
    const accept = `${KEY_SET_MEDIA_TYPE}, ${JSON_MEDIA_TYPE}`;
    return parseIssuerKeySet(requireKeySet(await egress.get(metadata.jwksUri, { ...FETCH, accept })));
  }
}
