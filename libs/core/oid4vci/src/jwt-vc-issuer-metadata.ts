import { jwkThumbprint, type PublicJwk } from '@vestibule/crypto';
import type { JsonObject } from '@vestibule/foundation';

/** JWT VC Issuer Metadata (SD-JWT VC §5): the key that signs credentials, for verifiers that go by `iss` and not `x5c`. */
export function buildJwtVcIssuerMetadata(issuerUrl: string, jwk: PublicJwk, x5c: readonly string[]): JsonObject {
  const { kty, crv, x, y } = jwk;
  const key = { kty, crv, x, y, use: 'sig', alg: 'ES256', kid: jwkThumbprint(jwk), x5c: [...x5c] };
  return { issuer: issuerUrl, jwks: { keys: [key] } };
}
