import type { JsonObject } from '@vestibule/foundation';
import type { ClaimPath } from './claim-path';

/** An expected value of a claim: compared by type and value (OpenID4VP 1.0 §6.3). */
export type ClaimValue = string | number | boolean;

/** One entry of `claims` (OpenID4VP 1.0 §6.3). */
export interface ClaimQuery {
  readonly id: string | undefined;
  readonly path: ClaimPath;
  readonly values: readonly ClaimValue[] | undefined;
}

/** One entry of `trusted_authorities` (OpenID4VP 1.0 §6.1.1.1): KeyIdentifiers, base64url without padding. */
export interface TrustedAuthoritiesQuery {
  readonly type: 'aki';
  readonly values: readonly string[];
}

/** `meta` of the format `dc+sd-jwt` (OpenID4VP 1.0 appendix B.3.5). */
export interface SdJwtVcMeta {
  readonly vctValues: readonly string[];
}

/** One entry of `credentials` (OpenID4VP 1.0 §6.1). */
export interface CredentialQuery {
  readonly id: string;
  readonly format: 'dc+sd-jwt';
  readonly meta: SdJwtVcMeta;
  readonly multiple: boolean;
  readonly holderBinding: HolderBinding;
  /** Empty when any authority will do. */
  readonly trustedAuthorities: readonly TrustedAuthoritiesQuery[];
  /** Empty when no claim is asked for. */
  readonly claims: readonly ClaimQuery[];
  /**
   * The alternatives, the preferred one first: one of them must be there as a whole. Each is an entry of `claim_sets`;
   * without `claim_sets` there is one, with all of `claims`.
   */
  readonly claimOptions: readonly (readonly ClaimQuery[])[];
}

/** One entry of `credential_sets` (OpenID4VP 1.0 §6.2); options are lists of credential ids, the preferred one first. */
export interface CredentialSetQuery {
  readonly required: boolean;
  readonly options: readonly (readonly string[])[];
}

/** A query that {@link parseDcqlQuery} accepted. */
export interface DcqlQuery {
  /** The query as it was given, deep-frozen: order, nulls and unknown members included. This is what gets signed. */
  readonly source: JsonObject;
  readonly credentials: readonly CredentialQuery[];
  /** Undefined when absent: then every credential is required. */
  readonly credentialSets: readonly CredentialSetQuery[] | undefined;
}

/** Whether a presentation must prove possession of the holder's key. */
export type HolderBinding = 'required' | 'notRequired';

/** The credential query with this id, if there is one. */
export function findCredentialQuery(query: DcqlQuery, credentialId: string): CredentialQuery | undefined {
  return query.credentials.find((credential) => credential.id === credentialId);
}

/**
 * Whether presentations for this credential query must prove holder binding: decided by the query alone, never by what
 * a wallet sent. Required unless the query says `require_cryptographic_holder_binding: false`, and for every id that
 * the query does not have (OpenID4VP 1.0 §6.1).
 */
export function requiresHolderBinding(query: DcqlQuery, credentialId: string): HolderBinding {
  return findCredentialQuery(query, credentialId)?.holderBinding ?? 'required';
}
