import { createTokenCache, requireContent, type Egress, type Loaded, type TokenCache } from '@vestibule/egress';
import type { Clock } from '@vestibule/foundation';
import {
  authoriseStatusSigner,
  statusSignerKey,
  statusSignerValidUntil,
  type IssuerTrust,
  type VerifiedPresentation,
} from '@vestibule/oid4vp';
import { selectIssuerKey, type IssuerKey } from '@vestibule/sd-jwt-vc';
import {
  freshness,
  MAX_STATUS_TOKEN_LENGTH,
  STATUS_LIST_MEDIA_TYPE,
  verifyStatus,
  verifyStatusListToken,
  type StatusList,
  type VerifyStatusListTokenOptions,
} from '@vestibule/status-list';
import type { VerifiedChain } from '@vestibule/x509-trust';

export interface StatusListsOptions {
  readonly egress: Egress;
  readonly trust: () => IssuerTrust;
  readonly clock: Clock;
  readonly skewSeconds: number;
  /** Throws where a certificate of a list's signer is revoked. Default: not checked. */
  readonly checkRevocation?: ((chain: VerifiedChain, now: Date) => Promise<void>) | undefined;
}

/** What a remembered list is: the keys of an issuer that is known by its metadata belong to it, so that new keys count at once. */
interface ListKey {
  readonly uri: string;
  readonly keys?: readonly IssuerKey[];
}

function listKeyOf(uri: string, signedBy: VerifiedPresentation['signedBy']): string {
  const key: ListKey = signedBy.method === 'metadata' ? { uri, keys: signedBy.keys } : { uri };
  return JSON.stringify(key);
}

const FETCH = {
  accept: STATUS_LIST_MEDIA_TYPE,
  maxBytes: MAX_STATUS_TOKEN_LENGTH,
  timeoutMilliseconds: 5_000,
  maxRedirects: 3,
};
const CACHE = { maxBytes: 67_108_864, maxEntries: 1_000 };

/** Looks credentials up in the status lists of their issuers, which are fetched once and shared while they are fresh. */
export class StatusLists {
  readonly #lists: TokenCache<StatusList>;

  constructor(private readonly options: StatusListsOptions) {
    this.#lists = createTokenCache({
      ...CACHE,
      clock: options.clock,
      load: (key) => this.load(JSON.parse(key) as ListKey),
    });
  }

  /**
   * Passes only for a credential that its list calls valid, or that has no status. Throws the failures of the list and
   * its signer, `credential_revoked`, `credential_suspended`, `credential_status_unknown`, or a ProcessingFailure when
   * the list cannot be had: nothing is assumed of a list that was not seen.
   */
  async check({ status, ...presentation }: VerifiedPresentation, now: Date): Promise<void> {
    if (!status) return;
    const list = await this.#lists.get(listKeyOf(status.uri, presentation.signedBy));
    const signer = authoriseStatusSigner(list.header, presentation, this.options.trust(), now);
    if (signer) await this.options.checkRevocation?.(signer, now);
    verifyStatus(list, status.idx);
  }

  private async load({ uri, keys }: ListKey): Promise<Loaded<StatusList>> {
    const token = requireContent(await this.options.egress.get(uri, FETCH), STATUS_LIST_MEDIA_TYPE);
    const now = this.options.clock();
    const trust = this.options.trust();
    const signer: Pick<VerifyStatusListTokenOptions, 'signerKey' | 'certificate'> = keys
      ? { signerKey: (header) => selectIssuerKey(keys, header), certificate: 'optional' }
      : { signerKey: (header) => statusSignerKey(header, trust, now) };
    const { skewSeconds } = this.options;
    const list = verifyStatusListToken(token.toString('utf8').trim(), { uri, now, skewSeconds, ...signer });
    // A list whose signer's certificate has ended fails every credential: its successor must not wait for the ttl.
    const validUntil = keys ? Infinity : statusSignerValidUntil(list.header, trust, now).getTime();
    const usableUntil = new Date(Math.min(freshness(list, now).getTime(), validUntil));
    return { value: list, usableUntil, bytes: list.bytes.byteLength };
  }
}
