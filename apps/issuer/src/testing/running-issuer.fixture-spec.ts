import { issuing, signingStep, walletSteps, type IssuingDeps, type SigningDeps, type WalletStepDeps } from '../steps';
import { authenticateClient, type AuthenticateClientDeps } from '../use-cases/authenticate-client';
import {
  exchangePreAuthorizedCode,
  type ExchangePreAuthorizedCodeDeps,
} from '../use-cases/exchange-pre-authorized-code';
import { getStatusList, type GetStatusListDeps } from '../use-cases/get-status-list';
import {
  buildStatusList,
  renewStatusList,
  type BuildStatusListDeps,
  type RenewStatusListDeps,
} from '../use-cases/renew-status-list';
import { redeemCode, type RedeemCodeDeps } from '../use-cases/redeem-code';
import { repeatToken, type RepeatTokenDeps } from '../use-cases/repeat-token';
import { verifyWallet } from '../use-cases/verify-wallet';
import { freshDpopNonce, verifyWalletProof, type WalletProofDeps } from '../use-cases/wallet-proof';

/** What issuing and its steps need together. */
export interface EndpointDeps extends WalletStepDeps, SigningDeps, Omit<IssuingDeps, 'sign'> {}

/** Issues over the real steps. */
export const issuingOver = (deps: EndpointDeps) => issuing({ ...deps, sign: signingStep(deps) }, walletSteps(deps));

/** What the token endpoint and its steps need together. */
export interface TokenEndpointDeps
  extends
    WalletProofDeps,
    AuthenticateClientDeps,
    RedeemCodeDeps,
    RepeatTokenDeps,
    Omit<ExchangePreAuthorizedCodeDeps, 'verifyWallet' | 'freshDpopNonce' | 'redeem' | 'repeat'> {}

/** Exchanges codes over the real steps. */
export function exchangeOver(deps: TokenEndpointDeps) {
  const verifyProof = verifyWalletProof(deps);
  return exchangePreAuthorizedCode({
    ...deps,
    redeem: redeemCode(deps),
    repeat: repeatToken(deps),
    freshDpopNonce: freshDpopNonce(deps),
    verifyWallet: verifyWallet({ ...deps, verifyProof, authenticateClient: authenticateClient(deps) }),
  });
}

/** What a status list and its steps need together. */
export interface StatusListDeps
  extends BuildStatusListDeps, Omit<RenewStatusListDeps, 'build'>, Omit<GetStatusListDeps, 'renew'> {}

/** Serves status lists over the real steps. */
export const statusListOver = (deps: StatusListDeps) =>
  getStatusList({ ...deps, renew: renewStatusList({ ...deps, build: buildStatusList(deps) }) });
