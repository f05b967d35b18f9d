import { encryptJwe, parsePublicJwk, type ContentEncryption, type JweOrder } from '@vestibule/crypto';
import {
  givenMember,
  isJsonObject,
  ownMember,
  VerificationFailure,
  type JsonObject,
  type JsonValue,
  type RandomBytes,
} from '@vestibule/foundation';
import { invalidRequest } from './failures';

/** The key of a wallet that wants its request object encrypted, and how. */
export type RequestEncryption = Pick<JweOrder, 'recipient' | 'kid' | 'enc'>;

const ALG = 'ECDH-ES';
/** The first that the wallet supports is used; the first of all where it names none. */
const ENC_BY_PREFERENCE: readonly ContentEncryption[] = ['A256GCM', 'A128GCM'];
const MAX_KEYS = 16;
const MAX_KID_LENGTH = 256;

function keysOf(metadata: JsonObject): readonly JsonValue[] {
  const jwks = ownMember(metadata, 'jwks');
  if (jwks === undefined) return [];
  const keys = isJsonObject(jwks) ? ownMember(jwks, 'keys') : undefined;
  if (!Array.isArray(keys) || keys.length > MAX_KEYS) throw invalidRequest('wallet_keys_malformed');
  return keys;
}

/**
 * Both parties derive with their own half, so a public key that is exported alone has no operation (RFC 7517 §4.3), and
 * some name the encryption that follows. Only signatures are for another key.
 */
function mayAgree(operations: JsonValue | undefined): boolean {
  if (!Array.isArray(operations) || operations.length === 0) return true;
  return operations.some((operation) => operation !== 'sign' && operation !== 'verify');
}

/** A key of another kind may be for something else. */
function isForAgreement(jwk: JsonObject): boolean {
  const [use, alg, operations, kty, crv] = ['use', 'alg', 'key_ops', 'kty', 'crv'].map((name) =>
    givenMember(jwk, name),
  );
  const isMeant = (use ?? 'enc') === 'enc' && (alg ?? ALG) === ALG && mayAgree(operations);
  return isMeant && kty === 'EC' && crv === 'P-256';
}

type WalletKey = Pick<RequestEncryption, 'recipient' | 'kid'>;
/** What a key that cannot be read is for is not known. */
type ReadKey = WalletKey | 'unreadable' | undefined;

function readKey(jwk: JsonValue): ReadKey {
  if (!isJsonObject(jwk)) return 'unreadable';
  if (!isForAgreement(jwk)) return undefined;
  const kid = givenMember(jwk, 'kid');
  if (kid !== undefined && (typeof kid !== 'string' || kid.length > MAX_KID_LENGTH)) return 'unreadable';
  try {
    return { recipient: parsePublicJwk(jwk), kid };
  } catch (error) {
    if (error instanceof VerificationFailure) return 'unreadable';
    throw error;
  }
}

/** The first that can be used. Keys that cannot be read are ignored beside it (RFC 7517 §5), but not where none is left. */
function keyOf(metadata: JsonObject): WalletKey | undefined {
  const keys = keysOf(metadata).map(readKey);
  const usable = keys.find((key) => typeof key === 'object');
  if (usable === undefined && keys.includes('unreadable')) throw invalidRequest('wallet_keys_malformed');
  return usable;
}

/** What the metadata lists under this name; undefined where they do not say. */
function listed(metadata: JsonObject, name: string): readonly JsonValue[] | undefined {
  const values = ownMember(metadata, name);
  if (values === undefined) return undefined;
  if (!Array.isArray(values)) throw invalidRequest('wallet_metadata_malformed');
  return values;
}

/**
 * Whether a wallet wants its request object encrypted, from the metadata of its POST (OpenID4VP 1.0 §5.10): it does if
 * they contain a key for ECDH-ES on P-256. Undefined if they contain none, or list other algorithms alone: the request
 * object is then only signed. Keys are taken from `jwks` alone; `jwks_uri` is never fetched. Throws `invalid_request`
 * for keys of which none can be used and some cannot be read.
 */
export function readRequestEncryption(metadata: JsonObject): RequestEncryption | undefined {
  const algs = listed(metadata, 'request_object_encryption_alg_values_supported') ?? [ALG];
  const encs = listed(metadata, 'request_object_encryption_enc_values_supported') ?? ENC_BY_PREFERENCE;
  const key = keyOf(metadata);
  const enc = ENC_BY_PREFERENCE.find((one) => encs.includes(one));
  return key && enc && algs.includes(ALG) ? { ...key, enc } : undefined;
}

/**
 * The signed request object as a JWE for the wallet (RFC 9101 §6.1, RFC 7519 §5.2). Throws `invalid_request` if the
 * wallet's key is not on its curve.
 */
export function encryptRequestObject(signed: string, encryption: RequestEncryption, random: RandomBytes): string {
  try {
    return encryptJwe(Buffer.from(signed, 'ascii'), { ...encryption, random }, { cty: 'JWT' });
  } catch (error) {
    if (error instanceof VerificationFailure) throw invalidRequest('wallet_keys_malformed');
    throw error;
  }
}
