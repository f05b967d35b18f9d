import {
  createTokenCache,
  type CacheUse,
  requireContent,
  type Egress,
  type EgressResponse,
  type Loaded,
  type TokenCache,
} from '@vestibule/egress';
import { ProcessingFailure, VerificationFailure, type Clock } from '@vestibule/foundation';
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
  /** Is told of each use of what is cached. */
  readonly onUse?: ((result: CacheUse) => void) | undefined;
}

const JSON_MEDIA_TYPE = 'application/json';
const KEY_SET_MEDIA_TYPE = 'application/jwk-set+json';
/** No redirects: only what the issuer's own host serves is its metadata. */
const FETCH = {
  purpose: 'issuer-metadata',
  maxBytes: MAX_ISSUER_METADATA_BYTES,
  timeoutMilliseconds: 4_000,
  maxRedirects: 0,
} as const;
const CACHE = { maxBytes: 4_194_304, maxEntries: 100 };
/**
 * How long keys are used. After this time at the latest, an issuer's removed key is refused and a new one is accepted.
 */
const USABLE_MILLISECONDS = 300_000;
/** The minimum time between two requests to an issuer: inventing key ids must not cause more. */
const QUIET_MILLISECONDS = 30_000;

/** A key set may be served with its own media type or as plain JSON (RFC 7517 §8.5). */
function requireKeySet(response: EgressResponse): Buffer {
  const isKeySet = response.contentType?.toLowerCase().startsWith(KEY_SET_MEDIA_TYPE);
  return requireContent(response, isKeySet ? KEY_SET_MEDIA_TYPE : JSON_MEDIA_TYPE);
}

/** The last request to an issuer. */
interface Asked {
  readonly at: Date;
  /** Why it could not be asked, if that is so: nothing is known of keys that it may have published. */
  readonly failure?: ProcessingFailure;
}

/** The keys of issuers from their JWT VC Issuer Metadata, fetched once and shared for five minutes. */
export class IssuerMetadataDocuments {
  readonly #keys: TokenCache<readonly IssuerKey[]>;
  /** By issuer; bounded by the operator's list. */
  readonly #asked = new Map<string, Asked>();

  constructor(private readonly options: IssuerMetadataOptions) {
    const { clock, onUse } = options;
    this.#keys = createTokenCache({ ...CACHE, clock, onUse, load: (iss) => this.load(iss) });
  }

  /**
   * The keys that an issuer publishes. If a wanted key is not among them, they are fetched again early, but at most
   * twice a minute; if what comes is JSON, but not its metadata, the known keys stay in use. Only for issuers on the operator's list:
   * otherwise the `iss` of any credential would choose an address to request. Throws the failures of the metadata, or a
   * ProcessingFailure if it is unavailable: a wanted key is not missing as long as the issuer cannot be asked for it.
   */
  async getKeys(iss: string, wanted: readonly string[] = []): Promise<readonly IssuerKey[]> {
    const keys = await this.#keys.get(iss);
    const isKnown = (kid: string) => keys.some((key) => key.kid === kid);
    if (wanted.every(isKnown)) return keys;
    const asked = this.#asked.get(iss);
    if (asked && !this.mayAskAgain(asked)) {
      if (asked.failure) throw asked.failure;
      return keys;
    }
    try {
      return await this.#keys.refresh(iss);
    } catch (error) {
      if (error instanceof VerificationFailure) return keys;
      throw error;
    }
  }

  /** If the clock has gone back, the issuer may be requested again. */
  private mayAskAgain({ at }: Asked): boolean {
    return Math.abs(this.options.clock().getTime() - at.getTime()) >= QUIET_MILLISECONDS;
  }

  /** Callers that arrive during a request share its result: the time of the request is recorded only afterwards. */
  private async load(iss: string): Promise<Loaded<readonly IssuerKey[]>> {
    const { clock } = this.options;
    try {
      const keys = await this.fetchKeys(iss);
      this.#asked.set(iss, { at: clock() });
      const usableUntil = new Date(clock().getTime() + USABLE_MILLISECONDS);
      return { value: keys, usableUntil, bytes: JSON.stringify(keys).length };
    } catch (error) {
      this.#asked.set(iss, { at: clock(), ...(error instanceof ProcessingFailure && { failure: error }) });
      throw error;
    }
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
