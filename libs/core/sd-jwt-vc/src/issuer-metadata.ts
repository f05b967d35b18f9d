import type { KeyObject } from 'node:crypto';
import { importPublicJwk, importPublicJwkByJose, parsePublicJwk, type PublicJwk } from '@vestibule/crypto';
import {
  DomainError,
  givenMember,
  inexactNumberDetail,
  isJsonObject,
  ownMember,
  parseJsonBytes,
  parseUrl,
  urlFault,
  type JsonObject,
  type JsonValue,
  type UrlRules,
} from '@vestibule/foundation';
import { sdJwtFailure } from './failures';

/** Bytes that JWT VC Issuer Metadata, or the key set that it refers to, may have. */
export const MAX_ISSUER_METADATA_BYTES = 65_536;

const MAX_ISSUER_LENGTH = 1024;
const MAX_KEYS = 20;
const WELL_KNOWN = '/.well-known/jwt-vc-issuer';

/** A key that an issuer publishes for its credentials: P-256, and on the curve. */
export interface IssuerKey {
  readonly kid?: string;
  readonly jwk: PublicJwk;
}

/** What an issuer publishes: its keys, or where they are. */
export type IssuerMetadata = { readonly keys: readonly IssuerKey[] } | { readonly jwksUri: string };

const ISSUER: UrlRules = { schemes: ['https'], query: 'refused', fragment: 'refused', maxLength: MAX_ISSUER_LENGTH };

/**
 * Where an issuer publishes its metadata: the well-known part between host and path, after the last slash of the path
 * was removed (SD-JWT VC §5). Throws `issuer_identifier_not_allowed` unless `iss` is an https URL without user information,
 * query and fragment, as RFC 3986 and the URL Standard write it.
 */
export function issuerMetadataUrl(iss: string): string {
  const url = parseUrl(iss, ISSUER);
  if (!url) throw sdJwtFailure('issuer_identifier_not_allowed');
  return `${url.origin}${WELL_KNOWN}${url.pathname.replace(/\/$/, '')}`;
}

function readObject(bytes: Uint8Array): JsonObject {
  if (bytes.byteLength > MAX_ISSUER_METADATA_BYTES) throw sdJwtFailure('issuer_metadata_malformed');
  const value = parseJsonBytes(bytes);
  if (!isJsonObject(value)) throw sdJwtFailure('issuer_metadata_malformed', inexactNumberDetail(bytes));
  return value;
}

function isForSignatures(jwk: JsonObject): boolean {
  const [use, alg, operations] = ['use', 'alg', 'key_ops'].map((name) => givenMember(jwk, name));
  const mayVerify = operations === undefined || (Array.isArray(operations) && operations.includes('verify'));
  return (use ?? 'sig') === 'sig' && (alg ?? 'ES256') === 'ES256' && mayVerify;
}

/** A key of another kind, for another use, or broken, is none: a set may hold such keys for others (RFC 7517 §5). */
async function readKey(value: JsonValue): Promise<readonly IssuerKey[]> {
  if (!isJsonObject(value) || !isForSignatures(value)) return [];
  try {
    const jwk = parsePublicJwk(value);
    await importPublicJwkByJose(jwk);
    const kid = ownMember(value, 'kid');
    return [typeof kid === 'string' ? { kid, jwk } : { jwk }];
  } catch (error) {
    if (error instanceof DomainError) return [];
    throw error;
  }
}

async function readKeys(set: JsonValue | undefined): Promise<readonly IssuerKey[]> {
  const values = isJsonObject(set) ? ownMember(set, 'keys') : undefined;
  if (!Array.isArray(values) || values.length > MAX_KEYS) throw sdJwtFailure('issuer_metadata_keys');
  const keys = (await Promise.all(values.map(readKey))).flat();
  if (keys.length === 0) throw sdJwtFailure('issuer_metadata_keys');
  return keys;
}

/**
 * Parses the metadata that was fetched for `iss` (SD-JWT VC §5). Throws `issuer_metadata_malformed` unless it is a JSON
 * object within {@link MAX_ISSUER_METADATA_BYTES}, `issuer_metadata_mismatch` unless it names exactly this issuer, and
 * `issuer_metadata_keys` unless it has either `jwks`, with 1 to 20 keys of which at least one is usable, or an https
 * `jwks_uri`, and not both.
 */
export async function parseIssuerMetadata(bytes: Uint8Array, iss: string): Promise<IssuerMetadata> {
  const metadata = readObject(bytes);
  if (ownMember(metadata, 'issuer') !== iss) throw sdJwtFailure('issuer_metadata_mismatch');
  const [jwks, jwksUri] = ['jwks', 'jwks_uri'].map((name) => givenMember(metadata, name));
  if ((jwks === undefined) === (jwksUri === undefined)) throw sdJwtFailure('issuer_metadata_keys');
  if (jwks !== undefined) return { keys: await readKeys(jwks) };
  if (typeof jwksUri !== 'string' || urlFault(jwksUri, { schemes: ['https'] }) !== undefined)
    throw sdJwtFailure('issuer_metadata_keys');
  return { jwksUri };
}

/** Parses the key set behind `jwks_uri`. Throws `issuer_metadata_malformed` and `issuer_metadata_keys` as above. */
export async function parseIssuerKeySet(bytes: Uint8Array): Promise<readonly IssuerKey[]> {
  return readKeys(readObject(bytes));
}

/**
 * The one key that a JWT's header means: the only one with its `kid`, or without `kid` the only one there is. No key is
 * tried out. Throws `issuer_key_not_found` for none and for several.
 */
export function selectIssuerKey(keys: readonly IssuerKey[], header: JsonObject): KeyObject {
  const named = Object.hasOwn(header, 'kid');
  const kid = ownMember(header, 'kid');
  const [key, ...others] = named
    ? keys.filter((candidate) => candidate.kid !== undefined && candidate.kid === kid)
    : keys;
  if (!key || others.length > 0) throw sdJwtFailure('issuer_key_not_found');
  return importPublicJwk(key.jwk);
}
