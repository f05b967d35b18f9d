import { createSecret, sha256 } from '@vestibule/crypto';
import type { Clock, JsonObject, RandomBytes } from '@vestibule/foundation';
import { OAuthError } from '@vestibule/oauth';
import {
  buildAuthorizationDetails,
  grantAuthorizationDetails,
  parseTokenRequest,
  requireTxCodeAsOffered,
  WRONG_TX_CODE,
} from '@vestibule/oid4vci';
import { failedEvent } from '../domain/issuance-event';
import type { Redemptions } from '../domain/ports';
import type { RedeemableOffer } from '../domain/redemption';
import type { TokenHeaders, VerifyWallet } from './verify-wallet';
import type { FreshDpopNonce } from './wallet-proof';

export interface ExchangePreAuthorizedCodeDeps {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly issuerUrl: string;
  /** How long a wallet may wait for a promised credential. */
  readonly deferredSeconds: number;
  readonly verifyWallet: VerifyWallet;
  readonly findRedeemable: Redemptions['findRedeemable'];
  readonly redeem: Redemptions['redeem'];
  readonly freshDpopNonce: FreshDpopNonce;
}

export interface TokenInput extends TokenHeaders {
  readonly form: readonly (readonly [string, string])[];
}

export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'DPoP';
  readonly expires_in: number;
  readonly authorization_details?: JsonObject[];
  /** For the `DPoP-Nonce` header of the answer. */
  readonly dpop_nonce?: string;
}

const TOKEN_SECONDS = 300;

/** There are no refresh tokens: a token for a deferred offer lives as long as the wallet may have to wait. */
function secondsLeft(offer: RedeemableOffer, now: Date, deferredSeconds: number): number {
  if (offer.isDeferred) return deferredSeconds;
  const left = Math.floor((offer.expiresAt.getTime() - now.getTime()) / 1000);
  return Math.max(1, Math.min(TOKEN_SECONDS, left));
}

function notRedeemed(outcome: 'wrong_tx_code' | 'ended' | 'gone'): OAuthError {
  if (outcome === 'gone') return new OAuthError('invalid_grant', 'code_redeemed_meanwhile');
  return new OAuthError(WRONG_TX_CODE, outcome === 'ended' ? 'tx_code_attempts_exceeded' : 'tx_code_wrong');
}

/**
 * A wallet exchanges the pre-authorized code (OpenID4VCI 1.0 §6, RFC 9449 §5). The order is form, client
 * authentication, DPoP, code, transaction code; nothing before the last check uses the code up, so that a wallet may try
 * again after a mistake. No proof is spent while another one asks for a nonce, or for a code that is not there: a
 * stranger's guesses write nothing.
 * Throws an OAuthError.
 */
export function exchangePreAuthorizedCode(deps: ExchangePreAuthorizedCodeDeps) {
  return async function exchangePreAuthorizedCode(input: TokenInput): Promise<TokenAnswer> {
    const now = deps.clock();
    const request = parseTokenRequest(input.form, deps.issuerUrl);
    const { thumbprint, clientId, spendProofs } = await deps.verifyWallet(input, request, now);
    const codeDigest = sha256(request.preAuthorizedCode);
    const offer = await deps.findRedeemable(codeDigest, now);
    if (!offer) throw new OAuthError('invalid_grant', 'code_not_open');
    requireTxCodeAsOffered(request, offer.hasTxCode);
    const granted = grantAuthorizationDetails(request.authorizationDetails ?? [], [offer.configurationId]);
    await spendProofs();
    const accessToken = createSecret(deps.random);
    const expiresIn = secondsLeft(offer, now, deps.deferredSeconds);
    const outcome = await deps.redeem({
      offerId: offer.offerId,
      codeDigest,
      txCode: request.txCode,
      tokenDigest: sha256(accessToken),
      tokenExpiresAt: new Date(now.getTime() + expiresIn * 1000),
      thumbprint,
      clientId,
      granted,
      now,
      failedEvent: failedEvent(offer.offerId, 'tx_code_attempts_exceeded: too many wrong transaction codes'),
    });
    if (outcome !== 'redeemed') throw notRedeemed(outcome);
    return {
      access_token: accessToken,
      token_type: 'DPoP',
      expires_in: expiresIn,
      ...(granted.length > 0 ? { authorization_details: buildAuthorizationDetails(granted) } : {}),
      ...deps.freshDpopNonce(now),
    };
  };
}
