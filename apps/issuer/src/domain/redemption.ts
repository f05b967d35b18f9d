import type { IssuanceEvent } from '@vestibule/contracts';
import type { GrantedCredential } from '@vestibule/oid4vci';
import type { PromisedStatus } from './issuance';
import type { KeptAnswer } from './kept-answer';
import type { ProofKind, SpendableProof } from './spendable-proof';

/** What the token endpoint needs to know about an offer that can still be redeemed. */
export interface RedeemableOffer {
  readonly offerId: string;
  readonly configurationId: string;
  readonly hasTxCode: boolean;
  /** The sealed key of its transaction code's digest, which its tokens are bound with, too. */
  readonly txCodeKey?: Uint8Array | undefined;
  /** The claims are supplied later: the token must live until then. */
  readonly isDeferred: boolean;
  readonly expiresAt: Date;
}

/** One attempt to redeem a code. */
export interface Redemption {
  readonly offerId: string;
  readonly codeDigest: Uint8Array;
  readonly txCode: string | undefined;
  /** Of the offer; undefined if it has no transaction code. */
  readonly txCodeKey?: Uint8Array | undefined;
  readonly tokenDigest: Uint8Array;
  readonly tokenExpiresAt: Date;
  /** RFC 7638 thumbprint of the key that the token is bound to. */
  readonly thumbprint: string;
  /** The wallet that authenticated; undefined for an anonymous one. */
  readonly clientId: string | undefined;
  /** What its attestation says about its status, which is looked up again later. */
  readonly walletStatus?: PromisedStatus | undefined;
  readonly granted: readonly GrantedCredential[];
  readonly now: Date;
  /** The proofs of the request, which are spent whatever the result is. If one was used before, nothing else is changed. */
  readonly proofs: readonly SpendableProof[];
  /** Recognises the transaction code if the code is sent again; undefined if the offer has none. */
  readonly redeemedTxCodeDigest?: Uint8Array | undefined;
  /** The token, for a wallet that does not receive it; undefined if it is not kept. */
  readonly keptToken?: KeptAnswer | undefined;
  /** Sent if this attempt is the last one allowed and fails. */
  readonly failedEvent: IssuanceEvent;
}

/** The token that was issued for a redeemed code. */
export interface TokenOfCode {
  readonly offerId: string;
  readonly configurationId: string;
  readonly tokenDigest: Uint8Array;
  readonly thumbprint: string;
  readonly granted: readonly GrantedCredential[];
  readonly expiresAt: Date;
  readonly txCodeDigest: Uint8Array | undefined;
  /** Only for the request that received it, and only while it is kept. */
  readonly sealedToken: Uint8Array | undefined;
}

/**
 * The result of an attempt: `gone` if the code was redeemed, or its offer ended, before it; the kind of a proof that was
 * used before.
 */
export type RedemptionOutcome = 'redeemed' | 'wrong_tx_code' | 'ended' | 'gone' | ProofKind;
