import { isNumericDate, ownMember, type JsonObject } from '@vestibule/foundation';
import { algorithmOf, importPublicJwk, jwkThumbprint, jwsClaims, parseCompactJws, verifyJws } from '@vestibule/crypto';
import { getConfirmationKey, type HolderJwk } from './confirmation-key';
import { sdJwtFailure } from './failures';
import { hashBase64url } from './hash-algorithm';
import { CONFIRMATION_KEY, KEY_BINDING_JWT, renamingFailures } from './jose-failure';
import {
  matchTransactionData,
  type ConfirmedTransactionData,
  type RequestedTransactionData,
} from './match-transaction-data';
import type { SdJwt } from './parse-sd-jwt';
import { readClock } from './verify-validity';

const KEY_BINDING_TYPE = 'kb+jwt';

/** What a key binding JWT must say to belong to one presentation request. */
export interface KeyBindingExpectation {
  /** The full client_id of the request, prefix included. */
  readonly audience: string;
  readonly nonce: string;
  /** When the request was made: no proof can be older. */
  readonly requestedAt: Date;
  readonly now: Date;
  /** 0 to 60. */
  readonly skewSeconds: number;
  /** The elements of the request's `transaction_data` that name this credential; empty when there are none. */
  readonly transactionData: readonly RequestedTransactionData[];
}

/** A key binding that was verified. */
export interface VerifiedKeyBinding {
  /** RFC 7638 SHA-256 thumbprint of the key that the credential is bound to. */
  readonly thumbprint: string;
  readonly confirmationKey: HolderJwk;
  /** Undefined when the wallet confirmed no transaction data. */
  readonly transactionData: ConfirmedTransactionData | undefined;
  /** All claims that the holder signed. */
  readonly claims: JsonObject;
}

function readSignedClaims(text: string, key: HolderJwk): JsonObject {
  const publicKey = renamingFailures(CONFIRMATION_KEY, () => importPublicJwk(key));
  return renamingFailures(KEY_BINDING_JWT, () => {
    const jws = parseCompactJws(text);
    if (ownMember(jws.header, 'typ') !== KEY_BINDING_TYPE) throw sdJwtFailure('key_binding_type');
    verifyJws(jws, publicKey, [algorithmOf(key.crv)]);
    return jwsClaims(jws);
  });
}

function verifyTime(claims: JsonObject, expected: KeyBindingExpectation): void {
  const { nowSeconds, skew } = readClock(expected.now, expected.skewSeconds);
  const { nowSeconds: requestedSeconds } = readClock(expected.requestedAt, expected.skewSeconds);
  const iat = ownMember(claims, 'iat');
  if (!isNumericDate(iat)) throw sdJwtFailure('key_binding_time', 'the key binding JWT has no numeric iat');
  if (iat < Math.floor(requestedSeconds) - skew || iat > nowSeconds + skew) throw sdJwtFailure('key_binding_time');
  const [exp = Infinity, nbf = -Infinity] = [ownMember(claims, 'exp'), ownMember(claims, 'nbf')];
  if (typeof exp !== 'number' || nowSeconds >= exp + skew) throw sdJwtFailure('key_binding_time');
  if (typeof nbf !== 'number' || nowSeconds < nbf - skew) throw sdJwtFailure('key_binding_time');
}

/**
 * Verifies the key binding JWT (RFC 9901 §7.3, OpenID4VP 1.0 B.3.6): type, signature with the key that the issuer put
 * into `cnf`, audience, nonce, time, `sd_hash` over what was received, and transaction data.
 * `claims` are the processed claims of the same credential, whose issuer's signature the caller has verified.
 * Throws `key_binding_…`, `confirmation_key_…` and `transaction_data_…`.
 */
export function verifyKeyBinding(
  sdJwt: SdJwt,
  claims: JsonObject,
  expected: KeyBindingExpectation,
): VerifiedKeyBinding {
  if (sdJwt.keyBindingJwt === undefined) throw sdJwtFailure('key_binding_missing');
  const confirmationKey = getConfirmationKey(claims);
  const signed = readSignedClaims(sdJwt.keyBindingJwt, confirmationKey);
  if (ownMember(signed, 'aud') !== expected.audience) throw sdJwtFailure('key_binding_audience');
  if (ownMember(signed, 'nonce') !== expected.nonce) throw sdJwtFailure('key_binding_nonce');
  verifyTime(signed, expected);
  const sdHash = hashBase64url(sdJwt.hashAlgorithm, sdJwt.sdHashInput);
  if (ownMember(signed, 'sd_hash') !== sdHash) throw sdJwtFailure('key_binding_hash');
  const transactionData = matchTransactionData(signed, expected.transactionData);
  return { thumbprint: jwkThumbprint(confirmationKey), confirmationKey, transactionData, claims: signed };
}
