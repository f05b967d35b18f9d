import { jwkThumbprint, type PublicJwk } from '@vestibule/crypto';
import type { JsonObject } from '@vestibule/foundation';

/** A key that credentials were signed with, and its chain. */
export interface CertifiedKey {
  readonly jwk: PublicJwk;
  readonly x5c: readonly string[];
}

/** JWT VC Issuer Metadata (SD-JWT VC §5): the keys that sign or have signed credentials, for verifiers that go by `iss` and not `x5c`. */
export function buildJwtVcIssuerMetadata(issuerUrl: string, keys: readonly CertifiedKey[]): JsonObject {
  const published = new Map<string, JsonObject>();
  for (const { jwk, x5c } of keys) {
    const { kty, crv, x, y } = jwk;
    const kid = jwkThumbprint(jwk);
    // Of several certificates for one key, the first: a kid names one key.
    if (!published.has(kid)) published.set(kid, { kty, crv, x, y, use: 'sig', alg: 'ES256', kid, x5c: [...x5c] });
  }
  return { issuer: issuerUrl, jwks: { keys: [...published.values()] } };
}
