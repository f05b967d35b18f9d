import { acceptNotification, type AcceptNotificationDeps } from './use-cases/accept-notification';
import { cancelCredentialOffer, type CancelCredentialOfferDeps } from './use-cases/cancel-credential-offer';
import { changeCredentialOffer, type ChangeCredentialOfferDeps } from './use-cases/change-credential-offer';
import type { CredentialAnswerDeps } from './use-cases/answer-credential';
import { createCredentialOffer, type CreateCredentialOfferDeps } from './use-cases/create-credential-offer';
import {
  exchangePreAuthorizedCode,
  type ExchangePreAuthorizedCodeDeps,
} from './use-cases/exchange-pre-authorized-code';
import { expireCredentialOffers, type ExpireCredentialOffersDeps } from './use-cases/expire-credential-offers';
import { getSignedMetadata, type GetSignedMetadataDeps } from './use-cases/get-signed-metadata';
import { issueChallenge } from './use-cases/issue-challenge';
import { issueCredential, type IssueCredentialDeps } from './use-cases/issue-credential';
import { issueDeferredCredential } from './use-cases/issue-deferred-credential';
import { issueNonce } from './use-cases/issue-nonce';
import {
  getCredentialOffer,
  getOfferObject,
  type GetCredentialOfferDeps,
  type GetOfferObjectDeps,
} from './use-cases/read-credential-offer';
import { getIssuerDocument, getTypeMetadata, type IssuerDocuments } from './use-cases/read-documents';

type Store = Pick<CreateCredentialOfferDeps, 'insert'> &
  Pick<GetOfferObjectDeps, 'findOpen'> &
  Pick<ExchangePreAuthorizedCodeDeps, 'findRedeemable' | 'redeem' | 'spendProof' | 'spendAttestationProof'> &
  Pick<IssueCredentialDeps, 'findGrant' | 'complete'> &
  Pick<ExpireCredentialOffersDeps, 'findOverdue' | 'expire' | 'purge'> &
  GetCredentialOfferDeps & {
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
> &
  Pick<ExchangePreAuthorizedCodeDeps, 'clientAuthentication'> &
  Pick<GetSignedMetadataDeps, 'signsMetadata'> &
  CredentialAnswerDeps &
  Pick<ExchangePreAuthorizedCodeDeps, 'deferredSeconds'>;

/** The outside world as the issuer needs it. */
export interface IssuerAdapters extends World {
  readonly documents: IssuerDocuments;
  readonly acceptCallbackUrl: CreateCredentialOfferDeps['acceptCallbackUrl'];
  readonly store: Store;
  readonly changes: Changes;
  /** Tells the deliverer that an event was committed. */
  readonly wakeDelivery: () => void;
}

/** All use cases of the issuer over the given adapters: the only wiring there is. */
export function composeIssuer(adapters: IssuerAdapters) {
  const { store, changes, wakeDelivery } = adapters;
  async function waking<T>(result: Promise<T>): Promise<T> {
    const value = await result;
    wakeDelivery();
    return value;
  }
  const spendProof: Store['spendProof'] = (digest, expiresAt) => store.spendProof(digest, expiresAt);
  const findGrant: Store['findGrant'] = (digest, now) => store.findGrant(digest, now);
  const issuing: IssueCredentialDeps = {
    ...adapters,
    spendProof,
    findGrant,
    defer: (...all) => changes.defer(...all),
    complete: (...all) => waking(store.complete(...all)),
    fail: async (...all) => void (await waking(store.fail(...all))),
  };
  return {
    createCredentialOffer: createCredentialOffer({ ...adapters, insert: (...all) => waking(store.insert(...all)) }),
    getCredentialOffer: getCredentialOffer({ findView: (offerId) => store.findView(offerId) }),
    getOfferObject: getOfferObject({ ...adapters, findOpen: (offerId, now) => store.findOpen(offerId, now) }),
    getIssuerDocument: getIssuerDocument(adapters.documents),
    getSignedMetadata: getSignedMetadata(adapters),
    getTypeMetadata: getTypeMetadata(adapters.types),
    exchangePreAuthorizedCode: exchangePreAuthorizedCode({
      ...adapters,
      spendProof,
      spendAttestationProof: (digest, expiresAt) => store.spendAttestationProof(digest, expiresAt),
      findRedeemable: (digest, now) => store.findRedeemable(digest, now),
      redeem: (redemption) => waking(store.redeem(redemption)),
    }),
    issueNonce: issueNonce(adapters),
    issueChallenge: issueChallenge(adapters),
    issueCredential: issueCredential(issuing),
    issueDeferredCredential: issueDeferredCredential(issuing),
    acceptNotification: acceptNotification({
      ...adapters,
      spendProof,
      findGrant,
      recordNotification: (...all) => changes.recordNotification(...all),
    }),
    changeCredentialOffer: changeCredentialOffer({
      ...adapters,
      findChangeable: (...all) => changes.findChangeable(...all),
      completeClaims: (...all) => changes.completeClaims(...all),
      fail: (...all) => waking(store.fail(...all)),
      findView: (offerId) => store.findView(offerId),
    }),
    cancelCredentialOffer: cancelCredentialOffer({ ...adapters, cancel: (...all) => waking(changes.cancel(...all)) }),
    expireCredentialOffers: expireCredentialOffers({
      ...adapters,
      findOverdue: (now, limit) => store.findOverdue(now, limit),
      expire: (endings, now) => waking(store.expire(endings, now)),
      purge: (now, limit) => store.purge(now, limit),
    }),
  };
}

export type Issuer = ReturnType<typeof composeIssuer>;
