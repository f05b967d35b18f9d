import { ECDSA_ALGORITHMS } from '@vestibule/crypto';
import type { JsonObject } from '@vestibule/foundation';
import { OPENID_CREDENTIAL } from './authorization-details';
import { PRE_AUTHORIZED_CODE_GRANT } from './credential-offer';
import { issuerEndpoints } from './issuer-url';

/** How wallets may authenticate at the token endpoint. */
export interface OfferedClientAuthentication {
  readonly anonymous: boolean;
  readonly attestation: boolean;
  /** Whether the proof of an attestation may have a challenge of this server. */
  readonly challenge: boolean;
}

function attestationMembers(issuerUrl: string, { attestation, challenge }: OfferedClientAuthentication): JsonObject {
  if (!attestation) return {};
  return {
    client_attestation_signing_alg_values_supported: [...ECDSA_ALGORITHMS],
    client_attestation_pop_signing_alg_values_supported: [...ECDSA_ALGORITHMS],
    ...(challenge ? { challenge_endpoint: issuerEndpoints(issuerUrl).challenge } : {}),
  };
}

/**
 * The metadata of the built-in authorization server (RFC 8414 §2, OpenID4VCI 1.0 §12.3, attestation-based client
 * authentication draft 07 §10.1), whose identifier is the issuer's. Grant types, client authentication and anonymous
 * access are said outright, because their defaults mean something else; `response_types_supported` is left out, as §12.3
 * allows where only pre-authorized codes are taken.
 */
export function buildAuthorizationServerMetadata(
  issuerUrl: string,
  clientAuthentication: OfferedClientAuthentication,
): JsonObject {
  const { anonymous, attestation } = clientAuthentication;
  return {
    issuer: issuerUrl,
    token_endpoint: issuerEndpoints(issuerUrl).token,
    grant_types_supported: [PRE_AUTHORIZED_CODE_GRANT],
    token_endpoint_auth_methods_supported: [
      ...(anonymous ? ['none'] : []),
      ...(attestation ? ['attest_jwt_client_auth'] : []),
    ],
    'pre-authorized_grant_anonymous_access_supported': anonymous,
    dpop_signing_alg_values_supported: ['ES256'],
    authorization_details_types_supported: [OPENID_CREDENTIAL],
    ...attestationMembers(issuerUrl, clientAuthentication),
  };
}
