import {
  importPublicJwk,
  jwkThumbprint,
  jwsClaims,
  parseCompactJws,
  parsePublicJwk,
  requireEs256,
  verifyJws,
  type CompactJws,
  type PublicJwk,
} from '@vestibule/crypto';
import { isJsonObject, ownMember, VerificationFailure, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { checkProofTimes, OAuthError } from '@vestibule/oauth';

/** What the key proofs of one credential request must say. */
export interface KeyProofExpectation {
  /** The Credential Issuer Identifier, exactly. */
  readonly audience: string;
  readonly now: Date;
  /** The client that authenticated at the token endpoint; `anonymous` proofs may say anything in `iss`. */
  readonly client: { readonly clientId: string } | 'anonymous';
}

/** The keys to bind credentials to, in the order of the proofs, and the nonces that are still to be checked. */
export interface VerifiedKeyProofs {
  readonly keys: readonly PublicJwk[];
  /** Each nonce once: unknown, expired or used ones are `invalid_nonce`. */
  readonly nonces: readonly string[];
}

const LIMITS = { maxLength: 131_072, maxHeaderLength: 98_304 };
const MAX_NONCE_LENGTH = 512;
const KEY_REFERENCES = ['jwk', 'kid', 'x5c'];
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

const refuse = (reason: string, cause?: unknown) => new OAuthError('invalid_proof', reason, cause);

/** True when any object in the header that looks like a key has a private or symmetric part. */
function holdsPrivateKey(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(holdsPrivateKey);
  if (!isJsonObject(value)) return false;
  const isPrivate = Object.hasOwn(value, 'kty') && PRIVATE_MEMBERS.some((name) => Object.hasOwn(value, name));
  return isPrivate || Object.values(value).some(holdsPrivateKey);
}

/** The proof's key. Only `jwk` is advertised: a `kid` or an `x5c` names a key that this issuer cannot resolve. */
function readKey(header: JsonObject): PublicJwk {
  const references = KEY_REFERENCES.filter((name) => Object.hasOwn(header, name));
  if (references.length !== 1) throw refuse('the header must name its key exactly once');
  if (references[0] !== 'jwk') throw refuse('the key must be given as jwk');
  if (holdsPrivateKey(header)) throw refuse('the header holds private key material');
  return parsePublicJwk(ownMember(header, 'jwk'));
}

function verifySignature(jws: CompactJws): PublicJwk {
  if (ownMember(jws.header, 'typ') !== 'openid4vci-proof+jwt') throw refuse('typ must be openid4vci-proof+jwt');
  requireEs256(jws);
  const jwk = readKey(jws.header);
  verifyJws(jws, importPublicJwk(jwk));
  return jwk;
}

function openProof(proof: string): { jwk: PublicJwk; claims: JsonObject } {
  try {
    const jws = parseCompactJws(proof, LIMITS);
    return { jwk: verifySignature(jws), claims: jwsClaims(jws) };
  } catch (error) {
    if (error instanceof VerificationFailure) throw refuse(error.detail, error);
    throw error;
  }
}

function isAudience(aud: JsonValue | undefined, audience: string): boolean {
  return aud === audience || (Array.isArray(aud) && aud.length === 1 && aud[0] === audience);
}

function checkIssuer(claims: JsonObject, client: KeyProofExpectation['client']): void {
  if (client === 'anonymous' || !Object.hasOwn(claims, 'iss')) return;
  if (ownMember(claims, 'iss') !== client.clientId) throw refuse('iss is not the client');
}

function verifyKeyProof(proof: string, expected: KeyProofExpectation): { jwk: PublicJwk; nonce: string } {
  const { jwk, claims } = openProof(proof);
  if (!isAudience(ownMember(claims, 'aud'), expected.audience)) throw refuse('aud is not the issuer');
  const times = checkProofTimes(claims, expected.now);
  if ('wrong' in times) throw refuse(times.wrong);
  checkIssuer(claims, expected.client);
  const nonce = ownMember(claims, 'nonce');
  const present = typeof nonce === 'string' && nonce !== '' && nonce.length <= MAX_NONCE_LENGTH;
  if (!present) throw refuse('nonce is missing');
  return { jwk, nonce };
}

/**
 * Verifies the `jwt` key proofs of one credential request (OpenID4VCI 1.0 §F.1, §F.4): type, ES256 with the public P-256
 * key in the header, audience, time; all of them or none, and each with a key of its own. Unknown members are ignored.
 * The nonces come back unchecked: only after every signature held may one be used up.
 * Throws `invalid_proof`.
 */
export function verifyKeyProofs(proofs: readonly string[], expected: KeyProofExpectation): VerifiedKeyProofs {
  if (proofs.length === 0) throw refuse('there is no proof');
  const verified = proofs.map((proof) => verifyKeyProof(proof, expected));
  const thumbprints = new Set(verified.map(({ jwk }) => jwkThumbprint(jwk)));
  if (thumbprints.size < verified.length) throw refuse('two proofs are for one key');
  return {
    keys: verified.map(({ jwk }) => jwk),
    nonces: [...new Set(verified.map(({ nonce }) => nonce))],
  };
}
