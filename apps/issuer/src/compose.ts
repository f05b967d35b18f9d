import { changeCredentialStatus, type ChangeCredentialStatusDeps } from './use-cases/change-credential-status';
import { createCredentialOffer, type CreateCredentialOfferDeps } from './use-cases/create-credential-offer';
import {
  exchangePreAuthorizedCode,
  type ExchangePreAuthorizedCodeDeps,
} from './use-cases/exchange-pre-authorized-code';
import { expireCredentialOffers, type ExpireCredentialOffersDeps } from './use-cases/expire-credential-offers';
import { getStatusList, type GetStatusListDeps } from './use-cases/get-status-list';
import { issueCredential, type IssueCredentialDeps } from './use-cases/issue-credential';
import { issueNonce } from './use-cases/issue-nonce';
import {
  getCredentialOffer,
  getOfferObject,
  type GetCredentialOfferDeps,
  type GetOfferObjectDeps,
} from './use-cases/read-credential-offer';
import { getIssuerDocument, getTypeMetadata, type IssuerDocuments } from './use-cases/read-documents';
import { reserveStatusIndexes, type ReserveStatusIndexesDeps } from './use-cases/reserve-status-indexes';

type StatusStore = Pick<ReserveStatusIndexesDeps, 'drawIndexes' | 'openList'> &
  Pick<ChangeCredentialStatusDeps, 'changeStatus'> &
  Pick<GetStatusListDeps, 'findList' | 'readContent' | 'publish'>;

type Store = Pick<CreateCredentialOfferDeps, 'insert'> &
  Pick<GetOfferObjectDeps, 'findOpen'> &
  Pick<ExchangePreAuthorizedCodeDeps, 'findRedeemable' | 'redeem' | 'spendProof'> &
  Pick<IssueCredentialDeps, 'findGrant' | 'complete'> &
  Pick<ExpireCredentialOffersDeps, 'findOverdue' | 'expire' | 'purge'> &
  GetCredentialOfferDeps & {
    readonly fail: (...parameters: Parameters<IssueCredentialDeps['fail']>) => Promise<boolean>;
  };

type World = Pick<
  IssueCredentialDeps,
  'clock' | 'random' | 'issuerUrl' | 'types' | 'batchSize' | 'nonceKeys' | 'signerAt' | 'reportFailure'
> &
  Pick<ReserveStatusIndexesDeps, 'statusListSize'> &
  Pick<GetStatusListDeps, 'statusListTtlSeconds'>;

/** The outside world as the issuer needs it. */
export interface IssuerAdapters extends World {
  readonly documents: IssuerDocuments;
  readonly acceptCallbackUrl: CreateCredentialOfferDeps['acceptCallbackUrl'];
  readonly store: Store;
  readonly statusLists: StatusStore;
  /** Tells the deliverer that an event was committed. */
  readonly wakeDelivery: () => void;
}

/** All use cases of the issuer over the given adapters: the only wiring there is. */
export function composeIssuer(adapters: IssuerAdapters) {
  const { store, statusLists, wakeDelivery } = adapters;
  async function waking<T>(result: Promise<T>): Promise<T> {
    const value = await result;
    wakeDelivery();
    return value;
  }
  const spendProof: Store['spendProof'] = (digest, expiresAt) => store.spendProof(digest, expiresAt);
  return {
    createCredentialOffer: createCredentialOffer({ ...adapters, insert: (...all) => waking(store.insert(...all)) }),
    getCredentialOffer: getCredentialOffer({ findView: (offerId) => store.findView(offerId) }),
    getOfferObject: getOfferObject({ ...adapters, findOpen: (offerId, now) => store.findOpen(offerId, now) }),
    getIssuerDocument: getIssuerDocument(adapters.documents),
    getTypeMetadata: getTypeMetadata(adapters.types),
    exchangePreAuthorizedCode: exchangePreAuthorizedCode({
      ...adapters,
      spendProof,
      findRedeemable: (digest, now) => store.findRedeemable(digest, now),
      redeem: (redemption) => waking(store.redeem(redemption)),
    }),
    issueNonce: issueNonce(adapters),
    issueCredential: issueCredential({
      ...adapters,
      spendProof,
      reserveStatusIndexes: reserveStatusIndexes({
        ...adapters,
        drawIndexes: (draw) => statusLists.drawIndexes(draw),
        openList: (...all) => statusLists.openList(...all),
      }),
      findGrant: (digest, now) => store.findGrant(digest, now),
      complete: (...all) => waking(store.complete(...all)),
      fail: async (...all) => void (await waking(store.fail(...all))),
    }),
    changeCredentialStatus: changeCredentialStatus({
      ...adapters,
      changeStatus: (...all) => statusLists.changeStatus(...all),
    }),
    getStatusList: getStatusList({
      ...adapters,
      findList: (...all) => statusLists.findList(...all),
      readContent: (listId) => statusLists.readContent(listId),
      publish: (publication) => statusLists.publish(publication),
    }),
    expireCredentialOffers: expireCredentialOffers({
      ...adapters,
      findOverdue: (now, limit) => store.findOverdue(now, limit),
      expire: (endings, now) => waking(store.expire(endings, now)),
      purge: (now, limit) => store.purge(now, limit),
    }),
  };
}

export type Issuer = ReturnType<typeof composeIssuer>;
