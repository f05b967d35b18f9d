import {
  importPublicJwk,
  jwkThumbprint,
  jwsClaims,
  parseCompactJws,
  parsePublicJwk,
  requireEs256,
  type PublicJwk,
} from '@vestibule/crypto';
import { isJsonObject, ownMember, VerificationFailure, type JsonObject, type JsonValue } from '@vestibule/foundation';
import {
  OAuthError,
  PROOF_MAX_AHEAD_SECONDS,
  requireAttesterSignature,
  type AttesterKeys,
  type RefusalReason,
} from '@vestibule/oauth';

/** What a credential type demands of the keys that it is bound to (OpenID4VCI 1.0 §12.2.4); an empty list demands nothing. */
export interface KeyAttestationRequirement {
  readonly keyStorage: readonly string[];
  readonly userAuthentication: readonly string[];
}

export interface KeyAttestationExpectation {
  readonly now: Date;
  readonly attesterKeys: AttesterKeys;
  readonly requirement: KeyAttestationRequirement | undefined;
  /** In the header of a `jwt` proof an attestation must expire; as a proof of its own it need not (§D.1). */
  readonly place: 'jwt_header' | 'attestation_proof';
}

export interface AttestedKey {
  readonly jwk: PublicJwk;
  readonly thumbprint: string;
  readonly kid: string | undefined;
}

/** Keys that an attester vouches for. The nonce is unchecked. */
export interface VerifiedKeyAttestation {
  readonly keys: readonly AttestedKey[];
  readonly nonce: string | undefined;
}

const LIMITS = { maxLength: 98_304, maxHeaderLength: 32_768 };
const MAX_KEYS = 100;
const MAX_NONCE_LENGTH = 512;

const refuse = (reason: RefusalReason | VerificationFailure) => new OAuthError('invalid_proof', reason);

function checkTimes(claims: JsonObject, { now, place }: KeyAttestationExpectation): void {
  const seconds = now.getTime() / 1000;
  const [iat, exp, nbf] = ['iat', 'exp', 'nbf'].map((name) => ownMember(claims, name));
  const isPast = (value: JsonValue | undefined) =>
    typeof value === 'number' && value - PROOF_MAX_AHEAD_SECONDS <= seconds;
  if (!isPast(iat)) throw refuse('attestation_iat_in_future');
  if (nbf !== undefined && !isPast(nbf)) throw refuse('attestation_nbf_in_future');
  if (exp === undefined && place === 'attestation_proof') return;
  const isOpen = typeof exp === 'number' && exp + PROOF_MAX_AHEAD_SECONDS >= seconds;
  if (!isOpen) throw refuse('attestation_exp_passed');
}

function parseKey(value: JsonValue): AttestedKey {
  const jwk = parsePublicJwk(value);
  importPublicJwk(jwk);
  const kid = isJsonObject(value) ? ownMember(value, 'kid') : undefined;
  return { jwk, thumbprint: jwkThumbprint(jwk), kid: typeof kid === 'string' ? kid : undefined };
}

function readKeys(claims: JsonObject): readonly AttestedKey[] {
  const values = ownMember(claims, 'attested_keys');
  const acceptable = Array.isArray(values) && values.length > 0 && values.length <= MAX_KEYS;
  if (!acceptable) throw refuse('attested_keys_malformed');
  const keys = values.map(parseKey);
  if (new Set(keys.map(({ thumbprint }) => thumbprint)).size < keys.length) throw refuse('attested_key_repeated');
  return keys;
}

function requireLevel(
  claims: JsonObject,
  name: 'key_storage' | 'user_authentication',
  levels: readonly string[],
): void {
  if (levels.length === 0) return;
  const attested = ownMember(claims, name);
  const met = Array.isArray(attested) && attested.some((level) => typeof level === 'string' && levels.includes(level));
  if (!met) throw refuse(`${name}_too_low`);
}

function readNonce(claims: JsonObject): string | undefined {
  const nonce = ownMember(claims, 'nonce');
  if (nonce === undefined) return undefined;
  const acceptable = typeof nonce === 'string' && nonce !== '' && nonce.length <= MAX_NONCE_LENGTH;
  if (!acceptable) throw refuse('attestation_nonce_malformed');
  return nonce;
}

function read(text: string, expected: KeyAttestationExpectation): VerifiedKeyAttestation {
  const jws = parseCompactJws(text, LIMITS);
  if (ownMember(jws.header, 'typ') !== 'key-attestation+jwt') throw refuse('typ_wrong');
  requireEs256(jws);
  requireAttesterSignature(jws, expected.attesterKeys, expected.now);
  const claims = jwsClaims(jws);
  checkTimes(claims, expected);
  requireLevel(claims, 'key_storage', expected.requirement?.keyStorage ?? []);
  requireLevel(claims, 'user_authentication', expected.requirement?.userAuthentication ?? []);
  return { keys: readKeys(claims), nonce: readNonce(claims) };
}

/**
 * Verifies a key attestation (OpenID4VCI 1.0 Appendix D): type, ES256 by a trusted attester, times, distinct public P-256
 * keys and the levels that the credential type demands. Throws `invalid_proof`.
 */
export function verifyKeyAttestation(text: string, expected: KeyAttestationExpectation): VerifiedKeyAttestation {
  try {
    return read(text, expected);
  } catch (error) {
    if (error instanceof VerificationFailure) throw refuse(error);
    throw error;
  }
}
