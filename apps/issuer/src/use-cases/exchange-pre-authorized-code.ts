import { sha256 } from '@vestibule/crypto';
import type { Clock, JsonObject } from '@vestibule/foundation';
import { OAuthError } from '@vestibule/oauth';
import {
  buildAuthorizationDetails,
  grantAuthorizationDetails,
  parseTokenRequest,
  requireTxCodeAsOffered,
  scopeOf,
  type TokenRequest,
  WRONG_TX_CODE,
} from '@vestibule/oid4vci';
import type { IssuerIdentity } from '../domain/credential-offer';
import { redeemedCode } from '../domain/kept-answer';
import type { Redemptions } from '../domain/ports';
import type { RedemptionOutcome } from '../domain/redemption';
import type { RedeemCode } from './redeem-code';
import type { GivenToken, RepeatToken } from './repeat-token';
import type { TokenHeaders, VerifyWallet } from './verify-wallet';
import { proofReplayed, type FreshDpopNonce } from './wallet-proof';

export interface ExchangePreAuthorizedCodeDeps {
  readonly clock: Clock;
  readonly issuer: Pick<IssuerIdentity, 'name' | 'url'>;
  readonly verifyWallet: VerifyWallet;
  readonly findRedeemable: Redemptions['findRedeemable'];
  readonly consumeProofs: Redemptions['consumeProofs'];
  readonly redeem: RedeemCode;
  readonly repeat: RepeatToken;
  readonly freshDpopNonce: FreshDpopNonce;
}

export interface TokenInput extends TokenHeaders {
  readonly form: readonly (readonly [string, string])[];
}

export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'DPoP';
  readonly expires_in: number;
  /** What the token is for, if the wallet named a scope. */
  readonly scope?: string;
  readonly authorization_details?: JsonObject[];
  /** For the `DPoP-Nonce` header of the answer. */
  readonly dpop_nonce?: string;
}

const notOpen = () => new OAuthError('invalid_grant', 'code_not_open');

function notRedeemed(outcome: Exclude<RedemptionOutcome, 'redeemed'>): OAuthError {
  if (outcome === 'gone') return new OAuthError('invalid_grant', 'code_redeemed_meanwhile');
  if (outcome === 'dpop_proof' || outcome === 'attestation_proof') return proofReplayed(outcome);
  return new OAuthError(WRONG_TX_CODE, outcome === 'ended' ? 'tx_code_attempts_exceeded' : 'tx_code_wrong');
}

function answerOf(
  { accessToken, expiresAt, configurationId, granted }: GivenToken,
  { namesScope }: TokenRequest,
  now: Date,
): TokenAnswer {
  return {
    access_token: accessToken,
    token_type: 'DPoP',
    expires_in: Math.max(1, Math.floor((expiresAt.getTime() - now.getTime()) / 1000)),
    ...(namesScope ? { scope: scopeOf(configurationId) } : {}),
    ...(granted.length > 0 ? { authorization_details: buildAuthorizationDetails(granted) } : {}),
  };
}

/**
 * A wallet exchanges the pre-authorized code (OpenID4VCI 1.0 §6, RFC 9449 §5). The order is form, client
 * authentication, DPoP, code, transaction code; the code is used up only by the last check, so that a wallet may try
 * again after a mistake. Proofs are not spent if another proof still needs a nonce, or if the code is unknown: guessing
 * codes writes nothing. A code that was redeemed before, or by a concurrent request, is left to `repeat`. Throws an
 * OAuthError.
 */
export function exchangePreAuthorizedCode(deps: ExchangePreAuthorizedCodeDeps) {
  return async function exchangePreAuthorizedCode(input: TokenInput): Promise<TokenAnswer> {
    const now = deps.clock();
    const request = parseTokenRequest(input.form, deps.issuer.url);
    const { thumbprint, key, clientId, proofs, status } = await deps.verifyWallet(input, request, now);
    const codeDigest = sha256(request.preAuthorizedCode);
    const { preAuthorizedCode, txCode, authorizationDetails: named = [] } = request;
    const redeemed = redeemedCode({ preAuthorizedCode, txCode, clientId, key, issuer: deps.issuer.name });
    const answer = (token: GivenToken) => ({ ...answerOf(token, request, now), ...deps.freshDpopNonce(now) });

    const offer = await deps.findRedeemable(codeDigest, now);
    if (!offer) {
      const spendProofs = async () => {
        const used = await deps.consumeProofs(proofs);
        if (used) throw proofReplayed(used);
      };
      const given = await deps.repeat({ codeDigest, redeemed, thumbprint, named, now, spendProofs });
      if (!given) throw notOpen();
      return answer(given);
    }
    requireTxCodeAsOffered(request, offer.hasTxCode);
    const granted = grantAuthorizationDetails(named, [offer.configurationId]);
    const code = { preAuthorizedCode, codeDigest, txCode, redeemed };
    const result = await deps.redeem({ offer, ...code, thumbprint, clientId, status, granted, proofs, now });
    if (result.outcome === 'redeemed') return answer(result.token);
    const alreadySpent = async () => undefined;
    const given =
      result.outcome === 'gone'
        ? await deps.repeat({ codeDigest, redeemed, thumbprint, named, now, spendProofs: alreadySpent })
        : undefined;
    if (!given) throw notRedeemed(result.outcome);
    return answer(given);
  };
}
