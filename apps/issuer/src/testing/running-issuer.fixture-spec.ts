import type { Redemption } from '../domain/redemption';
import type { ProofKind, SpendableProof } from '../domain/spendable-proof';
import { issuing, signingStep, walletSteps, type IssuingDeps, type SigningDeps, type WalletStepDeps } from '../steps';
import { checkNoStatus, ISSUER, TYPES } from './issuer.fixture-spec';
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
import { witnessLists, type WitnessListsDeps } from '../use-cases/witness-lists';
import { redeemCode, type RedeemCodeDeps } from '../use-cases/redeem-code';
import { repeatToken, type RepeatTokenDeps } from '../use-cases/repeat-token';
import { verifyWallet } from '../use-cases/verify-wallet';
import { freshDpopNonce, verifyWalletProof, type DpopNonceDeps } from '../use-cases/wallet-proof';

/** What issuing and its steps need together. */
export interface EndpointDeps extends WalletStepDeps, SigningDeps, Omit<IssuingDeps, 'sign'> {}

/** Issues over the real steps. */
export const issuingOver = (deps: EndpointDeps) => issuing({ ...deps, sign: signingStep(deps) }, walletSteps(deps));

/** What is the same in all tests that say nothing else. */
type Fixed = 'issuer' | 'types' | 'checkStatus';

/** What the token endpoint and its steps need together. */
export interface TokenEndpointDeps
  extends
    DpopNonceDeps,
    AuthenticateClientDeps,
    Omit<RedeemCodeDeps, 'redeem' | Fixed>,
    RepeatTokenDeps,
    Omit<
      ExchangePreAuthorizedCodeDeps,
      'verifyWallet' | 'freshDpopNonce' | 'redeem' | 'repeat' | 'consumeProofs' | Fixed
    >,
    Partial<Pick<RedeemCodeDeps, 'types' | 'checkStatus'>> {
  /** True for the first to spend a proof. */
  readonly spendProof: SpendOne;
  readonly spendAttestationProof: SpendOne;
  /** Called without the proofs after they were spent, unless one of them was used before. */
  readonly redeem: RedeemCodeDeps['redeem'];
}

type SpendOne = (digest: Uint8Array, expiresAt: Date) => Promise<boolean>;

/** Proofs as the store spends them: in the order given, and the others are no matter once one was used before. */
function spendingOver({ spendProof, spendAttestationProof }: TokenEndpointDeps) {
  const spends = { dpop_proof: spendProof, attestation_proof: spendAttestationProof };
  return async (proofs: readonly SpendableProof[]): Promise<ProofKind | undefined> => {
    for (const { kind, digest, expiresAt } of proofs) if (!(await spends[kind](digest, expiresAt))) return kind;
    return undefined;
  };
}

/** Exchanges codes over the real steps. */
export function exchangeOver(given: TokenEndpointDeps) {
  const deps = { issuer: ISSUER, types: TYPES, checkStatus: checkNoStatus, ...given };
  const verifyProof = verifyWalletProof(deps);
  const consumeProofs = spendingOver(deps);
  const redeem = async ({ proofs, ...redemption }: Redemption) =>
    (await consumeProofs(proofs)) ?? deps.redeem({ ...redemption, proofs: [] });
  return exchangePreAuthorizedCode({
    ...deps,
    consumeProofs,
    redeem: redeemCode({ ...deps, redeem }),
    repeat: repeatToken(deps),
    freshDpopNonce: freshDpopNonce(deps),
    verifyWallet: verifyWallet({ ...deps, verifyProof, authenticateClient: authenticateClient(deps) }),
  });
}

/** What a status list and its steps need together. */
export interface StatusListDeps
  extends
    Omit<BuildStatusListDeps, 'keepRevocations'>,
    Omit<RenewStatusListDeps, 'build'>,
    Omit<GetStatusListDeps, 'renew' | 'issuerName'>,
    WitnessListsDeps {}

/** Serves status lists over the real steps. */
export function statusListOver(deps: StatusListDeps) {
  const { findList, keepRevocations } = witnessLists(deps);
  const renew = renewStatusList({ ...deps, build: buildStatusList({ ...deps, keepRevocations }) });
  return getStatusList({ ...deps, findList, issuerName: '', renew });
}
