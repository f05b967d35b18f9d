import { constantTimeEqual, deriveKey, hmacSha256 } from '@vestibule/crypto';
import { decodeBase64url, encodeBase64url, type RandomBytes } from '@vestibule/foundation';
import type { GrantedCredential } from '@vestibule/oid4vci';

/** What an access token is for. Its row says so, too, but the row alone is not believed. */
export interface BoundToken {
  /** {@link tokenKey} of the offer. */
  readonly key: Uint8Array;
  readonly offerId: string;
  /** RFC 7638 thumbprint of the wallet's key. */
  readonly thumbprint: string;
  readonly clientId: string | undefined;
  readonly granted: readonly GrantedCredential[];
  /** Whether the status of the wallet is kept for later. */
  readonly hasStatus: boolean;
}

const SECRET_BYTES = 32;
const TAG_BYTES = 16;
const TOKEN_BYTES = SECRET_BYTES + TAG_BYTES;
const MARK_BYTES = 8;
const MARKED_BYTES = SECRET_BYTES - MARK_BYTES;

/**
 * The key of an offer's tokens: derived from its code and, if it has a transaction code, from the key of its digest. Both are
 * stored only in the sealed session, so somebody who can write rows cannot make a token for an offer.
 */
export function tokenKey(preAuthorizedCode: string, txCodeKey: Uint8Array | undefined): Uint8Array {
  const key = deriveKey(Buffer.from(preAuthorizedCode, 'utf8'), 'access token');
  return txCodeKey ? deriveKey(key, `with tx_code\0${encodeBase64url(txCodeKey)}`) : key;
}

function tagOf(secret: Uint8Array, { key, offerId, thumbprint, clientId, granted }: BoundToken): Uint8Array {
  const credentials = granted.map(({ configurationId, credentialIdentifier }) => [
    configurationId,
    credentialIdentifier,
  ]);
  const facts = [encodeBase64url(secret), offerId, thumbprint, clientId ?? null, credentials];
  return hmacSha256(key, `vestibule access token\0${JSON.stringify(facts)}`).subarray(0, TAG_BYTES);
}

const markOf = (key: Uint8Array, random: Uint8Array): Uint8Array =>
  hmacSha256(key, `vestibule access token with a status\0${encodeBase64url(random)}`).subarray(0, MARK_BYTES);

/** 256 random bits, of which the last 64 say whether the wallet has a status. Without the key, nobody can tell. */
function createMarkedSecret({ key, hasStatus }: BoundToken, random: RandomBytes): Uint8Array {
  if (!hasStatus) return random(SECRET_BYTES);
  const bytes = random(MARKED_BYTES);
  return Buffer.concat([bytes, markOf(key, bytes)]);
}

const saysStatus = (secret: Uint8Array, { key }: BoundToken) =>
  constantTimeEqual(secret.subarray(MARKED_BYTES), markOf(key, secret.subarray(0, MARKED_BYTES)));

/**
 * An access token: at least 192 random bits, and a tag that binds them to the offer, the wallet and what was granted. That
 * the wallet has a status is not said by the tag: replicas of the previous version take such a token, too.
 */
export function createAccessToken(bound: BoundToken, random: RandomBytes): string {
  const secret = createMarkedSecret(bound, random);
  return encodeBase64url(Buffer.concat([secret, tagOf(secret, bound)]));
}

/**
 * `unbound` for a token of another form, such as those of earlier versions, which have no tag. `foreign` also for one whose
 * wallet has a status, where there is none any more.
 */
export function judgeAccessToken(accessToken: string, bound: BoundToken): 'bound' | 'unbound' | 'foreign' {
  const bytes = decodeBase64url(accessToken);
  if (bytes?.byteLength !== TOKEN_BYTES) return 'unbound';
  const [secret, tag] = [bytes.subarray(0, SECRET_BYTES), bytes.subarray(SECRET_BYTES)];
  const isLost = !bound.hasStatus && saysStatus(secret, bound);
  return constantTimeEqual(tag, tagOf(secret, bound)) && !isLost ? 'bound' : 'foreign';
}
