import type { KeyObject } from 'node:crypto';
import { verifyJws } from '@vestibule/crypto';
import { ISSUER_JWT, renamingFailures } from './jose-failure';
import type { SdJwt } from './parse-sd-jwt';

/**
 * Verifies the issuer's ES256 signature over the received bytes (RFC 9901 §7.1 step 2) with a key that the caller
 * trusts; no key named in a header is ever used. Throws `issuer_signature_invalid`.
 */
export function verifyIssuerSignature(sdJwt: SdJwt, key: KeyObject): void {
  renamingFailures(ISSUER_JWT, () => verifyJws(sdJwt.issuerJws, key));
}
