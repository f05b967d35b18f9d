import {
  constantTimeEqual,
  jwkThumbprint,
  parsePublicJwk,
  sha256,
  sha256Base64url,
  type PublicJwk,
} from '@vestibule/crypto';
import { ownMember, type JsonObject } from '@vestibule/foundation';
import { normalizeTargetUri } from './htu';
import { OAuthError } from './oauth-error';
import { openTypedJwt, type TypedJwtKind } from './open-typed-jwt';
import { checkProofTimes, rememberedUntil } from './proof-times';
import type { RefusalReason } from './refusal-reasons';
import type { ServerNonces } from './server-nonces';

/** The access token that a proof accompanies, and the thumbprint of the key that the token is bound to. */
export interface BoundAccessToken {
  readonly accessToken: string;
  readonly thumbprint: string;
}

/** An access token whose key is not known yet. */
export interface UnknownAccessToken {
  readonly accessToken: string;
  /** The caller must call {@link requireTokenKey} before anything is done for the holder of the proof. */
  readonly binding: 'compared_by_caller';
}

/** What a proof must say. `token` and `nonce` have no default: a caller that requires less has to say so. */
export interface DpopExpectation {
  readonly method: string;
  /** The public URL of the endpoint, from configuration and never from the request. */
  readonly url: string;
  readonly now: Date;
  /** `unbound` at the token endpoint, where the token is yet to be bound to the proof's key. */
  readonly token: BoundAccessToken | UnknownAccessToken | 'unbound';
  /** `not_required` while no nonces are handed out. */
  readonly nonce: ServerNonces | 'not_required';
}

/** A verified proof. Until `expiresAt` its `replayDigest` must not be seen again. */
export interface VerifiedDpopProof {
  /** RFC 7638 thumbprint of the key: the `jkt` to bind a token to. */
  readonly thumbprint: string;
  /** The key itself: with its members of RFC 7638 and no others. */
  readonly key: PublicJwk;
  /** SHA-256 over key, URL and `jti`: the only trace of the proof that may be stored. */
  readonly replayDigest: Uint8Array;
  readonly expiresAt: Date;
}

const PROOF: TypedJwtKind = {
  typ: 'dpop+jwt',
  limits: { maxLength: 16_384, maxHeaderLength: 8_192 },
  error: 'invalid_dpop_proof',
};
const MAX_JTI_LENGTH = 256;

const refuse = (reason: RefusalReason) => new OAuthError('invalid_dpop_proof', reason);

function requireText(claims: JsonObject, name: 'jti' | 'htm' | 'htu', maxLength: number): string {
  const value = ownMember(claims, name);
  const acceptable = typeof value === 'string' && value !== '' && value.length <= maxLength;
  if (!acceptable) throw refuse(`${name}_malformed`);
  return value;
}

function requireTarget(claims: JsonObject, expected: DpopExpectation): string {
  if (requireText(claims, 'htm', 64) !== expected.method) throw refuse('htm_mismatch');
  const target = normalizeTargetUri(expected.url);
  if (target === undefined) throw new RangeError('the URL of the endpoint is not an absolute http(s) URL');
  if (normalizeTargetUri(requireText(claims, 'htu', 2_048)) !== target) throw refuse('htu_mismatch');
  return target;
}

function requireNonce(claims: JsonObject, policy: DpopExpectation['nonce']): void {
  if (policy === 'not_required') return;
  const nonce = ownMember(claims, 'nonce');
  const good = typeof nonce === 'string' && policy.accepts(nonce);
  if (!good) throw new OAuthError('use_dpop_nonce', 'dpop_nonce_not_current', undefined, policy.create());
}

/** Throws `invalid_token` unless the proof's key is the one that the token is bound to (RFC 9449 §6.1). */
export function requireTokenKey(proofThumbprint: string, tokenThumbprint: string): void {
  if (!constantTimeEqual(proofThumbprint, tokenThumbprint)) {
    throw new OAuthError('invalid_token', 'token_of_another_key');
  }
}

function requireBinding(claims: JsonObject, thumbprint: string, token: DpopExpectation['token']): void {
  if (token === 'unbound') return;
  const ath = ownMember(claims, 'ath');
  const matches = typeof ath === 'string' && constantTimeEqual(ath, sha256Base64url(token.accessToken));
  if (!matches) throw refuse('ath_mismatch');
  if (!('binding' in token)) requireTokenKey(thumbprint, token.thumbprint);
}

/**
 * Verifies one DPoP proof (RFC 9449 §4.3, all but the count of header fields and the replay of `jti`): type, ES256 with
 * the embedded public P-256 key, `htm`, `htu` against the public URL, `iat`, and on a protected request `ath` and the
 * key that the token is bound to. Unknown members are ignored.
 * Throws `invalid_dpop_proof`, `use_dpop_nonce` (with a nonce policy) or `invalid_token` (token of another key).
 */
export async function verifyDpopProof(proof: string, expected: DpopExpectation): Promise<VerifiedDpopProof> {
  const { claims, signer } = await openTypedJwt(proof, PROOF, (header) => ({
    holder: parsePublicJwk(ownMember(header, 'jwk')),
  }));
  const thumbprint = jwkThumbprint(signer.holder);
  const jti = requireText(claims, 'jti', MAX_JTI_LENGTH);
  const target = requireTarget(claims, expected);
  const times = checkProofTimes(claims, expected.now);
  if ('wrong' in times) throw refuse(times.wrong);
  requireNonce(claims, expected.nonce);
  requireBinding(claims, thumbprint, expected.token);
  return {
    thumbprint,
    key: signer.holder,
    replayDigest: sha256(`${thumbprint}\0${target}\0${jti}`),
    expiresAt: rememberedUntil(times.issuedAtSeconds),
  };
}
