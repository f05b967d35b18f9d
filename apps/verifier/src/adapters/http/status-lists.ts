import { createTokenCache, requireContent, type Egress, type Loaded, type TokenCache } from '@vestibule/egress';
import type { Clock } from '@vestibule/foundation';
import {
  authoriseStatusSigner,
  statusSignerKey,
  statusSignerValidUntil,
  type IssuerTrust,
  type VerifiedPresentation,
} from '@vestibule/oid4vp';
import {
  freshness,
  MAX_STATUS_TOKEN_LENGTH,
  STATUS_LIST_MEDIA_TYPE,
  verifyStatus,
  verifyStatusListToken,
  type StatusList,
} from '@vestibule/status-list';

export interface StatusListsOptions {
  readonly egress: Egress;
  readonly trust: () => IssuerTrust;
  readonly clock: Clock;
  readonly skewSeconds: number;
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
    this.#lists = createTokenCache({ ...CACHE, clock: options.clock, load: (uri) => this.load(uri) });
  }

  /**
   * Passes only for a credential that its list calls valid, or that has no status. Throws the failures of the list and
   * its signer, `credential_revoked`, `credential_suspended`, `credential_status_unknown`, or a ProcessingFailure when
   * the list cannot be had: nothing is assumed of a list that was not seen.
   */
  async check({ status, ...presentation }: VerifiedPresentation, now: Date): Promise<void> {
    if (!status) return;
    const list = await this.#lists.get(status.uri);
    authoriseStatusSigner(list.header, presentation, this.options.trust(), now);
    verifyStatus(list, status.idx);
  }

  private async load(uri: string): Promise<Loaded<StatusList>> {
    const token = requireContent(await this.options.egress.get(uri, FETCH), STATUS_LIST_MEDIA_TYPE);
    const now = this.options.clock();
    const trust = this.options.trust();
    const list = verifyStatusListToken(token.toString('utf8').trim(), {
      uri,
      now,
      skewSeconds: this.options.skewSeconds,
      signerKey: (header) => statusSignerKey(header, trust, now),
    });
    // A list whose signer's certificate has ended fails every credential: its successor must not wait for the ttl.
    const validUntil = statusSignerValidUntil(list.header, trust, now);
    const usableUntil = new Date(Math.min(freshness(list, now).getTime(), validUntil.getTime()));
    return { value: list, usableUntil, bytes: list.bytes.byteLength };
  }
}
