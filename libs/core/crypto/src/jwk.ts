import { createPublicKey, type KeyObject } from 'node:crypto';
import { decodeBase64url, isJsonObject, ownMember, type JsonObject } from '@vestibule/foundation';
import { algorithmOf, type EcCurve } from './ecdsa';
import { joseFailure } from './failures';
import { sha256Base64url } from './hash';

/** A public EC key with nothing but its required members (RFC 7518 §6.2.1). */
export interface EcJwk<Curve extends EcCurve = EcCurve> {
  readonly kty: 'EC';
  readonly crv: Curve;
  readonly x: string;
  readonly y: string;
}

/** A public EC key on P-256. */
export type PublicJwk = EcJwk<'P-256'>;

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const COORDINATE_BYTES: Readonly<Record<EcCurve, number>> = { 'P-256': 32, 'P-384': 48, 'P-521': 66 };

function isCoordinate(value: unknown, curve: EcCurve): value is string {
  return typeof value === 'string' && decodeBase64url(value)?.byteLength === COORDINATE_BYTES[curve];
}

function hasPrivateMember(jwk: JsonObject): boolean {
  return PRIVATE_MEMBERS.some((name) => Object.hasOwn(jwk, name));
}

/**
 * The required members of an untrusted public EC JWK on one of these curves; other public members are dropped. Throws
 * `jwk_not_allowed` for another type or curve, a private or symmetric member, or a malformed coordinate.
 */
export function parseEcJwk<Curve extends EcCurve>(value: unknown, curves: readonly Curve[]): EcJwk<Curve> {
  if (!isJsonObject(value) || hasPrivateMember(value)) throw joseFailure('jwk_not_allowed');
  const [named, x, y] = [ownMember(value, 'crv'), ownMember(value, 'x'), ownMember(value, 'y')];
  const crv = curves.find((one) => one === named);
  if (ownMember(value, 'kty') !== 'EC' || crv === undefined) throw joseFailure('jwk_not_allowed');
  if (!isCoordinate(x, crv) || !isCoordinate(y, crv)) throw joseFailure('jwk_not_allowed');
  return { kty: 'EC', crv, x, y };
}

/** As {@link parseEcJwk}, for P-256 alone. */
export function parsePublicJwk(value: unknown): PublicJwk {
  return parseEcJwk(value, ['P-256']);
}

/** `verify`, which a public key does, or `sign`, which wallets export with it from the private half. */
function mayVerify(operations: unknown): boolean {
  return Array.isArray(operations) && (operations.includes('verify') || operations.includes('sign'));
}

/**
 * As {@link parseEcJwk}, for a key that is to verify signatures: also throws `jwk_not_allowed` if its `use`, `alg` or
 * `key_ops` says that it is for something else (RFC 7517 §4.2 to §4.4).
 */
export function parseSigningJwk<Curve extends EcCurve>(value: unknown, curves: readonly Curve[]): EcJwk<Curve> {
  const jwk = parseEcJwk(value, curves);
  const [use, alg, operations] = ['use', 'alg', 'key_ops'].map((name) => ownMember(value as JsonObject, name));
  const isForSignatures = (use ?? 'sig') === 'sig' && (alg ?? algorithmOf(jwk.crv)) === algorithmOf(jwk.crv);
  if (!isForSignatures || !mayVerify(operations ?? ['verify'])) {
    throw joseFailure('jwk_not_allowed', 'the key is not for signatures of its curve');
  }
  return jwk;
}

/** Imports a public JWK; throws `jwk_not_allowed` when the point is not on the curve. */
export function importPublicJwk(jwk: EcJwk): KeyObject {
  try {
    return createPublicKey({ key: { ...jwk }, format: 'jwk' });
  } catch (error) {
    throw joseFailure('jwk_not_allowed', 'the point is not on its curve', error);
  }
}

/** The public half of a P-256 key as a JWK; throws `jwk_not_allowed` for any other key. */
export function exportPublicJwk(key: KeyObject): PublicJwk {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return parsePublicJwk({ ...publicKey.export({ format: 'jwk' }) });
}

/** The JWK Thumbprint of an EC key with SHA-256, base64url (RFC 7638 §3): members in lexicographic order, no white space. */
export function jwkThumbprint({ crv, x, y }: EcJwk): string {
  return sha256Base64url(`{"crv":"${crv}","kty":"EC","x":"${x}","y":"${y}"}`);
}
