import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Provider } from '@nestjs/common';
import { CALLBACKS, type Callbacks } from '@vestibule/callbacks';
import { answerLimit } from '@vestibule/contracts';
import { TRANSPORT, withoutRequestContext, randomBytes, type ExpiryHold } from '@vestibule/process';
import { STATUS_LIST_SIZE } from './domain/credential-status';
import type {
  CredentialOffers,
  Issuances,
  OfferChanges,
  OfferList,
  Redemptions,
  Reports,
  SigningKeys,
  StatusLists,
} from './domain/ports';
import type { IssuerSettings } from './issuer-settings';
import { issuing, signingStep, walletSteps, type WalletSteps } from './steps';
import {
  CHANGES,
  HOLD,
  ISSUANCES,
  KEYS,
  OFFER_LIST,
  OFFERS,
  REDEMPTIONS,
  REPORTS,
  SETTINGS,
  STATUS_LISTS,
} from './tokens';
import { acceptHandOvers } from './use-cases/accept-hand-overs';
import { acceptNotification } from './use-cases/accept-notification';
import { cancelCredentialOffer } from './use-cases/cancel-credential-offer';
import { changeCredentialOffer } from './use-cases/change-credential-offer';
import { changeCredentialStatus } from './use-cases/change-credential-status';
import { createCredentialOffer } from './use-cases/create-credential-offer';
import { exchangePreAuthorizedCode } from './use-cases/exchange-pre-authorized-code';
import { expireCredentialOffers } from './use-cases/expire-credential-offers';
import { getSignedMetadata } from './use-cases/get-signed-metadata';
import { getStatusList } from './use-cases/get-status-list';
import { issueChallenge } from './use-cases/issue-challenge';
import { issueCredential } from './use-cases/issue-credential';
import { issueDeferredCredential } from './use-cases/issue-deferred-credential';
import { issueNonce } from './use-cases/issue-nonce';
import { markUnservedWallets } from './use-cases/mark-unserved-wallets';
import { redeemCode } from './use-cases/redeem-code';
import { repeatToken } from './use-cases/repeat-token';
import {
  getCredentialOffer,
  getOfferObject,
  listCredentialOffers,
  type GetCredentialOffer,
} from './use-cases/read-credential-offer';
import { getIssuerDocument, getTypeMetadata } from './use-cases/read-documents';
import { buildStatusList, renewStatusList } from './use-cases/renew-status-list';
import { reserveStatusIndexes } from './use-cases/reserve-status-indexes';
import type { SignCredentials } from './use-cases/sign-credentials';

/** Between two batches of expired offers: 100,000 that expire at the same moment still take less than a minute. */
const REST_MILLISECONDS = 20;
const clock = () => new Date();
const random = randomBytes;

const STEPS = Symbol('steps for wallets');
const SIGN = Symbol('signing step');
const ISSUING = Symbol('issuing');

type Settings = IssuerSettings;
type Issuing = ReturnType<typeof issuing>;

const steps = (
  settings: Settings,
  { findGrant, findKept }: Issuances,
  { reportUnreadAttestation }: Reports,
): WalletSteps => walletSteps({ ...settings, random, findGrant, findKept, reportUnreadAttestation });

function signing(
  settings: Settings,
  { signerAt }: SigningKeys,
  { fail }: OfferChanges,
  lists: StatusLists,
  reports: Reports,
): SignCredentials {
  const { issuerUrl, types } = settings;
  const { drawIndexes, openList } = lists;
  return signingStep({
    random,
    issuerUrl,
    types,
    signerAt,
    fail,
    ...reports,
    reserveStatusIndexes: reserveStatusIndexes({
      random,
      issuerUrl,
      statusListSize: STATUS_LIST_SIZE,
      drawIndexes,
      openList,
    }),
    letOthersRun: () => setImmediate(),
  });
}

/** The bus that carries the answers. */
interface Bus {
  maxPayloadBytes(): number | undefined;
}

const issuance = (
  settings: Settings,
  shared: WalletSteps,
  sign: SignCredentials,
  issuances: Issuances,
  changes: OfferChanges,
  bus: Bus,
) => {
  const { defer, complete } = issuances;
  const mostAnswerBytes = () => answerLimit(bus.maxPayloadBytes());
  return issuing({ ...settings, clock, random, sign, defer, complete, fail: changes.fail, mostAnswerBytes }, shared);
};

/** Requests of wallets with a code or a token. */
const FOR_WALLETS: Provider[] = [
  { provide: STEPS, inject: [SETTINGS, ISSUANCES, REPORTS], useFactory: steps },
  { provide: SIGN, inject: [SETTINGS, KEYS, CHANGES, STATUS_LISTS, REPORTS], useFactory: signing },
  { provide: ISSUING, inject: [SETTINGS, STEPS, SIGN, ISSUANCES, CHANGES, TRANSPORT], useFactory: issuance },
  { provide: issueCredential, inject: [ISSUING], useFactory: (both: Issuing) => both.issueCredential },
  { provide: issueDeferredCredential, inject: [ISSUING], useFactory: (both: Issuing) => both.issueDeferredCredential },
  {
    provide: exchangePreAuthorizedCode,
    inject: [SETTINGS, REDEMPTIONS, STEPS],
    useFactory: (settings: Settings, redemptions: Redemptions, { verifyWallet, freshDpopNonce }: WalletSteps) => {
      const { issuerUrl, deferredSeconds, redeliverySeconds } = settings;
      const { findRedeemable, consumeProofs, redeem } = redemptions;
      return exchangePreAuthorizedCode({
        clock,
        issuerUrl,
        verifyWallet,
        freshDpopNonce,
        findRedeemable,
        consumeProofs,
        redeem: redeemCode({ random, deferredSeconds, redeliverySeconds, redeem }),
        repeat: repeatToken(redemptions),
      });
    },
  },
  {
    provide: issueNonce,
    inject: [SETTINGS, STEPS],
    useFactory: ({ nonceKeys }: Settings, { freshDpopNonce }: WalletSteps) =>
      issueNonce({ clock, random, nonceKeys, freshDpopNonce }),
  },
  {
    provide: issueChallenge,
    inject: [SETTINGS],
    useFactory: ({ nonceKeys, clientAuthentication }: Settings) =>
      issueChallenge({ clock, random, nonceKeys, clientAuthentication }),
  },
  {
    provide: acceptNotification,
    inject: [SETTINGS, STEPS, ISSUANCES],
    useFactory: ({ notificationKeys }: Settings, { authorize }: WalletSteps, { recordNotification }: Issuances) =>
      acceptNotification({ clock, authorize, notificationKeys, recordNotification }),
  },
  {
    provide: acceptHandOvers,
    inject: [SETTINGS, ISSUANCES],
    useFactory: ({ handOverKeys }: Settings, { recordHandOvers }: Issuances) =>
      acceptHandOvers({ clock, handOverKeys, recordHandOvers }),
  },
  {
    provide: getOfferObject,
    inject: [SETTINGS, OFFERS],
    useFactory: ({ issuerUrl }: Settings, { findOpen }: CredentialOffers) =>
      getOfferObject({ clock, issuerUrl, findOpen }),
  },
];

/** Public documents. */
const FOR_EVERYBODY: Provider[] = [
  {
    provide: getIssuerDocument,
    inject: [SETTINGS],
    useFactory: ({ documents }: Settings) => getIssuerDocument(documents),
  },
  { provide: getTypeMetadata, inject: [SETTINGS], useFactory: ({ types }: Settings) => getTypeMetadata(types) },
  {
    provide: getSignedMetadata,
    inject: [SETTINGS, KEYS, REPORTS],
    useFactory: (settings: Settings, { signerAt }: SigningKeys, { reportFailure }: Reports) => {
      const { issuerUrl, documents, signsMetadata } = settings;
      return getSignedMetadata({ clock, issuerUrl, documents, signsMetadata, signerAt, reportFailure });
    },
  },
  {
    provide: getStatusList,
    inject: [SETTINGS, KEYS, STATUS_LISTS, REPORTS],
    useFactory: (settings: Settings, keys: SigningKeys, lists: StatusLists, { reportFailure }: Reports) => {
      const { issuerUrl, statusListTtlSeconds } = settings;
      const { listSignerAt } = keys;
      const { findList, readContent, publish } = lists;
      const build = buildStatusList({ issuerUrl, statusListTtlSeconds, listSignerAt, readContent });
      const renewing = renewStatusList({ clock, build, findList, publish, reportFailure });
      // Many requests share a renewal: it must not inherit the deadline of the first.
      const renew: typeof renewing = (list) => withoutRequestContext(() => renewing(list));
      return getStatusList({ clock, statusListTtlSeconds, listSignerAt, findList, renew });
    },
  },
];

function creation(
  { issuerUrl, types, credentialOfferEndpoint }: Settings,
  { chainEndsAt }: SigningKeys,
  { insert }: CredentialOffers,
  reports: Reports,
  callbacks: Callbacks,
) {
  const { reportShortened } = reports;
  const { urlFault: callbackUrlFault } = callbacks;
  const addresses = { callbackUrlFault, credentialOfferEndpoint };
  return createCredentialOffer({ clock, random, addresses, chainEndsAt, reportShortened, issuerUrl, types, insert });
}

/** Requests of backends about their offers and issued credentials. */
const FOR_BACKENDS: Provider[] = [
  { provide: createCredentialOffer, inject: [SETTINGS, KEYS, OFFERS, REPORTS, CALLBACKS], useFactory: creation },
  {
    provide: getCredentialOffer,
    inject: [SETTINGS, KEYS, OFFERS],
    useFactory: ({ types }: Settings, { chainEndsAt }: SigningKeys, { findView }: CredentialOffers) =>
      getCredentialOffer({ clock, types, chainEndsAt, findView }),
  },
  {
    provide: listCredentialOffers,
    inject: [SETTINGS, KEYS, OFFER_LIST],
    useFactory: ({ types }: Settings, { chainEndsAt }: SigningKeys, findPage: OfferList) =>
      listCredentialOffers({ clock, types, chainEndsAt, findPage }),
  },
  {
    provide: changeCredentialOffer,
    inject: [SETTINGS, CHANGES, getCredentialOffer],
    useFactory: ({ types }: Settings, changes: OfferChanges, view: GetCredentialOffer) => {
      const { findChangeable, completeClaims, fail } = changes;
      return changeCredentialOffer({ clock, types, findChangeable, completeClaims, fail, view });
    },
  },
  {
    provide: cancelCredentialOffer,
    inject: [CHANGES],
    useFactory: ({ cancel }: OfferChanges) => cancelCredentialOffer({ clock, cancel }),
  },
  {
    provide: changeCredentialStatus,
    inject: [STATUS_LISTS],
    useFactory: ({ changeStatus }: StatusLists) => changeCredentialStatus({ clock, changeStatus }),
  },
  {
    provide: expireCredentialOffers,
    inject: [OFFERS, HOLD],
    useFactory: ({ findOverdue, expire, purge }: CredentialOffers, { held }: ExpiryHold) =>
      expireCredentialOffers({
        clock,
        findOverdue: held(findOverdue),
        expire,
        purge,
        rest: () => setTimeout(REST_MILLISECONDS),
      }),
  },
  {
    provide: markUnservedWallets,
    inject: [OFFERS],
    useFactory: ({ markUnserved }: CredentialOffers) => markUnservedWallets({ clock, markUnserved }),
  },
];

/** The use cases of the issuer over its adapters, each under the function that makes it. */
export const USE_CASES: readonly Provider[] = [...FOR_WALLETS, ...FOR_EVERYBODY, ...FOR_BACKENDS];
