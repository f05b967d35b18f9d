import type { Certificate } from './certificate';
import { isSignedBy } from './certificate-algorithms';
import { x509Failure } from './failures';
import { anchorsFor, type TrustAnchor, type TrustScope } from './trust-anchor';
import { isNamedIssuer, requireMayIssue, requireUnderstood, requireValidAt, verifyLinks } from './verify-links';

export interface ChainContext extends TrustScope {
  readonly now: Date;
}

/** A chain that holds together at a time. Only `anchor` says that somebody vouches for it. */
export interface VerifiedChain {
  readonly leaf: Certificate;
  readonly chain: readonly Certificate[];
  /** The configured anchor that certified the last certificate; undefined when no anchor of the scope did. */
  readonly anchor: TrustAnchor | undefined;
}

/** The part of a chain's verification that depends on neither time nor scope: all of the signatures. */
export interface LinkedChain {
  readonly leaf: Certificate;
  readonly chain: readonly Certificate[];
  /** Anchors whose name and key fit the last certificate, whatever they are configured for. */
  readonly certifiedBy: readonly TrustAnchor[];
}

/** Verifies what holds at any time (see `verifyLinks`) and finds the anchors that fit by name and signature. */
export function linkChain(chain: readonly Certificate[], anchors: readonly TrustAnchor[]): LinkedChain {
  const leaf = verifyLinks(chain);
  const last = chain.at(-1) ?? leaf;
  const certifiedBy = anchors.filter(
    ({ certificate }) => isNamedIssuer(last, certificate) && isSignedBy(last, certificate.publicKey),
  );
  return { leaf, chain, certifiedBy };
}

function requireUsable({ certificate }: TrustAnchor, chain: readonly Certificate[], now: Date): void {
  requireUnderstood(certificate);
  requireMayIssue(certificate, chain);
  const valid = now >= certificate.notBefore && now <= certificate.notAfter;
  if (!valid) throw x509Failure('trust_anchor_expired');
}

/** The first anchor that may certify the chain now; throws why the last one may not when all of them may not. */
function findUsable(candidates: readonly TrustAnchor[], chain: readonly Certificate[], now: Date) {
  let reason: unknown;
  for (const anchor of candidates) {
    try {
      requireUsable(anchor, chain, now);
      return anchor;
    } catch (error) {
      reason = error;
    }
  }
  if (reason) throw reason;
  return undefined;
}

/** Judges a linked chain at a time and for a scope: no signature is computed here. Throws as {@link verifyChain}. */
export function judgeChain(
  { leaf, chain, certifiedBy }: LinkedChain,
  anchors: readonly TrustAnchor[],
  { now, ...scope }: ChainContext,
): VerifiedChain {
  requireValidAt(chain, now);
  const inScope = anchorsFor(anchors, scope);
  const known = new Set(inScope.map(({ certificate }) => certificate.fingerprint));
  if (chain.some(({ fingerprint }) => known.has(fingerprint))) throw x509Failure('trust_anchor_in_x5c');
  const candidates = anchorsFor(certifiedBy, scope);
  return { leaf, chain, anchor: findUsable(candidates, chain, now) };
}

/**
 * Validates a certificate path (RFC 5280 §6.1, HAIP 1.0 §6.1.1) from the leaf, which comes first, to a configured anchor,
 * which is not part of `chain` and may have certified the leaf itself. The time of the check is `now`, for every
 * certificate and the anchor.
 * Throws a failure of the table for every fault in the chain; when everything holds but no anchor of the scope fits,
 * `anchor` is undefined and `applyTrustPolicy` decides.
 */
export function verifyChain(
  chain: readonly Certificate[],
  anchors: readonly TrustAnchor[],
  context: ChainContext,
): VerifiedChain {
  return judgeChain(linkChain(chain, anchors), anchors, context);
}

/**
 * True when the same authority stands behind both leaves: the same key, or the same issuer name and issuing key. Meant
 * for status lists, whose signer must belong to the credential's issuer (Token Status List §11.3).
 */
export function haveSameAuthority(one: VerifiedChain, other: VerifiedChain): boolean {
  if (one.leaf.publicKey.equals(other.leaf.publicKey)) return true;
  const [issuer, otherIssuer] = [one, other].map(({ chain, anchor }) => chain[1] ?? anchor?.certificate);
  if (!issuer || !otherIssuer) return false;
  return issuer.subject.equals(otherIssuer.subject) && issuer.publicKey.equals(otherIssuer.publicKey);
}
