import type { KeyObject } from 'node:crypto';
import type { SdJwtVc } from '../parse-sd-jwt-vc';
import { unpackClaims, type UnpackedCredential } from '../unpack-claims';
import { verifyIssuerSignature } from '../verify-issuer-signature';
import { verifyKeyBinding, type KeyBindingExpectation, type VerifiedKeyBinding } from '../verify-key-binding';
import { verifyValidity, type ValidityPeriod } from '../verify-validity';

/**
 * Whether the holder must prove possession of the key: decided by the query (`require_cryptographic_holder_binding`),
 * never by what was sent (OpenID4VP 1.0 §8.6, RFC 9901 §9.5).
 */
export type HolderBinding =
  | { readonly mode: 'required'; readonly expected: Omit<KeyBindingExpectation, 'now' | 'skewSeconds'> }
  | { readonly mode: 'notRequired' };

export interface VerificationPolicy {
  /** The key of the certificate that the caller trusts, or of the issuer's metadata; never one that a header chose. */
  readonly issuerKey: KeyObject;
  readonly now: Date;
  /** 0 to 60. */
  readonly skewSeconds: number;
  /** Refuse credentials without `exp`. */
  readonly requireExpiry: boolean;
  readonly holderBinding: HolderBinding;
}

/** A credential of which everything holds but trust in the issuer's certificate and the status, which others decide. */
export interface VerifiedSdJwtVc extends UnpackedCredential, ValidityPeriod {
  /** Undefined when holder binding is not required, even if a key binding JWT came along. */
  readonly keyBinding: VerifiedKeyBinding | undefined;
}

/**
 * Verifies a presented SD-JWT VC in the order in which it must be done: the issuer's signature, disclosures, registered
 * claims, validity, holder binding. Throws the failures of each step; a RangeError for an invalid policy.
 */
export function verifySdJwtVc(sdJwt: SdJwtVc, policy: VerificationPolicy): VerifiedSdJwtVc {
  const { now, skewSeconds, holderBinding } = policy;
  verifyIssuerSignature(sdJwt, policy.issuerKey);
  const credential = unpackClaims(sdJwt);
  const period = verifyValidity(credential.claims, policy);
  const keyBinding =
    holderBinding.mode === 'required'
      ? verifyKeyBinding(sdJwt, credential.claims, { ...holderBinding.expected, now, skewSeconds })
      : undefined;
  return { ...credential, ...period, keyBinding };
}
