import {
  givenMember,
  isJsonObject,
  ownMember,
  parseJson,
  type JsonObject,
  type JsonValue,
} from '@vestibule/foundation';
import { OAuthError, type RefusalReason } from '@vestibule/oauth';

/** The authorization details type of OpenID4VCI 1.0 §5.1.1. */
export const OPENID_CREDENTIAL = 'openid_credential';

/** One credential that a wallet names in its token request, and the identifier that it gets for it. */
export interface GrantedCredential {
  readonly configurationId: string;
  readonly credentialIdentifier: string;
}

const LIMITS = { maxDepth: 8, maxLength: 16_384 };
const MAX_ENTRIES = 20;

const refuse = (reason: RefusalReason) => new OAuthError('invalid_authorization_details', reason);

function checkLocations(locations: JsonValue | undefined, issuerUrl: string): void {
  if (locations === undefined) return;
  const named = Array.isArray(locations) && locations.includes(issuerUrl);
  if (!named) throw refuse('details_location_mismatch');
}

function parseEntry(entry: JsonValue, issuerUrl: string): string {
  if (!isJsonObject(entry)) throw refuse('details_entry_malformed');
  if (ownMember(entry, 'type') !== OPENID_CREDENTIAL) throw refuse('details_type_unsupported');
  checkLocations(givenMember(entry, 'locations'), issuerUrl);
  const configurationId = ownMember(entry, 'credential_configuration_id');
  if (typeof configurationId !== 'string') throw refuse('details_configuration_missing');
  return configurationId;
}

/**
 * The credential configurations that the `authorization_details` parameter names, each once; unknown members are
 * ignored (OpenID4VCI 1.0 §5.1.1, RFC 9396 §2). Throws `invalid_authorization_details`.
 */
export function parseAuthorizationDetails(text: string, issuerUrl: string): string[] {
  const value = parseJson(text, LIMITS);
  const acceptable = Array.isArray(value) && value.length > 0 && value.length <= MAX_ENTRIES;
  if (!acceptable) throw refuse('authorization_details_malformed');
  return [...new Set(value.map((entry) => parseEntry(entry, issuerUrl)))];
}

/**
 * Grants what a wallet named, with one identifier for each: there is one set of claims in an offer, so the configuration
 * id identifies it. Throws `invalid_authorization_details` for a configuration that was not offered.
 */
export function grantAuthorizationDetails(named: readonly string[], offered: readonly string[]): GrantedCredential[] {
  return named.map((configurationId) => {
    if (!offered.includes(configurationId)) throw refuse('details_not_offered');
    return { configurationId, credentialIdentifier: configurationId };
  });
}

/** The `authorization_details` of the token response (OpenID4VCI 1.0 §6.2). */
export function buildAuthorizationDetails(granted: readonly GrantedCredential[]): JsonObject[] {
  return granted.map(({ configurationId, credentialIdentifier }) => ({
    type: OPENID_CREDENTIAL,
    credential_configuration_id: configurationId,
    credential_identifiers: [credentialIdentifier],
  }));
}
