import { constantTimeEqual, deriveKey, openUnder, sealUnder, sha256, type PublicJwk } from '@vestibule/crypto';
import { encodeBase64url, type RandomBytes } from '@vestibule/foundation';

/**
 * An answer that is kept for a wallet that did not receive it. It is sealed under a key derived from the wallet's own
 * secret: nothing that is stored, and no key of this installation, opens it.
 */
export interface KeptAnswer {
  /** Identifies the request that it answers. */
  readonly requestDigest: Uint8Array;
  readonly sealed: Uint8Array;
  readonly expiresAt: Date;
}

/** The key that a kept answer is sealed under, and what it is bound to. */
export interface AnswerSeal {
  /** 32 bytes, derived from what the wallet sends again with its request. */
  readonly key: Uint8Array;
  readonly offerId: string;
  readonly requestDigest: Uint8Array;
}

/** The key for the answers to an access token. */
export const answerKey = (accessToken: string): Uint8Array => deriveKey(Buffer.from(accessToken), 'kept answer');

/** Identifies a request for credentials by its keys: their RFC 7638 thumbprints in order. */
export const digestOfKeys = (thumbprints: readonly string[]): Uint8Array =>
  sha256(`vestibule credential request\0${thumbprints.join('\0')}`);

/**
 * The `transaction_id` for the keys of a request: the same as long as token and keys are, and known to nobody who has not
 * the token, of which only the hash is stored.
 */
export const transactionIdOf = (accessToken: string, requestDigest: Uint8Array): string =>
  encodeBase64url(deriveKey(Buffer.from(accessToken), `transaction id\0${encodeBase64url(requestDigest)}`));

/** Identifies a request for the deferred credentials of this transaction id. */
export const digestOfTransaction = (transactionId: string): Uint8Array =>
  sha256(`vestibule deferred request\0${transactionId}`);

/** Is an answer to this request among the kept ones of the token? */
export const isKept = (keptRequests: readonly Uint8Array[], requestDigest: Uint8Array): boolean =>
  keptRequests.some((kept) => constantTimeEqual(kept, requestDigest));

const contextOf = ({ offerId, requestDigest }: AnswerSeal) =>
  `issuer.kept_answer.sealed/${offerId}/${encodeBase64url(requestDigest)}`;

/** Seals the text of an answer. */
export function sealAnswer(seal: AnswerSeal, text: string, random: RandomBytes): Uint8Array {
  return sealUnder(seal.key, Buffer.from(text, 'utf8'), contextOf(seal), random);
}

/** The text of a kept answer. Throws `seal_broken` if it belongs to another token, offer or request. */
export function openAnswer(seal: AnswerSeal, sealed: Uint8Array): string {
  return openUnder(seal.key, sealed, contextOf(seal)).toString('utf8');
}

/** The parts of a token request that must be the same in a repetition. */
export interface RedeemingRequest {
  readonly preAuthorizedCode: string;
  readonly txCode: string | undefined;
  readonly clientId: string | undefined;
  /** The key of its DPoP proof. */
  readonly key: PublicJwk;
  /** The name of the issuer identifier: a code is no use at another one. */
  readonly issuer: string;
}

/** Recognises a redeemed code that is sent again; the code itself is not stored. */
export interface RedeemedCode {
  /** The key under which the token for this very request is sealed. */
  readonly key: Uint8Array;
  readonly requestDigest: Uint8Array;
  /** Digest, keyed by the code, of the transaction code sent with it; undefined if there was none. */
  readonly txCodeDigest: Uint8Array | undefined;
}

/**
 * Recognises a repeated token request. Everything is derived from the code; the key of the token also from the wallet's
 * public key, of which only the thumbprint is stored. So the token cannot be derived from stored data.
 */
export function redeemedCode(request: RedeemingRequest): RedeemedCode {
  const { preAuthorizedCode, txCode, clientId, key, issuer } = request;
  const code = Buffer.from(preAuthorizedCode, 'utf8');
  const secret = issuer === '' ? code : deriveKey(code, `redeemed at\0${issuer}`);
  const typed = txCode?.toUpperCase();
  const wallet = JSON.stringify([key.x, key.y, clientId ?? null]);
  return {
    key: deriveKey(secret, `kept token\0${wallet}`),
    requestDigest: deriveKey(secret, `token request\0${wallet}\0${typed ?? ''}`),
    txCodeDigest: typed === undefined ? undefined : deriveKey(secret, `redeemed with tx_code\0${typed}`),
  };
}
