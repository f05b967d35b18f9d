import type { IssuanceEvent } from '@vestibule/contracts';
import type { GrantedCredential } from '@vestibule/oid4vci';

/** What the token endpoint needs to know of an offer that its code still opens. */
export interface RedeemableOffer {
  readonly offerId: string;
  readonly configurationId: string;
  readonly hasTxCode: boolean;
  /** The claims come later: the token has to live until then. */
  readonly isDeferred: boolean;
  readonly expiresAt: Date;
}

/** One attempt to redeem a code. */
export interface Redemption {
  readonly offerId: string;
  readonly codeDigest: Uint8Array;
  readonly txCode: string | undefined;
  readonly tokenDigest: Uint8Array;
  readonly tokenExpiresAt: Date;
  /** RFC 7638 thumbprint of the key that the token is bound to. */
  readonly thumbprint: string;
  /** The wallet that authenticated; undefined for an anonymous one. */
  readonly clientId: string | undefined;
  readonly granted: readonly GrantedCredential[];
  readonly now: Date;
  /** Goes out when this attempt is the last one allowed and fails. */
  readonly failedEvent: IssuanceEvent;
}
