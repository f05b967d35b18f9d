import { curveOf, ECDSA_ALGORITHMS, jwkThumbprint, parseSigningJwk, sha256, type EcJwk } from '@vestibule/crypto';
import { isJsonObject, ownMember, type JsonObject } from '@vestibule/foundation';
import { attestationTimes, readAttestationStatus, type AttestationStatus, type AttesterKeys } from './attester-keys';
import { isOnlyAudience } from './audience';
import { OAuthError } from './oauth-error';
import { failingAs, openTypedJwt, type TypedJwtKind } from './open-typed-jwt';
import { checkProofTimes, rememberedUntil } from './proof-times';
import type { RefusalReason } from './refusal-reasons';
import type { ServerNonces } from './server-nonces';

/** Every value of the two header fields of attestation-based client authentication, in order. */
export interface ClientAttestationHeaders {
  readonly attestation: readonly string[];
  readonly pop: readonly string[];
}

export interface ClientAttestationExpectation {
  /** The authorization server's identifier, exactly: an endpoint's address is not an audience. */
  readonly audience: string;
  readonly now: Date;
  readonly attesterKeys: AttesterKeys;
  /** The `client_id` parameter of the request, if it had one. */
  readonly clientId: string | undefined;
  readonly challenge: ServerNonces | 'not_required';
  /** True takes a proof without a challenge, but none with an unknown or old one. Default false. */
  readonly isChallengeOptional?: boolean;
}

/** An authenticated wallet. Until `expiresAt` its `replayDigest` must not be seen again. */
export interface AuthenticatedClient {
  /** `sub` of the attestation: which wallet this is, never which of its instances. */
  readonly clientId: string;
  /** SHA-256 over instance key and `jti`: the only trace of the proof that may be stored. */
  readonly replayDigest: Uint8Array;
  readonly expiresAt: Date;
  /** What the attestation says about its status, unchecked. */
  readonly status: AttestationStatus;
}

const LIMITS = { maxLength: 16_384, maxHeaderLength: 12_288 };
/** Attester and wallet may use each of the three (TS3 1.5 §2.6). */
const SIGNED = { limits: LIMITS, error: 'invalid_client', algorithms: ECDSA_ALGORITHMS } as const;
const ATTESTATION: TypedJwtKind = { typ: 'oauth-client-attestation+jwt', ...SIGNED };
const POSSESSION: TypedJwtKind = { typ: 'oauth-client-attestation-pop+jwt', ...SIGNED };
const INSTANCE_CURVES = ECDSA_ALGORITHMS.map(curveOf);
const MAX_NAME_LENGTH = 512;
const MAX_JTI_LENGTH = 256;

const refuse = (reason: RefusalReason) => new OAuthError('invalid_client', reason);

/** Exactly one of each (draft 07 §9): a proof of possession in the DPoP proof alone (draft 10) is not offered. */
function requireHeaders({ attestation, pop }: ClientAttestationHeaders): readonly [string, string] {
  const [one, two] = [attestation[0], pop[0]];
  const paired = one !== undefined && two !== undefined && attestation.length === 1 && pop.length === 1;
  if (!paired) throw refuse('attestation_headers_not_paired');
  return [one, two];
}

function requireText(claims: JsonObject, name: 'sub' | 'jti', maxLength: number): string {
  const value = ownMember(claims, name);
  const acceptable = typeof value === 'string' && value !== '' && value.length <= maxLength;
  if (!acceptable) throw refuse(name === 'jti' ? 'jti_malformed' : 'attestation_sub_malformed');
  return value;
}

/** RFC 6749 appendix A.1: visible ASCII characters and spaces, which every log and database takes. */
const CLIENT_ID = /^[\x20-\x7e]*$/;

function requireClientId(claims: JsonObject): string {
  const clientId = requireText(claims, 'sub', MAX_NAME_LENGTH);
  if (!CLIENT_ID.test(clientId)) throw refuse('attestation_sub_characters');
  return clientId;
}

interface Attested {
  readonly clientId: string;
  readonly jwk: EcJwk;
  readonly status: AttestationStatus;
}

async function verifyAttestation(text: string, expected: ClientAttestationExpectation): Promise<Attested> {
  const { attesterKeys, now } = expected;
  const opened = await openTypedJwt(text, ATTESTATION, (header) => ({ attesters: attesterKeys(header, now) }));
  const { claims } = opened;
  const times = attestationTimes(claims, now, ['exp']);
  if (times === 'expired') throw new OAuthError('use_fresh_attestation', 'attestation_expired');
  if (times !== 'current') throw refuse(times.wrong);
  const confirmation = ownMember(claims, 'cnf');
  const named = isJsonObject(confirmation) ? ownMember(confirmation, 'jwk') : undefined;
  const jwk = parseSigningJwk(named, INSTANCE_CURVES);
  return { clientId: requireClientId(claims), jwk, status: readAttestationStatus(opened, 'client_status') };
}

function checkNames(clientId: string, claims: JsonObject, expected: ClientAttestationExpectation): void {
  const issuer = ownMember(claims, 'iss');
  if (issuer !== undefined && issuer !== clientId) throw refuse('pop_iss_mismatch');
  if (expected.clientId !== undefined && expected.clientId !== clientId) throw refuse('client_id_mismatch');
  if (!isOnlyAudience(ownMember(claims, 'aud'), expected.audience)) throw refuse('pop_aud_mismatch');
}

function checkChallenge(claims: JsonObject, expected: ClientAttestationExpectation): void {
  const { challenge, isChallengeOptional = false } = expected;
  if (challenge === 'not_required') return;
  if (isChallengeOptional && !Object.hasOwn(claims, 'challenge')) return;
  const value = ownMember(claims, 'challenge');
  if (typeof value === 'string' && challenge.accepts(value)) return;
  throw new OAuthError('use_attestation_challenge', 'challenge_not_current', undefined, challenge.create());
}

async function verifyPossession(text: string, { clientId, jwk }: Attested, expected: ClientAttestationExpectation) {
  const { claims } = await openTypedJwt(text, POSSESSION, () => ({ holder: jwk }));
  checkNames(clientId, claims, expected);
  const times = checkProofTimes(claims, expected.now);
  if ('wrong' in times) throw refuse(times.wrong);
  const jti = requireText(claims, 'jti', MAX_JTI_LENGTH);
  checkChallenge(claims, expected);
  return {
    replayDigest: sha256(`client attestation proof\0${jwkThumbprint(jwk)}\0${jti}`),
    expiresAt: rememberedUntil(times.issuedAtSeconds),
  };
}

/**
 * Authenticates a wallet by its attestation and the proof of possession of the attested key (OAuth 2.0
 * Attestation-Based Client Authentication draft 07 §9, OpenID4VCI 1.0 Appendix E): ES256, ES384 or ES512, a trusted attester, times,
 * names, audience and challenge. `iss`, which draft 07 requires and later drafts do not define, may be absent. The
 * caller must check for replay. Throws `invalid_client`, `use_fresh_attestation` or `use_attestation_challenge`.
 */
export async function verifyClientAttestation(
  headers: ClientAttestationHeaders,
  expected: ClientAttestationExpectation,
): Promise<AuthenticatedClient> {
  const [attestation, pop] = requireHeaders(headers);
  const attested = await failingAs('invalid_client', () => verifyAttestation(attestation, expected));
  const { clientId, status } = attested;
  return { clientId, status, ...(await verifyPossession(pop, attested, expected)) };
}
