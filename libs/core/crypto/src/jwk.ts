import { createPublicKey, type KeyObject } from 'node:crypto';
import { decodeBase64url, isJsonObject, ownMember, type JsonObject } from '@vestibule/foundation';
import { joseFailure } from './failures';
import { sha256Base64url } from './hash';

/** A public EC key on P-256 with nothing but its required members (RFC 7518 §6.2.1). */
export interface PublicJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
}

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const COORDINATE_BYTES = 32;

function isCoordinate(value: unknown): value is string {
  return typeof value === 'string' && decodeBase64url(value)?.byteLength === COORDINATE_BYTES;
}

function hasPrivateMember(jwk: JsonObject): boolean {
  return PRIVATE_MEMBERS.some((name) => Object.hasOwn(jwk, name));
}

/**
 * The required members of an untrusted public P-256 JWK; other public members are dropped. Throws `jwk_not_allowed` for
 * another type or curve, a private or symmetric member, or a malformed coordinate.
 */
export function parsePublicJwk(value: unknown): PublicJwk {
  if (!isJsonObject(value) || hasPrivateMember(value)) throw joseFailure('jwk_not_allowed');
  const [x, y] = [ownMember(value, 'x'), ownMember(value, 'y')];
  const supported = ownMember(value, 'kty') === 'EC' && ownMember(value, 'crv') === 'P-256';
  if (!supported || !isCoordinate(x) || !isCoordinate(y)) throw joseFailure('jwk_not_allowed');
  return { kty: 'EC', crv: 'P-256', x, y };
}

/** Imports a public JWK; throws `jwk_not_allowed` when the point is not on the curve. */
export function importPublicJwk(jwk: PublicJwk): KeyObject {
  try {
    return createPublicKey({ key: { ...jwk }, format: 'jwk' });
  } catch (error) {
    throw joseFailure('jwk_not_allowed', 'the point is not on curve P-256', error);
  }
}

/** The public half of a P-256 key as a JWK; throws `jwk_not_allowed` for any other key. */
export function exportPublicJwk(key: KeyObject): PublicJwk {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return parsePublicJwk({ ...publicKey.export({ format: 'jwk' }) });
}

/** The JWK Thumbprint of a P-256 key with SHA-256, base64url (RFC 7638 §3): members in lexicographic order, no white space. */
export function jwkThumbprint(jwk: PublicJwk): string {
  return sha256Base64url(`{"crv":"P-256","kty":"EC","x":"${jwk.x}","y":"${jwk.y}"}`);
}
