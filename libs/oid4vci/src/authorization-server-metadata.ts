import type { JsonObject } from '@vestibule/foundation';
import { OPENID_CREDENTIAL } from './authorization-details';
import { PRE_AUTHORIZED_CODE_GRANT } from './credential-offer';
import { issuerEndpoints } from './issuer-url';

/**
 * The metadata of the built-in authorization server (RFC 8414 §2, OpenID4VCI 1.0 §12.3), whose identifier is the
 * issuer's. Grant types, client authentication and anonymous access are said outright, because their defaults mean
 * something else; `response_types_supported` is left out, as §12.3 allows where only pre-authorized codes are taken.
 */
export function buildAuthorizationServerMetadata(issuerUrl: string): JsonObject {
  return {
    issuer: issuerUrl,
    token_endpoint: issuerEndpoints(issuerUrl).token,
    grant_types_supported: [PRE_AUTHORIZED_CODE_GRANT],
    token_endpoint_auth_methods_supported: ['none'],
    'pre-authorized_grant_anonymous_access_supported': true,
    dpop_signing_alg_values_supported: ['ES256'],
    authorization_details_types_supported: [OPENID_CREDENTIAL],
  };
}
