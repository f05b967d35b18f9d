import { setImmediate, setTimeout } from 'node:timers/promises';
import { acceptNotification, type AcceptNotificationDeps } from './use-cases/accept-notification';
import type { CredentialAnswerDeps } from './use-cases/answer-credential';
import { cancelCredentialOffer, type CancelCredentialOfferDeps } from './use-cases/cancel-credential-offer';
import { changeCredentialOffer, type ChangeCredentialOfferDeps } from './use-cases/change-credential-offer';
import { changeCredentialStatus, type ChangeCredentialStatusDeps } from './use-cases/change-credential-status';
import { createCredentialOffer, type CreateCredentialOfferDeps } from './use-cases/create-credential-offer';
import {
  exchangePreAuthorizedCode,
  type ExchangePreAuthorizedCodeDeps,
} from './use-cases/exchange-pre-authorized-code';
import { expireCredentialOffers, type ExpireCredentialOffersDeps } from './use-cases/expire-credential-offers';
import { getSignedMetadata, type GetSignedMetadataDeps } from './use-cases/get-signed-metadata';
import { getStatusList, type GetStatusListDeps } from './use-cases/get-status-list';
import { issueChallenge } from './use-cases/issue-challenge';
import { issueCredential, type IssueCredentialDeps } from './use-cases/issue-credential';
import { issueDeferredCredential } from './use-cases/issue-deferred-credential';
import { issueNonce } from './use-cases/issue-nonce';
import {
  getCredentialOffer,
  getOfferObject,
  type ViewOfferDeps,
  type GetOfferObjectDeps,
} from './use-cases/read-credential-offer';
import { getIssuerDocument, getTypeMetadata, type IssuerDocuments } from './use-cases/read-documents';
import { reserveStatusIndexes, type ReserveStatusIndexesDeps } from './use-cases/reserve-status-indexes';

type StatusStore = Pick<ReserveStatusIndexesDeps, 'drawIndexes' | 'openList'> &
  Pick<ChangeCredentialStatusDeps, 'changeStatus'> &
  Pick<GetStatusListDeps, 'findList' | 'readContent' | 'publish'>;

type Store = Pick<CreateCredentialOfferDeps, 'insert'> &
  Pick<GetOfferObjectDeps, 'findOpen'> &
  Pick<ExchangePreAuthorizedCodeDeps, 'findRedeemable' | 'redeem' | 'spendProof' | 'spendAttestationProof'> &
  Pick<IssueCredentialDeps, 'findGrant' | 'complete'> &
  Pick<ExpireCredentialOffersDeps, 'findOverdue' | 'expire' | 'purge'> &
  Pick<ViewOfferDeps, 'findView'> & {
    readonly fail: (...parameters: Parameters<IssueCredentialDeps['fail']>) => Promise<boolean>;
  };

type Changes = Pick<CancelCredentialOfferDeps, 'cancel'> &
  Pick<ChangeCredentialOfferDeps, 'findChangeable' | 'completeClaims'> &
  Pick<IssueCredentialDeps, 'defer'> &
  Pick<AcceptNotificationDeps, 'recordNotification'>;

type World = Pick<
  IssueCredentialDeps,
  | 'clock'
  | 'random'
  | 'issuerUrl'
  | 'types'
  | 'batchSize'
  | 'keyAttesters'
  | 'nonceKeys'
  | 'demandsDpopNonces'
  | 'signerAt'
  | 'reportFailure'
  | 'reportShortened'
> &
  Pick<ViewOfferDeps, 'chainEndsAt'> &
  Pick<ExchangePreAuthorizedCodeDeps, 'clientAuthentication' | 'deferredSeconds'> &
  Pick<GetSignedMetadataDeps, 'signsMetadata'> &
  CredentialAnswerDeps &
  Pick<ReserveStatusIndexesDeps, 'statusListSize'> &
  Pick<GetStatusListDeps, 'statusListTtlSeconds' | 'listSignerAt'>;

/** Between two batches of expired ones: 100,000 at one moment take less than a minute all the same. */
const REST_MILLISECONDS = 20;

/** The outside world as the issuer needs it. */
export interface IssuerAdapters extends World {
  readonly documents: IssuerDocuments;
  readonly callbackUrlFault: CreateCredentialOfferDeps['callbackUrlFault'];
  readonly store: Store;
  readonly changes: Changes;
  readonly statusLists: StatusStore;
  /** Tells the deliverer that an event was committed. */
  readonly wakeDelivery: () => void;
}

/** Answers when the result is there, and lets its event be delivered. */
type Waking = <T>(result: Promise<T>) => Promise<T>;

function wakingBy(wakeDelivery: () => void): Waking {
  return async (result) => {
    const value = await result;
    wakeDelivery();
    return value;
  };
}

/** What wallets ask for with a code or a token. */
function composeForWallets(adapters: IssuerAdapters, waking: Waking) {
  const { store, changes, statusLists } = adapters;
  const issuing: IssueCredentialDeps = {
    ...adapters,
    spendProof: (digest, expiresAt) => store.spendProof(digest, expiresAt),
    findGrant: (...all) => store.findGrant(...all),
    reserveStatusIndexes: reserveStatusIndexes({
      ...adapters,
      drawIndexes: (draw) => statusLists.drawIndexes(draw),
      openList: (...all) => statusLists.openList(...all),
    }),
    letOthersRun: () => setImmediate(),
    defer: (...all) => changes.defer(...all),
    complete: (...all) => waking(store.complete(...all)),
    fail: async (...all) => void (await waking(store.fail(...all))),
  };
  return {
    exchangePreAuthorizedCode: exchangePreAuthorizedCode({
      ...adapters,
      spendProof: issuing.spendProof,
      spendAttestationProof: (digest, expiresAt) => store.spendAttestationProof(digest, expiresAt),
      findRedeemable: (digest, now) => store.findRedeemable(digest, now),
      redeem: (redemption) => waking(store.redeem(redemption)),
    }),
    issueNonce: issueNonce(adapters),
    issueChallenge: issueChallenge(adapters),
    issueCredential: issueCredential(issuing),
    issueDeferredCredential: issueDeferredCredential(issuing),
    acceptNotification: acceptNotification({
      ...issuing,
      recordNotification: (...all) => changes.recordNotification(...all),
    }),
  };
}

/** What backends do with their offers, and with what was issued. */
function composeForBackends(adapters: IssuerAdapters, waking: Waking) {
  const { store, changes, statusLists } = adapters;
  return {
    createCredentialOffer: createCredentialOffer({ ...adapters, insert: (...all) => waking(store.insert(...all)) }),
    getCredentialOffer: getCredentialOffer({ ...adapters, findView: (offerId) => store.findView(offerId) }),
    changeCredentialOffer: changeCredentialOffer({
      ...adapters,
      findChangeable: (...all) => changes.findChangeable(...all),
      completeClaims: (...all) => changes.completeClaims(...all),
      fail: (...all) => waking(store.fail(...all)),
      findView: (offerId) => store.findView(offerId),
    }),
    cancelCredentialOffer: cancelCredentialOffer({ ...adapters, cancel: (...all) => waking(changes.cancel(...all)) }),
    changeCredentialStatus: changeCredentialStatus({
      ...adapters,
      changeStatus: (...all) => statusLists.changeStatus(...all),
    }),
  };
}

/** All use cases of the issuer over the given adapters: the only wiring there is. */
export function composeIssuer(adapters: IssuerAdapters) {
  const { store, statusLists } = adapters;
  const waking = wakingBy(adapters.wakeDelivery);
  return {
    ...composeForBackends(adapters, waking),
    ...composeForWallets(adapters, waking),
    getOfferObject: getOfferObject({ ...adapters, findOpen: (offerId, now) => store.findOpen(offerId, now) }),
    getIssuerDocument: getIssuerDocument(adapters.documents),
    getSignedMetadata: getSignedMetadata(adapters),
    getTypeMetadata: getTypeMetadata(adapters.types),
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
      rest: () => setTimeout(REST_MILLISECONDS),
    }),
  };
}

export type Issuer = ReturnType<typeof composeIssuer>;
