import { constantTimeEqual } from '@vestibule/crypto';
import type { GrantedCredential } from '@vestibule/oid4vci';
import { openAnswer, type RedeemedCode } from '../domain/kept-answer';
import type { Redemptions } from '../domain/ports';

export interface RepeatTokenDeps {
  readonly findGivenToken: Redemptions['findGivenToken'];
  readonly revokeToken: Redemptions['revokeToken'];
}

/** A request with a code that does not open an offer. */
export interface LateTokenRequest {
  readonly codeDigest: Uint8Array;
  readonly redeemed: RedeemedCode;
  /** RFC 7638 thumbprint of the key of its DPoP proof. */
  readonly thumbprint: string;
  /** The credential configurations that it names in `authorization_details`. */
  readonly named: readonly string[];
  readonly now: Date;
  /** Spends the proofs, only for a request that obtains or ends something. */
  readonly spendProofs: () => Promise<void>;
}

/** A token that was issued before. */
export interface GivenToken {
  readonly accessToken: string;
  readonly expiresAt: Date;
  readonly configurationId: string;
  readonly granted: readonly GrantedCredential[];
}

/** An answer has to name what its request asked for (OpenID4VCI 1.0 §6.2). */
const covers = (granted: readonly GrantedCredential[], named: readonly string[]) =>
  named.every((id) => granted.some(({ configurationId }) => configurationId === id));

/**
 * The answer for a code that was redeemed before: the same token for the same key and transaction code, while it is
 * kept, unless the repetition asks for credential identifiers that were not given with it. The right transaction code
 * with another key revokes the token that was issued for the code (RFC 6749 §4.1.2), and the answers kept for it;
 * someone who has only seen the offer cannot do that. Any other request changes nothing and gets nothing.
 */
export function repeatToken({ findGivenToken, revokeToken }: RepeatTokenDeps) {
  return async function repeatToken(request: LateTokenRequest): Promise<GivenToken | undefined> {
    const { codeDigest, redeemed, thumbprint, named, now, spendProofs } = request;
    const { key, requestDigest, txCodeDigest } = redeemed;
    const given = await findGivenToken(codeDigest, requestDigest, now);
    if (!given) return undefined;
    const { offerId, tokenDigest, expiresAt, configurationId, granted, sealedToken } = given;
    if (sealedToken) {
      if (!covers(granted, named)) return undefined;
      await spendProofs();
      const accessToken = openAnswer({ key, offerId, requestDigest }, sealedToken);
      return { accessToken, expiresAt, configurationId, granted };
    }
    const hasRightCode = given.txCodeDigest && txCodeDigest && constantTimeEqual(given.txCodeDigest, txCodeDigest);
    if (!hasRightCode || constantTimeEqual(given.thumbprint, thumbprint)) return undefined;
    await spendProofs();
    await revokeToken(tokenDigest);
    return undefined;
  };
}

export type RepeatToken = ReturnType<typeof repeatToken>;
