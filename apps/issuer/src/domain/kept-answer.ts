import { constantTimeEqual, deriveKey, openUnder, sealUnder, sha256, type PublicJwk } from '@vestibule/crypto';
import { encodeBase64url, type RandomBytes } from '@vestibule/foundation';

/**
 * An answer as it is kept for a wallet that did not get it. It is sealed under a key that only the wallet's own secret
 * gives: nothing that is stored, and no key of this installation, opens it.
 */
export interface KeptAnswer {
  /** Which request it answers. */
  readonly requestDigest: Uint8Array;
  readonly sealed: Uint8Array;
  readonly expiresAt: Date;
}

/** What a kept answer is sealed under and bound to. */
export interface AnswerSeal {
  /** 32 bytes, derived from what the wallet sends again with its request. */
  readonly key: Uint8Array;
  readonly offerId: string;
  readonly requestDigest: Uint8Array;
}

/** What opens the answers that were given to an access token. */
export const answerKey = (accessToken: string): Uint8Array => deriveKey(Buffer.from(accessToken), 'kept answer');

/** A request for credentials with these keys, by their RFC 7638 thumbprints in their order. */
export const digestOfKeys = (thumbprints: readonly string[]): Uint8Array =>
  sha256(`vestibule credential request\0${thumbprints.join('\0')}`);

/** A request for the credentials that were promised under this id. */
export const digestOfTransaction = (transactionId: string): Uint8Array =>
  sha256(`vestibule deferred request\0${transactionId}`);

/** Is an answer to this request kept for a token with these kept requests? */
export const isKept = (keptRequests: readonly Uint8Array[], requestDigest: Uint8Array): boolean =>
  keptRequests.some((kept) => constantTimeEqual(kept, requestDigest));

const contextOf = ({ offerId, requestDigest }: AnswerSeal) =>
  `issuer.kept_answer.sealed/${offerId}/${encodeBase64url(requestDigest)}`;

/** Seals the text of an answer. */
export function sealAnswer(seal: AnswerSeal, text: string, random: RandomBytes): Uint8Array {
  return sealUnder(seal.key, Buffer.from(text, 'utf8'), contextOf(seal), random);
}

/** The text of a kept answer. Throws `seal_broken` for one of another token, offer or request. */
export function openAnswer(seal: AnswerSeal, sealed: Uint8Array): string {
  return openUnder(seal.key, sealed, contextOf(seal)).toString('utf8');
}

/** What a wallet sends for a token, as far as a repetition has to be the same. */
export interface RedeemingRequest {
  readonly preAuthorizedCode: string;
  readonly txCode: string | undefined;
  readonly clientId: string | undefined;
  /** The key of its DPoP proof. */
  readonly key: PublicJwk;
}

/** How a redeemed code is recognised when it comes again; the code itself is not stored. */
export interface RedeemedCode {
  /** What the token of this very request is sealed under and found by. */
  readonly key: Uint8Array;
  readonly requestDigest: Uint8Array;
  /** Of the transaction code that came with it, under the code; undefined where none came. */
  readonly txCodeDigest: Uint8Array | undefined;
}

/**
 * What recognises a request for a token: everything is derived from the code, and the key of the token also from the public
 * key of the wallet, of which only the thumbprint is stored. So the token does not follow from anything that is stored.
 */
export function redeemedCode({ preAuthorizedCode, txCode, clientId, key }: RedeemingRequest): RedeemedCode {
  const secret = Buffer.from(preAuthorizedCode, 'utf8');
  const typed = txCode?.toUpperCase();
  const wallet = JSON.stringify([key.x, key.y, clientId ?? null]);
  return {
    key: deriveKey(secret, `kept token\0${wallet}`),
    requestDigest: deriveKey(secret, `token request\0${wallet}\0${typed ?? ''}`),
    txCodeDigest: typed === undefined ? undefined : deriveKey(secret, `redeemed with tx_code\0${typed}`),
  };
}
