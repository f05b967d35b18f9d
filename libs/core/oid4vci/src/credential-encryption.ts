import {
  CONTENT_ENCRYPTION,
  decryptJwe,
  encryptJwe,
  parsePublicJwk,
  requireOnCurve,
  type ContentEncryption,
  type PublicJwk,
} from '@vestibule/crypto';
import {
  givenMember,
  isJsonObject,
  ownMember,
  parseJsonBytes,
  VerificationFailure,
  type JsonObject,
  type JsonValue,
  type RandomBytes,
} from '@vestibule/foundation';
import { OAuthError, type RefusalReason } from '@vestibule/oauth';
import type { RequestEncryptionKey } from './request-encryption-keys';

/** What the metadata says about encryption. */
export interface EncryptionOffer {
  /** The key that requests are encrypted to. */
  readonly key: RequestEncryptionKey;
  /** True when neither plain requests nor plain answers are allowed. */
  readonly required: boolean;
}

/** What opens requests, and whether plain ones are refused. */
export interface EncryptionPolicy {
  readonly keys: readonly RequestEncryptionKey[];
  readonly required: boolean;
}

/** How a wallet wants its answer encrypted. */
export interface ResponseEncryption {
  readonly recipient: PublicJwk;
  readonly kid: string | undefined;
  readonly enc: ContentEncryption;
  readonly zip: 'DEF' | undefined;
}

/** A credential request, plain or encrypted, as it came: `body` is its JSON, `jwt` its compact JWE. */
export interface CredentialMessage {
  readonly body?: unknown;
  readonly jwt?: string | undefined;
}

/** What a credential request says, and how its answer has to be encrypted. */
export interface OpenedMessage {
  readonly body: JsonObject;
  readonly encryption: ResponseEncryption | undefined;
}

const ALG = 'ECDH-ES';
const ZIP = 'DEF';
const MAX_INFLATED_BYTES = 1_048_576;
const MAX_KID_LENGTH = 256;

const refuse = (reason: RefusalReason | VerificationFailure) => new OAuthError('invalid_encryption_parameters', reason);
const malformed = (reason: RefusalReason | VerificationFailure) => new OAuthError('invalid_credential_request', reason);

/**
 * `credential_request_encryption` and `credential_response_encryption` of the issuer metadata (OpenID4VCI 1.0 §12.2.4):
 * the one without the other would be of no use, since a wish for an encrypted answer needs an encrypted request (§8.2).
 */
export function encryptionMetadata({ key, required }: EncryptionOffer): JsonObject {
  const jwk: JsonObject = { ...key.publicJwk, use: 'enc', alg: ALG, kid: key.kid };
  const values: JsonObject = {
    enc_values_supported: Object.keys(CONTENT_ENCRYPTION),
    zip_values_supported: [ZIP],
    encryption_required: required,
  };
  return {
    credential_request_encryption: { jwks: { keys: [jwk] }, ...values },
    credential_response_encryption: { alg_values_supported: [ALG], ...values },
  };
}

function decrypt(jwe: string, keys: readonly RequestEncryptionKey[]): Uint8Array {
  try {
    return decryptJwe(jwe, keys, MAX_INFLATED_BYTES).plaintext;
  } catch (error) {
    if (!(error instanceof VerificationFailure)) throw error;
    throw error.code === 'jwe_malformed' ? malformed(error) : refuse(error);
  }
}

function readRecipient(jwk: JsonValue | undefined): PublicJwk {
  try {
    const recipient = parsePublicJwk(jwk);
    requireOnCurve(recipient);
    return recipient;
  } catch (error) {
    if (error instanceof VerificationFailure) throw refuse(error);
    throw error;
  }
}

function readKid(jwk: JsonObject): string | undefined {
  const kid = givenMember(jwk, 'kid');
  if (kid === undefined) return undefined;
  if (typeof kid !== 'string' || kid.length > MAX_KID_LENGTH) throw refuse('encryption_kid_malformed');
  return kid;
}

function isContentEncryption(enc: JsonValue | undefined): enc is ContentEncryption {
  return typeof enc === 'string' && Object.hasOwn(CONTENT_ENCRYPTION, enc);
}

/** A compression that is not offered is ignored: the answer then comes without it (RFC 7516 §4.1.3 leaves the choice). */
function parseResponseEncryption(value: JsonValue): ResponseEncryption {
  if (!isJsonObject(value)) throw refuse('response_encryption_malformed');
  const [jwk, enc, zip] = [ownMember(value, 'jwk'), ownMember(value, 'enc'), givenMember(value, 'zip')];
  if (!isJsonObject(jwk)) throw refuse('encryption_key_missing');
  if (ownMember(jwk, 'alg') !== ALG) throw refuse('encryption_alg_unsupported');
  if (!isContentEncryption(enc)) throw refuse('encryption_enc_unsupported');
  if (zip !== undefined && typeof zip !== 'string') throw refuse('encryption_zip_malformed');
  return { recipient: readRecipient(jwk), kid: readKid(jwk), enc, zip: zip === ZIP ? ZIP : undefined };
}

function readBody({ body, jwt }: CredentialMessage, policy: EncryptionPolicy): JsonObject {
  if (jwt === undefined && policy.required) throw refuse('request_not_encrypted');
  const json = jwt === undefined ? body : parseJsonBytes(decrypt(jwt, policy.keys));
  if (!isJsonObject(json)) throw malformed('body_not_an_object');
  return json;
}

/**
 * Opens a credential request or deferred credential request, plain or encrypted, and reads how its answer has to be
 * encrypted (OpenID4VCI 1.0 §8.2, §9.1, §10). A wallet that requests an encrypted response must encrypt its request:
 * otherwise an attacker in between could insert another key. Throws `invalid_credential_request` and
 * `invalid_encryption_parameters`.
 */
export function openCredentialMessage(message: CredentialMessage, policy: EncryptionPolicy): OpenedMessage {
  const body = readBody(message, policy);
  const wish = givenMember(body, 'credential_response_encryption');
  if (wish === undefined) {
    if (policy.required) throw refuse('response_encryption_missing');
    return { body, encryption: undefined };
  }
  if (message.jwt === undefined) throw refuse('encryption_in_plain_request');
  return { body, encryption: parseResponseEncryption(wish) };
}

/** The answer as a compact JWE for the key of the request (OpenID4VCI 1.0 §10). */
export function encryptCredentialAnswer(answer: object, encryption: ResponseEncryption, random: RandomBytes): string {
  return encryptJwe(Buffer.from(JSON.stringify(answer), 'utf8'), { ...encryption, random });
}
