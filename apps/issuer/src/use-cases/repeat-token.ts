import { constantTimeEqual } from '@vestibule/crypto';
import type { GrantedCredential } from '@vestibule/oid4vci';
import { openAnswer, type RedeemedCode } from '../domain/kept-answer';
import type { Redemptions } from '../domain/ports';

export interface RepeatTokenDeps {
  readonly findGivenToken: Redemptions['findGivenToken'];
  readonly revokeToken: Redemptions['revokeToken'];
}

/** A request with a code that opens no offer. */
export interface LateTokenRequest {
  readonly codeDigest: Uint8Array;
  readonly redeemed: RedeemedCode;
  /** RFC 7638 thumbprint of the key of its DPoP proof. */
  readonly thumbprint: string;
  readonly now: Date;
  /** Uses the proofs up, which is only done for a request that gets or ends something. */
  readonly spendProofs: () => Promise<void>;
}

/** A token that was given before. */
export interface GivenToken {
  readonly accessToken: string;
  readonly expiresAt: Date;
  readonly granted: readonly GrantedCredential[];
}

/**
 * What a request gets for a code that was redeemed before: the same token for the same key and transaction code, as long as
 * it is kept. The right transaction code with another key revokes the token that the code gave (RFC 6749 §4.1.2), and with
 * it the answers kept for it; whoever has only seen the offer cannot do that. Anything else changes nothing and gets nothing.
 */
export function repeatToken({ findGivenToken, revokeToken }: RepeatTokenDeps) {
  return async function repeatToken(request: LateTokenRequest): Promise<GivenToken | undefined> {
    const { codeDigest, redeemed, thumbprint, now, spendProofs } = request;
    const { key, requestDigest, txCodeDigest } = redeemed;
    const given = await findGivenToken(codeDigest, requestDigest, now);
    if (!given) return undefined;
    const { offerId, tokenDigest, expiresAt, granted, sealedToken } = given;
    if (sealedToken) {
      await spendProofs();
      return { accessToken: openAnswer({ key, offerId, requestDigest }, sealedToken), expiresAt, granted };
    }
    const hasRightCode = given.txCodeDigest && txCodeDigest && constantTimeEqual(given.txCodeDigest, txCodeDigest);
    if (!hasRightCode || constantTimeEqual(given.thumbprint, thumbprint)) return undefined;
    await spendProofs();
    await revokeToken(tokenDigest);
    return undefined;
  };
}

export type RepeatToken = ReturnType<typeof repeatToken>;
