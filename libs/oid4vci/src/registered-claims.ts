import { jwkThumbprint, type PublicJwk } from '@vestibule/crypto';
import { toNumericDate, type JsonObject } from '@vestibule/foundation';

const HOUR = 3_600;

/** How long a credential is valid unless its type is configured otherwise: one year. */
export const DEFAULT_VALIDITY_SECONDS = 31_536_000;

export interface RegisteredClaimsInput {
  readonly issuerUrl: string;
  readonly vct: string;
  /** `vct#integrity` of the type. */
  readonly integrity: string;
  readonly holderJwk: PublicJwk;
  readonly now: Date;
  readonly validitySeconds: number;
  /** From when on the signing certificate is valid: a credential is never older. */
  readonly certificateNotBefore: Date;
}

/**
 * The claims that the issuer adds (SD-JWT VC §2.2.2): all credentials of an hour have the same times, so that they do not
 * link their holders; `exp` is rounded up and never shortens the validity. `sub` is the thumbprint URN of the
 * credential's own key (RFC 9278), and `cnf` holds that key and nothing else (RFC 7800 §3.2).
 */
export function buildRegisteredClaims(input: RegisteredClaimsInput): JsonObject {
  const { holderJwk } = input;
  const now = toNumericDate(input.now);
  const notBefore = Math.ceil(input.certificateNotBefore.getTime() / 1000);
  return {
    iss: input.issuerUrl,
    sub: `urn:ietf:params:oauth:jwk-thumbprint:sha-256:${jwkThumbprint(holderJwk)}`,
    iat: Math.max(Math.floor(now / HOUR) * HOUR, notBefore),
    exp: Math.ceil((now + input.validitySeconds) / HOUR) * HOUR,
    vct: input.vct,
    'vct#integrity': input.integrity,
    cnf: { jwk: { kty: holderJwk.kty, crv: holderJwk.crv, x: holderJwk.x, y: holderJwk.y } },
  };
}
