import {
  createTokenCache,
  EGRESS_FAILURES,
  RedirectedFailure,
  requireContent,
  type Egress,
  type EgressFailureCode,
  type EgressResponse,
  type Loaded,
  type TokenCache,
} from '@vestibule/egress';
import { ProcessingFailure, VerificationFailure, type Clock } from '@vestibule/foundation';
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
import { createNewestLists } from './newest-lists';

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
const MAX_REMEMBERED_LISTS = 100_000;
/** Where a credential sends the verifier to places that it must not go to, that is the credential's fault. */
const FORBIDDEN_ADDRESS: readonly string[] = ['egress_refused_url', 'egress_refused_address'];
const CACHE = { maxBytes: 67_108_864, maxEntries: 1_000 };

/** Looks credentials up in the status lists of their issuers, which are fetched once and shared while they are fresh. */
export class StatusLists {
  readonly #lists: TokenCache<StatusList>;
  readonly #newest = createNewestLists(MAX_REMEMBERED_LISTS);

  constructor(private readonly options: StatusListsOptions) {
    this.#lists = createTokenCache({
      ...CACHE,
      clock: options.clock,
      load: (key) => this.load(JSON.parse(key) as ListKey),
    });
  }

  /**
   * Passes only for a credential that its list calls valid, or that has no status. Throws the failures of the list and
   * its signer, `status_list_rolled_back`, `egress_refused_url` and `egress_refused_address` (VerificationFailures), `credential_revoked`, `credential_suspended`, `credential_status_unknown`, or a ProcessingFailure when
   * the list cannot be had: nothing is assumed of a list that was not seen.
   */
  async check({ status, ...presentation }: VerifiedPresentation, now: Date): Promise<void> {
    if (!status) return;
    const list = await this.#lists.get(listKeyOf(status.uri, presentation.signedBy));
    this.#newest.refuseOlder(status.uri, list.issuedAt);
    const signer = authoriseStatusSigner(list.header, presentation, this.options.trust(), now);
    if (signer) await this.options.checkRevocation?.(signer, now);
    this.#newest.remember(status.uri, list.issuedAt);
    verifyStatus(list, status.idx);
  }

  private async fetch(uri: string): Promise<EgressResponse> {
    try {
      return await this.options.egress.get(uri, FETCH);
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

  private async load({ uri, keys }: ListKey): Promise<Loaded<StatusList>> {
    const token = requireContent(await this.fetch(uri), STATUS_LIST_MEDIA_TYPE);
    const now = this.options.clock();
    const trust = this.options.trust();
    const signer: Pick<VerifyStatusListTokenOptions, 'signerKey' | 'certificate'> = keys
      ? { signerKey: (header) => selectIssuerKey(keys, header), certificate: 'optional' }
      : { signerKey: (header) => statusSignerKey(header, trust, now) };
    const { skewSeconds } = this.options;
    const list = verifyStatusListToken(token.toString('utf8').trim(), { uri, now, skewSeconds, ...signer });
    this.#newest.refuseOlder(uri, list.issuedAt);
    // A list whose signer's certificate has ended fails every credential: its successor must not wait for the ttl.
    const validUntil = keys ? Infinity : statusSignerValidUntil(list.header, trust, now).getTime();
    const usableUntil = new Date(Math.min(freshness(list, now).getTime(), validUntil));
    return { value: list, usableUntil, bytes: list.bytes.byteLength };
  }
}
