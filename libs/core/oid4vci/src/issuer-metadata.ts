import { ECDSA_ALGORITHMS, type EcdsaAlgorithm } from '@vestibule/crypto';
import type { JsonObject } from '@vestibule/foundation';
import type { ClaimMetadata } from './claim-metadata';
import { encryptionMetadata, type EncryptionOffer } from './credential-encryption';
import type { ProofType } from './credential-request';
import { scopeOf, type CredentialType, type TypeDisplay } from './credential-type';
import type { IssuerDisplay } from './issuer-display';
import { issuerEndpoints } from './issuer-url';
import type { KeyAttestationRequirement } from './key-attestation';

/** A credential type, and its requirements for the keys that it is bound to. */
export interface OfferedType extends CredentialType {
  /** Undefined where keys need no attestation. */
  readonly keyAttestation?: KeyAttestationRequirement | undefined;
  /** What its keys may sign with; default ES256 alone. */
  readonly proofAlgorithms?: readonly EcdsaAlgorithm[] | undefined;
  /** How often a wallet may present a credential (`credential_reuse_policy`, ETSI TS 119 472-3 §4.2.4.2). */
  readonly reusePolicy?: JsonObject | undefined;
  /** How long the status of attestations should still be maintained (TS3 1.5 §2.4), in seconds. */
  readonly statusPeriodSeconds?: number | undefined;
}

export interface IssuerMetadataInput {
  readonly issuerUrl: string;
  readonly types: readonly OfferedType[];
  /** The proof types that wallets may use. */
  readonly proofTypes: readonly ProofType[];
  /** How many key proofs one request may hold: 2 or more, or undefined for one (OpenID4VCI 1.0 §12.2.4). */
  readonly batchSize: number | undefined;
  readonly display: readonly IssuerDisplay[];
  readonly encryption: EncryptionOffer;
  /** About the registration of the issuer (`issuer_info`, ETSI TS 119 472-3 §4.2.3). */
  readonly issuerInfo?: readonly JsonObject[];
}

const optional = (name: string, value: string | undefined): JsonObject =>
  value === undefined ? {} : { [name]: value };
const unlessEmpty = (name: string, values: JsonObject[]): JsonObject => (values.length === 0 ? {} : { [name]: values });

function imageEntry(name: string, image: { readonly uri: string; readonly altText?: string } | undefined): JsonObject {
  return image ? { [name]: { uri: image.uri, ...optional('alt_text', image.altText) } } : {};
}

function displayEntry(display: TypeDisplay): JsonObject {
  return {
    name: display.name,
    locale: display.locale,
    ...optional('description', display.description),
    ...imageEntry('logo', display.logo),
    ...imageEntry('background_image', display.backgroundImage),
    ...optional('background_color', display.backgroundColor),
    ...optional('text_color', display.textColor),
  };
}

/**
 * Whether a path has names alone. OpenID4VCI Appendix C allows null and indexes, but several wallet libraries read a path
 * as a list of strings, and none of the metadata where one is not. Elements of arrays are described in Type Metadata.
 */
const hasOnlyNames = ({ path }: ClaimMetadata): boolean => path.every((part) => typeof part === 'string');

function claimEntry(claim: ClaimMetadata): JsonObject {
  const display = claim.display.map(({ label, locale }): JsonObject => ({ name: label, locale }));
  return { path: [...claim.path], mandatory: claim.mandatory, ...unlessEmpty('display', display) };
}

/** Inner arrays are never empty; an empty object requires an attestation of any level. */
function keyAttestationsRequired({ keyStorage, userAuthentication }: KeyAttestationRequirement): JsonObject {
  return {
    ...(keyStorage.length > 0 ? { key_storage: [...keyStorage] } : {}),
    ...(userAuthentication.length > 0 ? { user_authentication: [...userAuthentication] } : {}),
  };
}

function proofTypesSupported(type: OfferedType, proofTypes: readonly ProofType[]): JsonObject {
  const { keyAttestation, proofAlgorithms = ['ES256'], statusPeriodSeconds: seconds } = type;
  const preferred: JsonObject = seconds === undefined ? {} : { preferred_key_storage_status_period: seconds };
  const required: JsonObject = keyAttestation
    ? { key_attestations_required: { ...keyAttestationsRequired(keyAttestation), ...preferred } }
    : {};
  // A key signs a `jwt` proof, an attester an attestation.
  const signers = { jwt: proofAlgorithms, attestation: ECDSA_ALGORITHMS };
  return Object.fromEntries(
    proofTypes.map((proofType) => [
      proofType,
      { proof_signing_alg_values_supported: [...signers[proofType]], ...required },
    ]),
  );
}

function configuration(type: OfferedType, proofTypes: readonly ProofType[]): JsonObject {
  const metadata: JsonObject = {
    ...unlessEmpty('display', type.display.map(displayEntry)),
    ...unlessEmpty('claims', type.claims.filter(hasOnlyNames).map(claimEntry)),
    ...(type.reusePolicy ? { credential_reuse_policy: type.reusePolicy } : {}),
  };
  return {
    format: 'dc+sd-jwt',
    vct: type.vct,
    scope: scopeOf(type.configurationId),
    cryptographic_binding_methods_supported: ['jwk'],
    credential_signing_alg_values_supported: ['ES256'],
    proof_types_supported: proofTypesSupported(type, proofTypes),
    ...(Object.keys(metadata).length === 0 ? {} : { credential_metadata: metadata }),
  };
}

/** The longest period that any of the types needs; a wallet attestation is for all of them. */
function preferredStatusPeriod(types: readonly OfferedType[]): JsonObject {
  const periods = types.flatMap(({ statusPeriodSeconds: seconds }) => (seconds === undefined ? [] : [seconds]));
  return periods.length === 0 ? {} : { preferred_client_status_period: Math.max(...periods) };
}

function issuerDisplayEntry({ name, locale, logo }: IssuerDisplay): JsonObject {
  return { name, locale, ...imageEntry('logo', logo) };
}

/**
 * The Credential Issuer Metadata (OpenID4VCI 1.0 §12.2.4). What wallets learn about a type comes from its Type Metadata;
 * every credential is bound to a key. Throws a RangeError for a batch size below 2.
 */
export function buildIssuerMetadata(input: IssuerMetadataInput): JsonObject {
  const { issuerUrl, batchSize } = input;
  if (batchSize !== undefined && !(Number.isInteger(batchSize) && batchSize >= 2)) {
    throw new RangeError('a batch has at least 2 credentials');
  }
  const endpoints = issuerEndpoints(issuerUrl);
  const configurations = input.types.map((type) => [type.configurationId, configuration(type, input.proofTypes)]);
  return {
    credential_issuer: issuerUrl,
    credential_endpoint: endpoints.credential,
    nonce_endpoint: endpoints.nonce,
    deferred_credential_endpoint: endpoints.deferredCredential,
    notification_endpoint: endpoints.notification,
    ...(batchSize === undefined ? {} : { batch_credential_issuance: { batch_size: batchSize } }),
    ...encryptionMetadata(input.encryption),
    ...unlessEmpty('display', input.display.map(issuerDisplayEntry)),
    ...unlessEmpty('issuer_info', [...(input.issuerInfo ?? [])]),
    ...preferredStatusPeriod(input.types),
    credential_configurations_supported: Object.fromEntries(configurations) as JsonObject,
  };
}
