import { setImmediate } from 'node:timers/promises';
import type { Clock, RandomBytes } from '@vestibule/foundation';
import { withoutRequestContext } from '@vestibule/process';
import type {
  CredentialOffers,
  FindAttestationStatus,
  Issuances,
  OfferChanges,
  Redemptions,
  Reports,
  SigningKeys,
  StatusLists,
} from './domain/ports';
import { STATUS_LIST_SIZE } from './domain/credential-status';
import type { IdentifierSettings, IssuerSettings } from './issuer-settings';
import { issuing, signingStep, walletSteps, type WalletSteps } from './steps';
import { acceptNotification } from './use-cases/accept-notification';
import { checkAttestationStatus } from './use-cases/check-attestation-status';
import { exchangePreAuthorizedCode } from './use-cases/exchange-pre-authorized-code';
import { getSignedMetadata } from './use-cases/get-signed-metadata';
import { getStatusList } from './use-cases/get-status-list';
import { issueChallenge } from './use-cases/issue-challenge';
import { issueNonce } from './use-cases/issue-nonce';
import { issuersOf, type Issuers, type WalletUseCases } from './use-cases/issuers';
import { getOfferObject } from './use-cases/read-credential-offer';
import { getIssuerDocument, getTypeMetadata } from './use-cases/read-documents';
import { redeemCode } from './use-cases/redeem-code';
import { buildStatusList, renewStatusList } from './use-cases/renew-status-list';
import { repeatToken } from './use-cases/repeat-token';
import { reserveStatusIndexes } from './use-cases/reserve-status-indexes';
import type { SignCredentials } from './use-cases/sign-credentials';
import { witnessLists } from './use-cases/witness-lists';

/** The adapters that the use cases for wallets share. */
export interface WalletAdapters {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly offers: Pick<CredentialOffers, 'findOpen' | 'findView' | 'markUnserved'>;
  readonly changes: Pick<OfferChanges, 'fail' | 'markUnsigned'>;
  readonly redemptions: Redemptions;
  readonly issuances: Issuances;
  readonly lists: StatusLists;
  readonly keys: SigningKeys;
  readonly reports: Reports;
  readonly findAttestationStatus: FindAttestationStatus;
  readonly mostAnswerBytes: () => number;
}

/** An offer, or what a token allows, of this identifier; those of another one are unknown here. */
function ownOnly<Found extends { readonly configurationId: string }, Arguments extends readonly unknown[]>(
  { isOwn }: IdentifierSettings,
  find: (...all: Arguments) => Promise<Found | undefined>,
) {
  return async (...all: Arguments): Promise<Found | undefined> => {
    const found = await find(...all);
    return found && isOwn(found.configurationId) ? found : undefined;
  };
}

/** Signs the credentials of every identifier: each type has its own. */
function signing({ types }: IssuerSettings, adapters: WalletAdapters): SignCredentials {
  const { random, keys, changes, lists, reports } = adapters;
  const { drawIndexes, openList } = lists;
  return signingStep({
    random,
    types,
    signerAt: keys.signerAt,
    fail: changes.fail,
    markUnsigned: changes.markUnsigned,
    ...reports,
    reserveStatusIndexes: reserveStatusIndexes({ random, statusListSize: STATUS_LIST_SIZE, drawIndexes, openList }),
    letOthersRun: () => setImmediate(),
  });
}

interface Identifier extends WalletAdapters {
  readonly settings: Omit<IssuerSettings, 'issuerUrl' | 'types' | 'identifiers'> & IdentifierSettings;
  readonly sign: SignCredentials;
}

/** Requests of wallets with a token. */
function withToken({ settings, sign, ...adapters }: Identifier, steps: WalletSteps) {
  const { clock, issuances, changes, offers, reports, mostAnswerBytes } = adapters;
  const { defer, complete, recordNotification } = issuances;
  const checkStatus = checkAttestationStatus({ ...settings, ...adapters });
  const { fail } = changes;
  const { findView, markUnserved } = offers;
  const { reportPostponed } = reports;
  const ending = { complete, fail, findView, markUnserved, reportPostponed, mostAnswerBytes };
  const deps = { ...settings, ...adapters, sign, defer, ...ending, checkStatus };
  return {
    ...issuing(deps, steps),
    acceptNotification: acceptNotification({ ...settings, clock, authorize: steps.authorize, recordNotification }),
  };
}

/** Requests of wallets with a code, and what they need for it. */
function withCode({ settings, ...adapters }: Identifier, { verifyWallet, freshDpopNonce }: WalletSteps) {
  const { clock, random, offers, redemptions } = adapters;
  const { nonceKeys, clientAuthentication, identity: issuer } = settings;
  const checkStatus = checkAttestationStatus({ ...settings, ...adapters });
  return {
    exchangePreAuthorizedCode: exchangePreAuthorizedCode({
      clock,
      issuer,
      verifyWallet,
      freshDpopNonce,
      findRedeemable: ownOnly(settings, redemptions.findRedeemable),
      consumeProofs: redemptions.consumeProofs,
      redeem: redeemCode({ ...settings, random, redeem: redemptions.redeem, checkStatus }),
      repeat: repeatToken(redemptions),
    }),
    issueNonce: issueNonce({ clock, random, nonceKeys, freshDpopNonce }),
    issueChallenge: issueChallenge({ clock, random, nonceKeys, clientAuthentication }),
    getOfferObject: getOfferObject({ ...settings, clock, findOpen: ownOnly(settings, offers.findOpen) }),
  };
}

/** Public documents. */
function documents({ settings, clock, keys, lists, reports }: Identifier) {
  const { issuerUrl, identity, types, statusListTtlSeconds } = settings;
  const { listSignerAt } = keys;
  const { findList, readContent, publish } = lists;
  const { reportFailure, reportLostRevocations } = reports;
  const witness = witnessLists({ issuerUrl, findList, reportLostRevocations });
  const { keepRevocations } = witness;
  const build = buildStatusList({ issuerUrl, statusListTtlSeconds, listSignerAt, readContent, keepRevocations });
  const renewing = renewStatusList({ clock, build, findList, publish, reportFailure });
  // Many requests share a renewal: it must not inherit the deadline of the first.
  const renew: typeof renewing = (list) => withoutRequestContext(() => renewing(list));
  const seen = { findList: witness.findList, listSignerAt };
  const list = { ...seen, clock, issuerName: identity.name, statusListTtlSeconds, renew };
  return {
    getIssuerDocument: getIssuerDocument(settings.documents),
    getTypeMetadata: getTypeMetadata(types),
    getSignedMetadata: getSignedMetadata({ ...settings, clock, signerAt: keys.metadataSignerAt, reportFailure }),
    getStatusList: getStatusList(list),
  };
}

function useCasesOf(identifier: Identifier): WalletUseCases {
  const { settings, random, issuances, reports, mostAnswerBytes } = identifier;
  const { findKept } = issuances;
  const steps = walletSteps({
    ...settings,
    ...reports,
    random,
    findKept,
    mostAnswerBytes,
    findGrant: ownOnly(settings, issuances.findGrant),
  });
  return { ...withToken(identifier, steps), ...withCode(identifier, steps), ...documents(identifier) };
}

/** Makes the use cases of every identifier: nothing of one is of use at another. */
export function createIssuers(settings: IssuerSettings, adapters: WalletAdapters): Issuers {
  const { identifiers, ...common } = settings;
  const sign = signing(settings, adapters);
  const all = new Map(
    identifiers.map((one) => {
      const identifier = { ...adapters, sign, settings: { ...common, ...one } };
      return [one.identity.name, useCasesOf(identifier)] as const;
    }),
  );
  return issuersOf(all);
}
