import { givenMember, isJsonObject, ownMember, type JsonObject } from '@vestibule/foundation';
import { OAuthError, type RefusalReason } from '@vestibule/oauth';
import type { GrantedCredential } from './authorization-details';

/** How a wallet may prove possession of keys (OpenID4VCI 1.0 Appendix F). */
export type ProofType = 'jwt' | 'attestation';

/** What the access token allows and what the issuer offers. */
export interface CredentialRequestContext {
  /** Every configuration of the issuer's metadata. */
  readonly knownConfigurations: readonly string[];
  /** The configurations that the token covers. */
  readonly grantedConfigurations: readonly string[];
  /** What the token response named in `authorization_details`; empty when it had none. */
  readonly grantedCredentials: readonly GrantedCredential[];
  /** The advertised batch size, undefined when batches are not offered. */
  readonly batchSize: number | undefined;
  /** The advertised proof types. */
  readonly proofTypes: readonly ProofType[];
}

/** A well-formed credential request; its proofs are not verified. */
export interface CredentialRequest {
  readonly configurationId: string;
  readonly proofType: ProofType;
  readonly proofs: readonly string[];
}

const malformed = (reason: RefusalReason) => new OAuthError('invalid_credential_request', reason);
const badProofs = (reason: RefusalReason) => new OAuthError('invalid_proof', reason);

function byIdentifier(identifier: string, context: CredentialRequestContext): string {
  const granted = context.grantedCredentials.find((entry) => entry.credentialIdentifier === identifier);
  if (!granted) throw new OAuthError('unknown_credential_identifier', 'identifier_unknown');
  return granted.configurationId;
}

function byConfiguration(configurationId: string, context: CredentialRequestContext): string {
  if (!context.knownConfigurations.includes(configurationId))
    throw new OAuthError('unknown_credential_configuration', 'configuration_unknown');
  if (context.grantedCredentials.length > 0) {
    throw malformed('identifier_required');
  }
  if (!context.grantedConfigurations.includes(configurationId))
    throw new OAuthError('insufficient_scope', 'configuration_not_granted');
  return configurationId;
}

function readConfiguration(body: JsonObject, context: CredentialRequestContext): string {
  const configurationId = givenMember(body, 'credential_configuration_id');
  const identifier = givenMember(body, 'credential_identifier');
  if ((configurationId === undefined) === (identifier === undefined)) {
    throw malformed('credential_not_named_once');
  }
  const named = configurationId ?? identifier;
  if (typeof named !== 'string') throw malformed('credential_name_not_a_string');
  return configurationId === undefined ? byIdentifier(named, context) : byConfiguration(named, context);
}

function readProofs(body: JsonObject, { batchSize, proofTypes }: CredentialRequestContext) {
  const proofs = givenMember(body, 'proofs');
  if (proofs === undefined) throw badProofs('proofs_missing');
  if (!isJsonObject(proofs)) throw badProofs('proofs_malformed');
  const given = Object.keys(proofs).filter((type) => proofs[type] !== null);
  if (given.length !== 1) throw badProofs('proofs_malformed');
  const proofType = proofTypes.find((type) => given.includes(type));
  if (!proofType) throw badProofs('proof_type_unsupported');
  const values = ownMember(proofs, proofType);
  if (!Array.isArray(values) || values.length === 0) throw badProofs('proofs_empty');
  if (values.length > (batchSize ?? 1)) throw malformed('proofs_too_many');
  if (!values.every((value) => typeof value === 'string')) throw badProofs('proof_not_a_string');
  return { proofType, proofs: values };
}

/**
 * Parses the body of a credential request (OpenID4VCI 1.0 §8.2); `undefined` means a body that was not JSON. Unknown
 * members, including the `proof` of older drafts, are ignored. `openCredentialMessage` decides how the answer is
 * encrypted. Throws, in this order, `invalid_credential_request`, `unknown_credential_configuration` or
 * `unknown_credential_identifier`, `insufficient_scope`, `invalid_proof`.
 */
export function parseCredentialRequest(body: unknown, context: CredentialRequestContext): CredentialRequest {
  if (!isJsonObject(body)) throw malformed('body_not_an_object');
  const configurationId = readConfiguration(body, context);
  return { configurationId, ...readProofs(body, context) };
}
