import {
  curveOf,
  ECDSA_ALGORITHMS,
  importPublicJwkByJose,
  jwkThumbprintByJose,
  parseSigningJwk,
  type EcCurve,
  type EcdsaAlgorithm,
  type EcJwk,
} from '@vestibule/crypto';
import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '@vestibule/foundation';
import {
  attestationTimes,
  readAttestationStatus,
  failingAs,
  OAuthError,
  openTypedJwt,
  type AttestationStatus,
  type AttesterKeys,
  type RefusalReason,
  type TypedJwtKind,
} from '@vestibule/oauth';

/**
 * What a credential type requires of the keys that it is bound to (OpenID4VCI 1.0 §12.2.4); an empty list requires
 * nothing.
 */
export interface KeyAttestationRequirement {
  readonly keyStorage: readonly string[];
  readonly userAuthentication: readonly string[];
}

export interface KeyAttestationExpectation {
  readonly now: Date;
  readonly attesterKeys: AttesterKeys;
  readonly requirement: KeyAttestationRequirement | undefined;
  /** The algorithms that attested keys may sign with: each has one curve. */
  readonly algorithms: readonly EcdsaAlgorithm[];
  /** In the header of a `jwt` proof an attestation must expire; as a separate proof it need not (§D.1). */
  readonly place: 'jwt_header' | 'attestation_proof';
}

export interface AttestedKey {
  readonly jwk: EcJwk;
  readonly thumbprint: string;
  readonly kid: string | undefined;
}

/** Keys that an attester vouches for. The nonce is unchecked. */
export interface VerifiedKeyAttestation {
  readonly keys: readonly AttestedKey[];
  readonly nonce: string | undefined;
  readonly status: AttestationStatus;
}

const ATTESTATION: TypedJwtKind = {
  typ: 'key-attestation+jwt',
  limits: { maxLength: 98_304, maxHeaderLength: 32_768 },
  error: 'invalid_proof',
  algorithms: ECDSA_ALGORITHMS,
};
const MAX_KEYS = 100;
const MAX_NONCE_LENGTH = 512;

const refuse = (reason: RefusalReason) => new OAuthError('invalid_proof', reason);

function requireTimes(claims: JsonObject, { now, place }: KeyAttestationExpectation): void {
  const times = attestationTimes(claims, now, place === 'jwt_header' ? ['exp', 'iat'] : ['iat']);
  if (times === 'expired') throw refuse('attestation_exp_passed');
  if (times !== 'current') throw refuse(times.wrong);
}

async function readKey(value: JsonValue, curves: readonly EcCurve[]): Promise<AttestedKey> {
  const jwk = parseSigningJwk(value, curves);
  await importPublicJwkByJose(jwk);
  const kid = isJsonObject(value) ? ownMember(value, 'kid') : undefined;
  return { jwk, thumbprint: await jwkThumbprintByJose(jwk), kid: typeof kid === 'string' ? kid : undefined };
}

async function readKeys(claims: JsonObject, curves: readonly EcCurve[]): Promise<readonly AttestedKey[]> {
  const values = ownMember(claims, 'attested_keys');
  const acceptable = Array.isArray(values) && values.length > 0 && values.length <= MAX_KEYS;
  if (!acceptable) throw refuse('attested_keys_malformed');
  const keys: AttestedKey[] = [];
  for (const value of values) keys.push(await readKey(value, curves));
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

/**
 * Verifies a key attestation (OpenID4VCI 1.0 Appendix D): type, a signature by a trusted attester (ES256, ES384 or
 * ES512), times, distinct public keys for one of `algorithms`, and the levels that the credential type requires. Throws
 * `invalid_proof`.
 */
export function verifyKeyAttestation(
  text: string,
  expected: KeyAttestationExpectation,
): Promise<VerifiedKeyAttestation> {
  const { attesterKeys, now, requirement, algorithms } = expected;
  return failingAs('invalid_proof', async () => {
    const opened = await openTypedJwt(text, ATTESTATION, (header) => ({ attesters: attesterKeys(header, now) }));
    const { claims } = opened;
    requireTimes(claims, expected);
    requireLevel(claims, 'key_storage', requirement?.keyStorage ?? []);
    requireLevel(claims, 'user_authentication', requirement?.userAuthentication ?? []);
    const keys = await readKeys(claims, algorithms.map(curveOf));
    return { keys, nonce: readNonce(claims), status: readAttestationStatus(opened, 'key_storage_status') };
  });
}
