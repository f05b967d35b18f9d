import { constantTimeEqual } from '@vestibule/crypto';
import type { GrantedCredential } from '@vestibule/oid4vci';
import { openAnswer, type RedeemedCode } from '../domain/kept-answer';
import type { Redemptions, Reports } from '../domain/ports';
import type { TokenOfCode } from '../domain/redemption';

export interface RepeatTokenDeps {
  readonly findGivenToken: Redemptions['findGivenToken'];
  readonly countLateTry: Redemptions['countLateTry'];
  readonly revokeToken: Redemptions['revokeToken'];
  readonly reportGuessing: Reports['reportGuessing'];
}

/** A request with a code that does not open an offer. */
export interface LateTokenRequest {
  readonly codeDigest: Uint8Array;
  readonly redeemed: RedeemedCode;
  /** RFC 7638 thumbprint of the key of its DPoP proof. */
  readonly thumbprint: string;
  readonly now: Date;
  /** Spends the proofs, only for a request that obtains or ends something. */
  readonly spendProofs: () => Promise<void>;
}

/** A token that was issued before. */
export interface GivenToken {
  readonly accessToken: string;
  readonly expiresAt: Date;
  readonly granted: readonly GrantedCredential[];
}

/**
 * The answer for a code that was redeemed before: the same token for the same key and transaction code, while it is
 * kept. The right transaction code with another key revokes the token that was issued for the code (RFC 6749 §4.1.2),
 * and the answers kept for it. Someone who has only seen the offer would have to guess it: such tries are counted before
 * they are compared, together with the wrong ones before the redemption (OpenID4VCI 1.0 §13.6.3). Any other request changes
 * nothing and gets nothing.
 */
export function repeatToken({ findGivenToken, countLateTry, revokeToken, reportGuessing }: RepeatTokenDeps) {
  async function isRightTry({ offerId, ...given }: TokenOfCode, txCodeDigest: Uint8Array | undefined) {
    if (!given.txCodeDigest || !txCodeDigest) return false;
    const tried = await countLateTry(offerId);
    if (tried === 'refused') return false;
    const isRight = constantTimeEqual(given.txCodeDigest, txCodeDigest);
    if (!isRight && tried === 'last') reportGuessing();
    return isRight;
  }
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
    if (constantTimeEqual(given.thumbprint, thumbprint) || !(await isRightTry(given, txCodeDigest))) return undefined;
    await spendProofs();
    await revokeToken(tokenDigest);
    return undefined;
  };
}

export type RepeatToken = ReturnType<typeof repeatToken>;
