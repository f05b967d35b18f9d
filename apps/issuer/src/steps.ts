import type { Clock, RandomBytes } from '@vestibule/foundation';
import type { CredentialOffers, Issuances, OfferChanges, Reports } from './domain/ports';
import {
  composeAnswer,
  composePromise,
  encryptAnswer,
  handOut,
  type ComposeAnswerDeps,
  type ComposePromiseDeps,
  type HandOutDeps,
} from './use-cases/answer-credential';
import { authenticateClient, type AuthenticateClientDeps } from './use-cases/authenticate-client';
import { authorizeWallet, type AuthorizeWalletDeps } from './use-cases/authorize-wallet';
import { completeIssuance } from './use-cases/complete-issuance';
import { completePromised } from './use-cases/complete-promised';
import { confirmAttestations, type ConfirmAttestationsDeps } from './use-cases/confirm-attestations';
import { glimpseMessage } from './use-cases/glimpse-message';
import { issueCredential } from './use-cases/issue-credential';
import { issueDeferredCredential } from './use-cases/issue-deferred-credential';
import { keepAnswer, repeatAnswer, type KeepAnswerDeps, type RepeatAnswerDeps } from './use-cases/kept-answers';
import { openMessage, type OpenMessageDeps } from './use-cases/open-message';
import { promiseCredential } from './use-cases/promise-credential';
import { proveKeys, type ProveKeysDeps } from './use-cases/prove-keys';
import {
  signBatch,
  signCredentials,
  type SignBatchDeps,
  type SignCredentials,
  type SignCredentialsDeps,
} from './use-cases/sign-credentials';
import { verifyWallet } from './use-cases/verify-wallet';
import { freshDpopNonce, verifyWalletProof, type DpopNonceDeps } from './use-cases/wallet-proof';

/** The dependencies of all steps for wallets. */
export interface WalletStepDeps
  extends
    DpopNonceDeps,
    AuthenticateClientDeps,
    OpenMessageDeps,
    ComposeAnswerDeps,
    ComposePromiseDeps,
    Omit<HandOutDeps, 'encryptAnswer'>,
    KeepAnswerDeps,
    RepeatAnswerDeps,
    Omit<AuthorizeWalletDeps, 'verifyProof'> {}

/** The steps that use cases for wallets share: authorize the wallet, open its message, answer it. */
export function walletSteps(deps: WalletStepDeps) {
  const verifyProof = verifyWalletProof(deps);
  const encrypt = encryptAnswer(deps);
  return {
    freshDpopNonce: freshDpopNonce(deps),
    verifyWallet: verifyWallet({ ...deps, verifyProof, authenticateClient: authenticateClient(deps) }),
    authorize: authorizeWallet({ ...deps, verifyProof }),
    openMessage: openMessage(deps),
    composeAnswer: composeAnswer(deps),
    composePromise: composePromise(deps),
    encryptAnswer: encrypt,
    handOut: handOut({ ...deps, encryptAnswer: encrypt }),
    keep: keepAnswer(deps),
    repeat: repeatAnswer(deps),
  };
}

export type WalletSteps = ReturnType<typeof walletSteps>;

/** What signing requires, including the step that signs a batch. */
export interface SigningDeps extends SignBatchDeps, Omit<SignCredentialsDeps, 'signBatch'> {}

export const signingStep = (deps: SigningDeps): SignCredentials =>
  signCredentials({ ...deps, signBatch: signBatch(deps) });

/** What issuance requires besides the steps for wallets. */
export interface IssuingDeps extends Omit<ProveKeysDeps, 'confirm'>, ConfirmAttestationsDeps {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly sign: SignCredentials;
  readonly defer: Issuances['defer'];
  readonly complete: Issuances['complete'];
  readonly fail: OfferChanges['fail'];
  readonly findView: CredentialOffers['findView'];
  readonly markUnserved: CredentialOffers['markUnserved'];
  readonly reportPostponed: Reports['reportPostponed'];
  readonly mostAnswerBytes: () => number;
}

/** A wallet's two ways to a credential, which are the same from the signature on. */
export function issuing(deps: IssuingDeps, steps: WalletSteps) {
  const { openMessage: open, composePromise: compose } = steps;
  const complete = completeIssuance({ ...deps, ...steps, compose: steps.composeAnswer });
  const confirm = confirmAttestations(deps);
  return {
    issueCredential: issueCredential({
      ...deps,
      ...steps,
      glimpse: glimpseMessage({ ...deps, openMessage: open }),
      proveKeys: proveKeys({ ...deps, confirm }),
      promise: promiseCredential({ ...deps, ...steps, compose }),
      complete,
    }),
    issueDeferredCredential: issueDeferredCredential({
      ...deps,
      ...steps,
      complete: completePromised({ ...deps, confirm, complete }),
    }),
  };
}
