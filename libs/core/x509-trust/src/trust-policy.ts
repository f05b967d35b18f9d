import { x509Failure } from './failures';
import type { IssuerBinding } from './issuer-binding';
import { anchorsFor, coverageFor, type TrustAnchor, type TrustCoverage, type TrustScope } from './trust-anchor';
import type { VerifiedChain } from './verify-chain';

/**
 * `auto`: an unanchored chain fails where anchors are configured for the scope, or it is decided about in another way,
 * and is untrusted elsewhere. `enforce`: it always fails. `report`: it is untrusted.
 */
export const TRUST_POLICIES = ['auto', 'enforce', 'report'] as const;
export type TrustPolicy = (typeof TRUST_POLICIES)[number];

export interface TrustPolicyContext extends TrustScope {
  readonly policy: TrustPolicy;
  /** All configured anchors: the ones that the chain was verified with. */
  readonly anchors: readonly TrustAnchor[];
  /** What is decided about besides, such as by lists of trusted entities: there an anchor is needed even while they name nobody. Default: nothing. */
  readonly covered?: readonly TrustCoverage[] | undefined;
}

/** True when the policy takes nothing but a chain below an anchor; for a type that is not known, when it would for each. */
export function isAnchorNeeded({ policy, anchors, covered = [], ...scope }: TrustPolicyContext): boolean {
  if (policy !== 'auto') return policy === 'enforce';
  return anchorsFor(anchors, scope).length > 0 || coverageFor(covered, scope).length > 0;
}

/**
 * Decides whether a verified chain is trusted: true if it leads to an anchor, false if the policy only reports. Throws
 * `untrusted_issuer` if the policy requires an anchor for this scope.
 */
export function applyTrustPolicy({ anchor }: VerifiedChain, context: TrustPolicyContext): boolean {
  if (anchor) return true;
  if (isAnchorNeeded(context)) throw x509Failure('untrusted_issuer');
  return false;
}

/**
 * The binding that holds for a chain: that of the anchor which certified it, else the configured one, else `san` for a
 * chain with an anchor and `none` for one without. Of two anchors with one certificate, the first that is in scope and
 * usable counts.
 */
export function issuerBindingOf({ anchor }: VerifiedChain, configured?: IssuerBinding): IssuerBinding {
  return anchor?.issuerBinding ?? configured ?? { policy: anchor ? 'san' : 'none' };
}
