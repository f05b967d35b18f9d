import {
  curveOf,
  jwkThumbprint,
  parseSigningJwk,
  type EcCurve,
  type EcdsaAlgorithm,
  type EcJwk,
} from '@vestibule/crypto';
import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '@vestibule/foundation';
import {
  checkProofTimes,
  isOnlyAudience,
  OAuthError,
  openTypedJwt,
  type AttestationStatus,
  type AttesterKeys,
  type JwtSigner,
  type RefusalReason,
  type TypedJwtKind,
} from '@vestibule/oauth';
import type { CredentialRequest } from './credential-request';
import {
  verifyKeyAttestation,
  type AttestedKey,
  type KeyAttestationRequirement,
  type VerifiedKeyAttestation,
} from './key-attestation';

/** What the key proofs of one credential request must say. */
export interface KeyProofExpectation {
  /** The Credential Issuer Identifier, exactly. */
  readonly audience: string;
  readonly now: Date;
  /** The client that authenticated at the token endpoint; `anonymous` proofs may say anything in `iss`. */
  readonly client: { readonly clientId: string } | 'anonymous';
  /** Who may attest keys; if undefined, attestations are not read. */
  readonly attesterKeys: AttesterKeys | undefined;
  /** How many credentials one request may get: attested keys beyond are left out. */
  readonly maxKeys: number;
  /** What the keys must be attested to be; undefined where they need no attestation. */
  readonly requirement: KeyAttestationRequirement | undefined;
  /** What the keys may sign with: each algorithm has one curve. */
  readonly algorithms: readonly EcdsaAlgorithm[];
  /** Which attested keys may sign a `jwt` proof: each (OpenID4VCI 1.0 §F.1), or the first alone (TS3 1.5 §2.2.2.2). */
  readonly signers?: 'any_attested' | 'first_attested';
}

/** The keys to bind credentials to, those of the proofs first and in their order, and the nonces that are still to be checked. */
export interface VerifiedKeyProofs {
  readonly keys: readonly EcJwk[];
  /** Each nonce once: unknown, expired or used ones are `invalid_nonce`. */
  readonly nonces: readonly string[];
  /** What the attestations say about their own status, unchecked. */
  readonly statuses: readonly AttestationStatus[];
}

/** What one key proof may have. */
export const KEY_PROOF_LIMITS = { maxLength: 131_072, maxHeaderLength: 98_304 };
export const MAX_NONCE_LENGTH = 512;
const PROOF: TypedJwtKind = { typ: 'openid4vci-proof+jwt', limits: KEY_PROOF_LIMITS, error: 'invalid_proof' };
const KEY_REFERENCES = ['jwk', 'kid', 'x5c'];
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

const refuse = (reason: RefusalReason) => new OAuthError('invalid_proof', reason);

/** True when any object in the header that looks like a key has a private or symmetric part. */
function holdsPrivateKey(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(holdsPrivateKey);
  if (!isJsonObject(value)) return false;
  const isPrivate = Object.hasOwn(value, 'kty') && PRIVATE_MEMBERS.some((name) => Object.hasOwn(value, name));
  return isPrivate || Object.values(value).some(holdsPrivateKey);
}

/** A place in `attested_keys`, from 0, in the only form that it may have. */
const PLACE = /^(?:0|[1-9]\d{0,2})$/;

/**
 * An attested key by its `kid`: the one that has exactly this `kid`, else the one at this place. The standard's example
 * has a place, without a rule (§F.1).
 */
function findAttestedKey(kid: JsonValue | undefined, attested: readonly AttestedKey[]): AttestedKey | undefined {
  if (typeof kid !== 'string') return undefined;
  return attested.find((key) => key.kid === kid) ?? (PLACE.test(kid) ? attested[Number(kid)] : undefined);
}

/** The only member of the header that names a key; undefined where an attestation alone does. */
function readReference(header: JsonObject, attested: readonly AttestedKey[]): string | undefined {
  const references = KEY_REFERENCES.filter((name) => Object.hasOwn(header, name));
  const isNamed = references.length === 1 || (references.length === 0 && attested.length > 0);
  if (!isNamed) throw refuse('proof_key_not_named_once');
  return references[0];
}

/**
 * The proof's key: given as `jwk`, or as `kid` of an attested one; the first attested one where an attestation is all
 * that the header has (TS3 1.5 §2.2.2.2). The key of an `x5c` would not be trusted here.
 */
function readKey(header: JsonObject, attested: readonly AttestedKey[], curves: readonly EcCurve[]): EcJwk {
  const reference = readReference(header, attested);
  if (reference === 'jwk') return parseSigningJwk(ownMember(header, 'jwk'), curves);
  if (reference === 'x5c') throw refuse('proof_key_not_acceptable');
  const named = reference === 'kid' ? findAttestedKey(ownMember(header, 'kid'), attested) : attested[0];
  if (!named) throw refuse('proof_key_not_acceptable');
  return named.jwk;
}

/** Verifies each attestation of a request once, however many proofs repeat it. */
function attestationReader({ attesterKeys, requirement, now, algorithms }: KeyProofExpectation) {
  const known = new Map<string, VerifiedKeyAttestation>();
  return async (header: JsonObject): Promise<VerifiedKeyAttestation | undefined> => {
    const text = ownMember(header, 'key_attestation');
    if (text === undefined && requirement) throw refuse('key_attestation_required');
    if (text === undefined || !attesterKeys) return undefined;
    if (typeof text !== 'string') throw refuse('key_attestation_malformed');
    const expected = { now, attesterKeys, requirement, algorithms, place: 'jwt_header' as const };
    const verified = known.get(text) ?? (await verifyKeyAttestation(text, expected));
    known.set(text, verified);
    return verified;
  };
}

type ReadAttestation = ReturnType<typeof attestationReader>;

type ProofSigner = JwtSigner & {
  readonly holder: EcJwk;
  readonly attestation: VerifiedKeyAttestation | undefined;
};

async function findSigner(
  header: JsonObject,
  readAttestation: ReadAttestation,
  { algorithms, signers }: KeyProofExpectation,
): Promise<ProofSigner> {
  if (holdsPrivateKey(header)) throw refuse('private_key_in_header');
  const attestation = await readAttestation(header);
  const holder = readKey(header, attestation?.keys ?? [], algorithms.map(curveOf));
  const thumbprint = jwkThumbprint(holder);
  const vouchedFor = !attestation || attestation.keys.some((key) => key.thumbprint === thumbprint);
  if (!vouchedFor) throw refuse('proof_key_not_attested');
  const isFirst = attestation?.keys[0]?.thumbprint === thumbprint;
  if (signers === 'first_attested' && !isFirst) throw refuse('proof_key_not_first');
  return { holder, attestation };
}

function checkIssuer(claims: JsonObject, client: KeyProofExpectation['client']): void {
  if (client === 'anonymous' || !Object.hasOwn(claims, 'iss')) return;
  if (ownMember(claims, 'iss') !== client.clientId) throw refuse('proof_iss_mismatch');
}

interface VerifiedKeyProof {
  readonly jwk: EcJwk;
  readonly attestation: VerifiedKeyAttestation | undefined;
  readonly nonce: string;
}

async function verifyKeyProof(
  proof: string,
  expected: KeyProofExpectation,
  readAttestation: ReadAttestation,
): Promise<VerifiedKeyProof> {
  const { algorithms } = expected;
  const { claims, signer } = await openTypedJwt(proof, { ...PROOF, algorithms }, (header) =>
    findSigner(header, readAttestation, expected),
  );
  if (!isOnlyAudience(ownMember(claims, 'aud'), expected.audience)) throw refuse('proof_aud_mismatch');
  const times = checkProofTimes(claims, expected.now);
  if ('wrong' in times) throw refuse(times.wrong);
  checkIssuer(claims, expected.client);
  const nonce = ownMember(claims, 'nonce');
  const present = typeof nonce === 'string' && nonce !== '' && nonce.length <= MAX_NONCE_LENGTH;
  if (!present) throw refuse('proof_nonce_missing');
  return { jwk: signer.holder, attestation: signer.attestation, nonce };
}

/** The keys of the proofs in their order, then the other attested ones: one credential for each (§F.1). */
function distinctKeys(verified: readonly VerifiedKeyProof[]): EcJwk[] {
  const proven = verified.map(({ jwk }) => [jwkThumbprint(jwk), jwk] as const);
  if (new Set(proven.map(([thumbprint]) => thumbprint)).size < proven.length) throw refuse('proof_key_repeated');
  const attested = verified.flatMap(({ attestation }) => attestation?.keys ?? []);
  return [...new Map([...proven, ...attested.map(({ thumbprint, jwk }) => [thumbprint, jwk] as const)]).values()];
}

function distinctNonces(nonces: readonly (string | undefined)[]): string[] {
  return [...new Set(nonces.filter((nonce) => nonce !== undefined))];
}

async function verifyJwtProofs(proofs: readonly string[], expected: KeyProofExpectation): Promise<VerifiedKeyProofs> {
  const readAttestation = attestationReader(expected);
  const verified: VerifiedKeyProof[] = [];
  for (const proof of proofs) verified.push(await verifyKeyProof(proof, expected, readAttestation));
  const nonces = verified.flatMap(({ nonce, attestation }) => [nonce, attestation?.nonce]);
  const attestations = [...new Set(verified.flatMap(({ attestation }) => attestation ?? []))];
  const statuses = attestations.map(({ status }) => status);
  return { keys: distinctKeys(verified), nonces: distinctNonces(nonces), statuses };
}

/** Exactly one attestation, with a nonce: it alone proves that the keys are the wallet's (§F.3). */
async function verifyAttestationProof(
  proofs: readonly string[],
  expected: KeyProofExpectation,
): Promise<VerifiedKeyProofs> {
  const [proof, ...more] = proofs;
  const { now, attesterKeys, requirement, algorithms } = expected;
  if (proof === undefined || more.length > 0) throw refuse('key_attestation_not_alone');
  if (!attesterKeys) throw refuse('key_attestations_not_supported');
  const place = 'attestation_proof' as const;
  const attestation = await verifyKeyAttestation(proof, { now, attesterKeys, requirement, algorithms, place });
  const { keys, nonce, status } = attestation;
  if (nonce === undefined) throw refuse('proof_nonce_missing');
  return { keys: keys.map(({ jwk }) => jwk), nonces: [nonce], statuses: [status] };
}

/**
 * Verifies the key proofs of one credential request (OpenID4VCI 1.0 Appendix F), all of them or none. For type `jwt`:
 * type, a signature with the key that the header names, on a curve of `algorithms`, audience, time, a different key in
 * each, and the attestation in the header if attesters are configured; for type `attestation`: one attestation. Unknown members are ignored. The
 * nonces are returned unchecked: none may be used up before every signature has been verified. Throws `invalid_proof`.
 */
export async function verifyKeyProofs(
  { proofType, proofs }: Pick<CredentialRequest, 'proofType' | 'proofs'>,
  expected: KeyProofExpectation,
): Promise<VerifiedKeyProofs> {
  if (proofs.length === 0) throw refuse('proofs_empty');
  const verify = proofType === 'jwt' ? verifyJwtProofs : verifyAttestationProof;
  const verified = await verify(proofs, expected);
  return { ...verified, keys: verified.keys.slice(0, expected.maxKeys) };
}
