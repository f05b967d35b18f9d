import type { KeyObject } from 'node:crypto';
import {
  decodeBase64url,
  encodeBase64url,
  inexactNumberDetail,
  isJsonObject,
  ownMember,
  parseJsonBytes,
  readClaimsSet,
  type JsonObject,
} from '@vestibule/foundation';
import { verifyEcdsa, type EcdsaAlgorithm } from './ecdsa';
import { signEs256 } from './es256';
import { joseFailure } from './failures';
import type { SignBytes } from './signer';

/** A parsed compact JWS: nothing in it is verified yet. */
export interface CompactJws {
  readonly header: JsonObject;
  readonly payload: Uint8Array;
  readonly signature: Uint8Array;
  /** The received bytes that the signature covers. */
  readonly signingInput: Uint8Array;
}

export interface JwsLimits {
  readonly maxLength: number;
  readonly maxHeaderLength: number;
}

const DEFAULT_LIMITS: JwsLimits = { maxLength: 524_288, maxHeaderLength: 65_536 };

function parseHeader(bytes: Uint8Array | undefined): JsonObject | undefined {
  const value = bytes && parseJsonBytes(bytes);
  if (isJsonObject(value)) return value;
  const detail = bytes && inexactNumberDetail(bytes);
  if (detail !== undefined) throw joseFailure('jws_number_not_exact', detail);
  return undefined;
}

function splitParts(text: string, limits: JwsLimits): [string, string, string] {
  if (text.length > limits.maxLength) throw joseFailure('jws_malformed', 'the JWS is too long');
  const [header, payload, signature, ...rest] = text.split('.', 4);
  if (!header || !payload || !signature || rest.length > 0) throw joseFailure('jws_malformed');
  if (header.length > limits.maxHeaderLength) throw joseFailure('jws_malformed', 'the JWS header is too long');
  return [header, payload, signature];
}

/**
 * Splits a compact JWS (RFC 7515 §7.1) into its parts without verifying it.
 * Throws `jws_malformed` for other shapes and sizes, `jws_number_not_exact`, `jws_critical_header` when the header has a `crit` member: no
 * extension is understood here, and `b64` is one of them.
 */
export function parseCompactJws(text: string, limits: JwsLimits = DEFAULT_LIMITS): CompactJws {
  const [encodedHeader, encodedPayload, encodedSignature] = splitParts(text, limits);
  const header = parseHeader(decodeBase64url(encodedHeader));
  const payload = decodeBase64url(encodedPayload);
  const signature = decodeBase64url(encodedSignature);
  if (!header || !payload || !signature) throw joseFailure('jws_malformed');
  if (Object.hasOwn(header, 'crit') || Object.hasOwn(header, 'b64')) throw joseFailure('jws_critical_header');
  return { header, payload, signature, signingInput: Buffer.from(`${encodedHeader}.${encodedPayload}`, 'ascii') };
}

/** What this program accepts where nothing else is said. */
export const ES256_ALONE: readonly EcdsaAlgorithm[] = ['ES256'];

/** The algorithm in the header; throws `jws_algorithm_not_allowed` unless it is one of these. */
export function requireAlgorithm(jws: CompactJws, allowed: readonly EcdsaAlgorithm[]): EcdsaAlgorithm {
  const named = ownMember(jws.header, 'alg');
  const algorithm = allowed.find((one) => one === named);
  if (algorithm === undefined) throw joseFailure('jws_algorithm_not_allowed');
  return algorithm;
}

/** Throws `jws_algorithm_not_allowed` unless the header says ES256. */
export function requireEs256(jws: CompactJws): void {
  requireAlgorithm(jws, ES256_ALONE);
}

/**
 * Verifies a signature over the received bytes with one of the allowed algorithms, by default ES256 alone, whose curve the
 * key must be on; throws `jws_algorithm_not_allowed` or `jws_signature_invalid`.
 */
export function verifyJws(jws: CompactJws, key: KeyObject, allowed: readonly EcdsaAlgorithm[] = ES256_ALONE): void {
  const algorithm = requireAlgorithm(jws, allowed);
  if (!verifyEcdsa(algorithm, key, jws.signingInput, jws.signature)) throw joseFailure('jws_signature_invalid');
}

/**
 * The payload as a JWT Claims Set; throws `jws_malformed` when it is not a JSON object, and `jws_number_not_exact` for other
 * numbers than its times.
 */
export function jwsClaims(jws: CompactJws): JsonObject {
  const read = readClaimsSet(jws.payload);
  if ('claims' in read) return read.claims;
  if (read.inexact === undefined) throw joseFailure('jws_malformed', 'the payload is not a JSON object');
  throw joseFailure('jws_number_not_exact', read.inexact);
}

const encode = (value: JsonObject): string => encodeBase64url(Buffer.from(JSON.stringify(value), 'utf8'));

const signingInputOf = (header: JsonObject, payload: JsonObject): string =>
  `${encode({ ...header, alg: 'ES256' })}.${encode(payload)}`;

/** Signs a JSON payload with ES256; `alg` is added to the header. */
export function signCompactJws(header: JsonObject, payload: JsonObject, key: KeyObject): string {
  const signingInput = signingInputOf(header, payload);
  return `${signingInput}.${encodeBase64url(signEs256(key, Buffer.from(signingInput, 'ascii')))}`;
}

/** {@link signCompactJws} with a key that may be in a device; throws what its signer throws. */
export async function signCompactJwsBy(header: JsonObject, payload: JsonObject, sign: SignBytes): Promise<string> {
  const signingInput = signingInputOf(header, payload);
  return `${signingInput}.${encodeBase64url(await sign(Buffer.from(signingInput, 'ascii')))}`;
}
