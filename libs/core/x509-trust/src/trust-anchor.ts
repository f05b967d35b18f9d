import { curveOf, ECDSA_ALGORITHMS } from '@vestibule/crypto';
import { DomainError } from '@vestibule/foundation';
import type { Certificate } from './certificate';
import { configurationFault } from './configuration-faults';
import type { IssuerBinding } from './issuer-binding';
import { requireMayIssue, requireMaySign, requireNotSelfIssued, requireUnderstood } from './verify-links';

/**
 * What a trust anchor may be trusted for: signers of credentials, status lists, attestations, requests, signed
 * metadata.
 */
export const PURPOSES = [
  'credential',
  'status',
  'wallet_attestation',
  'key_attestation',
  'access',
  'metadata',
] as const;
export type Purpose = (typeof PURPOSES)[number];

/** A certification authority or, with `isSigner`, a signer that the operator trusts, and for what. */
export interface TrustAnchor {
  readonly certificate: Certificate;
  /**
   * True for the certificate of a signer itself, which a list of trusted entities names: it vouches for the leaf that is
   * this certificate, byte for byte, and certifies no other (direct trust; ETSI TS 119 602 annexes D and E).
   */
  readonly isSigner?: true;
  readonly purposes: readonly Purpose[];
  /** Credential types that it may vouch for; absent means every type. */
  readonly vcts?: readonly string[];
  /** How `iss` must belong to the leaf below this anchor; absent means as everywhere else. */
  readonly issuerBinding?: IssuerBinding;
  /** The list of trusted entities that it is from; absent for an anchor that the operator configured. */
  readonly list?: string;
  /** Whose it is, if a list of trusted entities says so: it vouches for the status lists of this entity alone. */
  readonly entity?: string;
}

/** What somebody else than an anchor decides about, such as a list of trusted entities, regardless of the entities on it. */
export interface TrustCoverage {
  readonly purposes: readonly Purpose[];
  /** Absent: every type. */
  readonly vcts?: readonly string[] | undefined;
  /**
   * What is not known yet. `anchors`: while no usable version of a list is known, nothing can be said about who is on it.
   * `types`: it may decide about any type, or none, and brings no anchor. Default: nothing.
   */
  readonly missing?: 'anchors' | 'types' | undefined;
}

/** What a chain is needed for. Without `vct`, anchors for certain types only do not count. */
export interface TrustScope {
  readonly purpose: Purpose;
  readonly vct?: string | undefined;
}

/** True where something is for this purpose and type: what is for one purpose or type never serves another. */
function isFor({ purposes, vcts }: Pick<TrustCoverage, 'purposes' | 'vcts'>, { purpose, vct }: TrustScope): boolean {
  return purposes.includes(purpose) && (vcts === undefined || (vct !== undefined && vcts.includes(vct)));
}

/** The anchors that are configured for this purpose and type. */
export function anchorsFor(anchors: readonly TrustAnchor[], scope: TrustScope): readonly TrustAnchor[] {
  return anchors.filter((anchor) => isFor(anchor, scope));
}

/** What decides about this purpose and type. */
export function coverageFor(covered: readonly TrustCoverage[], scope: TrustScope): readonly TrustCoverage[] {
  return covered.filter((coverage) => isFor(coverage, scope));
}

const SIGNER_CURVES = ECDSA_ALGORITHMS.map(curveOf);

/** A certificate on a list of trusted entities as it counts: an authority if it says so, otherwise a signer itself. */
export function listedCertificate(certificate: Certificate): Pick<TrustAnchor, 'certificate' | 'isSigner'> {
  return certificate.isCa ? { certificate } : { certificate, isSigner: true };
}

/**
 * Throws `trust_anchor_invalid` for an anchor that could never certify anything, nor be a signer where it is to be one.
 * Expiry is not checked here.
 */
export function checkTrustAnchors(anchors: readonly Pick<TrustAnchor, 'certificate' | 'isSigner'>[]): void {
  for (const { certificate, isSigner } of anchors) {
    try {
      requireUnderstood(certificate);
      if (!isSigner) requireMayIssue(certificate, []);
      else {
        requireMaySign(certificate, SIGNER_CURVES);
        requireNotSelfIssued([certificate]);
      }
    } catch (error) {
      throw configurationFault('trust_anchor_invalid', error instanceof DomainError ? error.code : undefined, error);
    }
  }
}
