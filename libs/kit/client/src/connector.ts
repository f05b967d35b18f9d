import type { Api } from './api';
import type { BodyOf, ItemOf, ManagementOperations, QueryOf, ResultOf } from './operation-types';
import type { CallOptions } from './options';

type Operations = ManagementOperations;
type Connector = Api<Operations>;

/** Options of a call that waits for an end. */
export interface WaitOptions extends CallOptions {
  /** Seconds, 0 to 30, that Vestibule holds the response back while it is open; default 0. */
  readonly wait?: number | undefined;
}

const LONGEST_WAIT_SECONDS = 30;

/** A view without the members that callers set to undefined. */
const waitQuery = (wait: number | undefined) => (wait === undefined ? {} : { query: { wait } });

/** Presentation requests: OpenID4VP. */
export class PresentationRequests {
  readonly #api: Connector;

  constructor(api: Connector) {
    this.#api = api;
  }

  /** `POST /oidc4vp`: requests credentials from a wallet. */
  create(
    request: BodyOf<Operations['createPresentationRequest']>,
    options?: CallOptions,
  ): Promise<ResultOf<Operations['createPresentationRequest']>> {
    return this.#api.call('createPresentationRequest', { body: request }, options);
  }

  /** `GET /oidc4vp/{state}`: status and checks, never claims. */
  get(state: string, { wait, ...options }: WaitOptions = {}): Promise<ResultOf<Operations['getPresentationRequest']>> {
    return this.#api.call('getPresentationRequest', { path: { state }, ...waitQuery(wait) }, options);
  }

  /** Asks until the request has ended, for backends that cannot be called. `signal` limits the time. */
  untilEnded(state: string, options?: CallOptions): Promise<ResultOf<Operations['getPresentationRequest']>> {
    const input = { path: { state }, ...waitQuery(LONGEST_WAIT_SECONDS) };
    return this.#api.until('getPresentationRequest', input, ({ status }) => status === 'PENDING', options);
  }

  /** `GET /oidc4vp`: newest first, without claims. */
  list(
    filter: QueryOf<Operations['listPresentationRequests']> = {},
    options?: CallOptions,
  ): AsyncGenerator<ItemOf<Operations['listPresentationRequests']>, void, undefined> {
    return this.#api.list('listPresentationRequests', { query: filter }, options);
  }

  /** `DELETE /oidc4vp/{state}`: withdraws an open request, which ends as EXPIRED. */
  cancel(state: string, options?: CallOptions): Promise<undefined> {
    return this.#api.call('cancelPresentationRequest', { path: { state } }, options);
  }
}

/** Credential offers: OpenID4VCI. */
export class Offers {
  readonly #api: Connector;

  constructor(api: Connector) {
    this.#api = api;
  }

  /** `POST /offers`: offers a credential to a wallet. */
  create(
    offer: BodyOf<Operations['createCredentialOffer']>,
    options?: CallOptions,
  ): Promise<ResultOf<Operations['createCredentialOffer']>> {
    return this.#api.call('createCredentialOffer', { body: offer }, options);
  }

  /** `GET /offers/{offer_id}`. */
  get(offerId: string, { wait, ...options }: WaitOptions = {}): Promise<ResultOf<Operations['getCredentialOffer']>> {
    return this.#api.call('getCredentialOffer', { path: { offerId }, ...waitQuery(wait) }, options);
  }

  /** Asks until the offer has ended. `signal` limits the time. */
  untilEnded(offerId: string, options?: CallOptions): Promise<ResultOf<Operations['getCredentialOffer']>> {
    const input = { path: { offerId }, ...waitQuery(LONGEST_WAIT_SECONDS) };
    return this.#api.until('getCredentialOffer', input, ({ status }) => status === 'OFFER_CREATED', options);
  }

  /** `GET /offers`: newest first, without claims. */
  list(
    filter: QueryOf<Operations['listCredentialOffers']> = {},
    options?: CallOptions,
  ): AsyncGenerator<ItemOf<Operations['listCredentialOffers']>, void, undefined> {
    return this.#api.list('listCredentialOffers', { query: filter }, options);
  }

  /** `DELETE /offers/{offer_id}`: cancels an open offer, which ends as FAILED. */
  cancel(offerId: string, options?: CallOptions): Promise<undefined> {
    return this.#api.call('cancelCredentialOffer', { path: { offerId } }, options);
  }

  /** Supplies the claims of a deferred offer. */
  supplyClaims(
    offerId: string,
    claims: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<ResultOf<Operations['changeCredentialOffer']>> {
    return this.#api.call('changeCredentialOffer', { path: { offerId }, body: { claims } }, options);
  }

  /** Refuses the credential of a deferred offer, which ends as FAILED. */
  deny(offerId: string, options?: CallOptions): Promise<ResultOf<Operations['changeCredentialOffer']>> {
    return this.#api.call('changeCredentialOffer', { path: { offerId }, body: { status: 'denied' } }, options);
  }

  /** Revokes all credentials of the offer, for good. */
  revoke(offerId: string, options?: CallOptions): Promise<ResultOf<Operations['changeCredentialStatus']>> {
    return this.#changeStatus(offerId, 'revoked', options);
  }

  /** Suspends all credentials of the offer. */
  suspend(offerId: string, options?: CallOptions): Promise<ResultOf<Operations['changeCredentialStatus']>> {
    return this.#changeStatus(offerId, 'suspended', options);
  }

  /** Makes suspended credentials of the offer valid again. */
  restore(offerId: string, options?: CallOptions): Promise<ResultOf<Operations['changeCredentialStatus']>> {
    return this.#changeStatus(offerId, 'valid', options);
  }

  #changeStatus(
    offerId: string,
    status: BodyOf<Operations['changeCredentialStatus']>['status'],
    options: CallOptions | undefined,
  ): Promise<ResultOf<Operations['changeCredentialStatus']>> {
    return this.#api.call('changeCredentialStatus', { path: { offerId }, body: { status } }, options);
  }
}
