import { sha256 } from '@vestibule/crypto';
import type { RandomBytes } from '@vestibule/foundation';
import type { GrantedCredential } from '@vestibule/oid4vci';
import type { AttestationStatus } from '@vestibule/oauth';
import { createAccessToken, tokenKey } from '../domain/access-token';
import type { IssuableType } from '../domain/credential-offer';
import { failedEvent } from '../domain/issuance-event';
import { sealAnswer, type KeptAnswer, type RedeemedCode } from '../domain/kept-answer';
import type { Redemptions } from '../domain/ports';
import type { RedeemableOffer, RedemptionOutcome } from '../domain/redemption';
import type { SpendableProof } from '../domain/spendable-proof';
import type { CheckAttestationStatus } from './check-attestation-status';
import type { GivenToken } from './repeat-token';
import { requireType } from './require-type';

export interface RedeemCodeDeps {
  readonly random: RandomBytes;
  /** How long a wallet may wait for a deferred credential. */
  readonly deferredSeconds: number;
  /** How long answers with credentials are kept; with 0 nothing is kept, including tokens. */
  readonly redeliverySeconds: number;
  readonly redeem: Redemptions['redeem'];
  readonly types: ReadonlyMap<string, IssuableType>;
  readonly checkStatus: CheckAttestationStatus;
}

/** A token request that was verified, except for its transaction code. */
export interface CodeToRedeem {
  readonly offer: RedeemableOffer;
  readonly preAuthorizedCode: string;
  readonly codeDigest: Uint8Array;
  readonly txCode: string | undefined;
  readonly redeemed: RedeemedCode;
  readonly thumbprint: string;
  readonly clientId: string | undefined;
  /** What the attestation of the wallet says about its status; undefined for an anonymous wallet. */
  readonly status: AttestationStatus | undefined;
  readonly granted: readonly GrantedCredential[];
  /** Spent with the redemption. */
  readonly proofs: readonly SpendableProof[];
  readonly now: Date;
}

/** The token, or the reason why there is none. */
export type RedeemedToken =
  | { readonly outcome: 'redeemed'; readonly token: GivenToken }
  | { readonly outcome: Exclude<RedemptionOutcome, 'redeemed'> };

const TOKEN_SECONDS = 300;
/** How long the same request gets the same token again. */
const KEPT_TOKEN_SECONDS = 30;

const later = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000);

/** There are no refresh tokens: a token for a deferred offer lives as long as the wallet may have to wait. */
function tokenSeconds(offer: RedeemableOffer, now: Date, deferredSeconds: number): number {
  if (offer.isDeferred) return deferredSeconds;
  const left = Math.floor((offer.expiresAt.getTime() - now.getTime()) / 1000);
  return Math.max(1, Math.min(TOKEN_SECONDS, left));
}

/**
 * Creates a token, which is bound to what it is for, and redeems the code with it, after the status of the wallet was
 * checked: of several callers exactly one succeeds. The token is sealed for that request alone. Throws
 * `invalid_client`, `attestation_status_unavailable`, `credential_type_missing`.
 */
export function redeemCode(deps: RedeemCodeDeps) {
  function keep(accessToken: string, { offer: { offerId }, redeemed, now }: CodeToRedeem): KeptAnswer | undefined {
    if (deps.redeliverySeconds === 0) return undefined;
    const { key, requestDigest } = redeemed;
    const sealed = sealAnswer({ key, offerId, requestDigest }, accessToken, deps.random);
    return { requestDigest, sealed, expiresAt: later(now, KEPT_TOKEN_SECONDS) };
  }
  return async function redeemCode(order: CodeToRedeem): Promise<RedeemedToken> {
    const { offer, preAuthorizedCode, codeDigest, txCode, redeemed, status } = order;
    const { thumbprint, clientId, granted, proofs, now } = order;
    const { offerId, configurationId, txCodeKey } = offer;
    const type = requireType(deps.types, configurationId);
    await deps.checkStatus({ kind: 'wallet', status, type, now, isDeferred: offer.isDeferred });
    const key = tokenKey(preAuthorizedCode, txCodeKey);
    const accessToken = createAccessToken(
      { key, offerId, thumbprint, clientId, granted, hasStatus: status !== undefined },
      deps.random,
    );
    const expiresAt = later(now, tokenSeconds(offer, now, deps.deferredSeconds));
    const outcome = await deps.redeem({
      offerId,
      codeDigest,
      txCode,
      txCodeKey,
      tokenDigest: sha256(accessToken),
      tokenExpiresAt: expiresAt,
      thumbprint,
      clientId,
      walletStatus: status && { ...status, acceptedAt: now },
      granted,
      proofs,
      redeemedTxCodeDigest: redeemed.txCodeDigest,
      keptToken: keep(accessToken, order),
      now,
      failedEvent: failedEvent(offerId, 'tx_code_attempts_exceeded', 'too many wrong transaction codes'),
    });
    return outcome === 'redeemed'
      ? { outcome, token: { accessToken, expiresAt, configurationId, granted } }
      : { outcome };
  };
}

export type RedeemCode = ReturnType<typeof redeemCode>;
