import type { EcCurve } from '@vestibule/crypto';
import { findAuthorityKeyIdentifiers } from './find-authority-key-identifiers';
import type { Certificate } from './certificate';
import { anchorsThatCertified } from './certifying-anchors';
import { isUsableAnchor, isUsableFor, type ExtendedKeyUsagePolicy } from './extended-key-usage';
import { x509Failure } from './failures';
import { anchorsFor, type Purpose, type TrustAnchor, type TrustScope } from './trust-anchor';
import {
  hasBegun,
  hasEnded,
  requireLastSignedByAnother,
  requireMayIssue,
  requireSigned,
  requireUnderstood,
  requireValidAt,
  requireWellFormed,
  type Instant,
} from './verify-links';

export interface ChainContext extends TrustScope, Instant {
  /** Default `enforce`. */
  readonly extendedKeyUsage?: ExtendedKeyUsagePolicy;
  /**
   * True where nothing but a chain below a configured anchor is of use: one that no anchor certified, whatever the anchors
   * are for, is `untrusted_issuer` before its own signatures are verified. Default false.
   */
  readonly needsAnchor?: boolean;
  /**
   * True where the chain is needed for its key alone: which anchor vouches for it, and whether that may, is judged later, for a
   * type that is not known yet. No anchor is found, and none fails the chain. Default false.
   */
  readonly judgesAnchorLater?: boolean;
}

/** A chain that is consistent and valid at a time. It is trusted only if it has an `anchor`. */
export interface VerifiedChain {
  readonly leaf: Certificate;
  readonly chain: readonly Certificate[];
  /**
   * The configured anchor that certified `chain[belowAnchor - 1]`; undefined when none of the scope did. Where several
   * did, the one that is nearest to the leaf; a signer that a list names itself only where none did. An anchor of the
   * operator's own file that restricts types or issuers holds for everything below it.
   */
  readonly anchor: TrustAnchor | undefined;
  /** How many certificates of the chain lie below the anchor, or the certifier: all of them but where its own is in the chain; none below a listed signer alone. */
  readonly belowAnchor: number;
  /** Where the anchor is a listed signer: its authority, if that is an anchor of the scope as well and was sent along. It vouches for nothing here, but may revoke. */
  readonly certifier?: TrustAnchor | undefined;
  /** Every anchor of the scope that is in the chain, above it or the leaf itself, whether it may certify now or not. */
  readonly fitting: readonly TrustAnchor[];
  /** See {@link findAuthorityKeyIdentifiers}; none where no anchor certified the last certificate, whatever it is for. */
  readonly authorityKeyIdentifiers: readonly string[];
  /** False where a certificate, or the anchor, is restricted to other purposes and that is only reported. */
  readonly isForPurpose: boolean;
}

/** A chain whose form is right and whose anchors are known; the signatures between its certificates are not verified. */
export interface ReadChain {
  readonly leaf: Certificate;
  readonly chain: readonly Certificate[];
  /** Anchors whose name and key fit the last certificate, whatever they are configured for; see {@link anchorsThatCertified}. */
  readonly certifiedBy: readonly TrustAnchor[];
  /** Anchors that are the leaf itself, whatever they are configured for. */
  readonly listedAs: readonly TrustAnchor[];
  /** For each certificate, the entries of the operator's own file that restrict it to types or issuers, whatever they are for. */
  readonly restrictedBy: readonly (readonly TrustAnchor[])[];
}

/** True where some anchor, whatever it is for, vouches for the chain. */
export const isAnchored = ({ certifiedBy, listedAs }: ReadChain): boolean => certifiedBy.length + listedAs.length > 0;

/** The part of a chain's verification that depends on neither time nor scope: all of the signatures. */
export interface LinkedChain extends ReadChain {
  readonly authorityKeyIdentifiers: readonly string[];
}

/** The same authority: what it certified holds with either certificate. */
export const isSameAuthority = (one: Certificate, other: Certificate): boolean =>
  one.subject.equals(other.subject) && one.publicKey.equals(other.publicKey);

/**
 * The authority, its key under another name, or its successor: with another key, its issuer gave it the same name again. A file
 * that restricts the one cannot name the other yet. What has signed its own name is its own issuer: below it, a certificate of
 * its name is the link to its next key, which it vouches for itself. Nothing tells a new name with a new key from another authority.
 */
const isOrFollows = (certificate: Certificate, authority: Certificate): boolean =>
  certificate.publicKey.equals(authority.publicKey) ||
  (certificate.isCa &&
    !authority.subject.equals(authority.issuer) &&
    certificate.subject.equals(authority.subject) &&
    certificate.issuer.equals(authority.issuer));

/** Which entries restrict each certificate of a chain: with many entries, their keys cost too much to compare for each presentation. */
function restrictionsOf(chain: readonly Certificate[], anchors: readonly TrustAnchor[]): ReadChain['restrictedBy'] {
  const restricting = anchors.filter(
    ({ list, vcts, issuerBinding }) => list === undefined && (vcts ?? issuerBinding) !== undefined,
  );
  return chain.map((certificate) => restricting.filter((anchor) => isOrFollows(certificate, anchor.certificate)));
}

/** Requires what holds at any time and without signatures (see `requireWellFormed`), and finds the anchors that fit. */
export function readChain(
  chain: readonly Certificate[],
  anchors: readonly TrustAnchor[],
  leafCurves?: readonly EcCurve[],
): ReadChain {
  const leaf = requireWellFormed(chain, leafCurves);
  const last = chain.at(-1) ?? leaf;
  const listedAs = anchors.filter(
    ({ isSigner, certificate }) => isSigner && certificate.fingerprint === leaf.fingerprint,
  );
  const certifiedBy = anchorsThatCertified(last, anchors);
  return { leaf, chain, certifiedBy, listedAs, restrictedBy: restrictionsOf(chain, anchors) };
}

/** Verifies the signatures in a chain that {@link readChain} took. */
export function linkChain(read: ReadChain, anchors: readonly TrustAnchor[]): LinkedChain {
  const above = read.certifiedBy[0]?.certificate.publicKey;
  requireSigned(read.chain, above);
  return { ...read, authorityKeyIdentifiers: above ? findAuthorityKeyIdentifiers(read.chain, above, anchors) : [] };
}

/**
 * Refuses a chain that no anchor certified for want of one, and no signature in it is verified for that: throws what else
 * can be seen to be wrong with it, or `untrusted_issuer`.
 */
export function refuseUnanchored(read: ReadChain, anchors: readonly TrustAnchor[], context: ChainContext): never {
  judgeChain({ ...read, authorityKeyIdentifiers: [] }, anchors, { ...context, judgesAnchorLater: false });
  requireLastSignedByAnother(read.chain);
  throw x509Failure('untrusted_issuer');
}

function requireUsable(anchor: TrustAnchor, below: readonly Certificate[], context: ChainContext): void {
  const { certificate, isSigner } = anchor;
  // It is the leaf, which has been judged.
  if (isSigner) return;
  requireUnderstood(certificate);
  requireMayIssue(certificate, below);
  const valid = hasBegun(certificate, context) && !hasEnded(certificate, context);
  if (!valid) throw x509Failure('trust_anchor_expired');
  if (!isUsableAnchor(anchor, context.purpose) && context.extendedKeyUsage !== 'report') {
    throw x509Failure('extended_key_usage_not_allowed');
  }
}

/** An anchor that may have certified a chain, and how many certificates of it lie below. */
interface Candidate {
  readonly anchor: TrustAnchor;
  readonly belowAnchor: number;
}

/** The first anchor that may certify the chain now; throws why the last one may not when all of them may not. */
function findUsable(candidates: readonly Candidate[], chain: readonly Certificate[], context: ChainContext) {
  let reason: unknown;
  for (const candidate of candidates) {
    try {
      requireUsable(candidate.anchor, chain.slice(0, candidate.belowAnchor), context);
      return candidate;
    } catch (error) {
      reason = error;
    }
  }
  if (reason) throw reason;
  return undefined;
}

/**
 * How many certificates lie below the lowest authority of the chain that the operator's own file restricts for this purpose,
 * to types or issuers: there no anchor of the file above it counts, neither for other types nor when the lower one has
 * expired. Otherwise the sender could undo the restriction of an intermediate, by sending it along, and the intermediate its own,
 * by signing credentials with its own key, with a new one, or below another name. For those its entry cannot be the anchor, so the
 * one above it counts for the types of the entry, unless the first that covers the type binds issuers. Infinite without one.
 */
function lowestRestricted({ chain, restrictedBy }: ReadChain, scope: TrustScope): number {
  const place = chain.findIndex((certificate, below) => {
    const entries = (restrictedBy[below] ?? []).filter(({ purposes }) => purposes.includes(scope.purpose));
    if (below > 0 && entries.some((anchor) => isSameAuthority(anchor.certificate, certificate))) return true;
    const [first] = anchorsFor(entries, scope);
    return entries.length > 0 && (first === undefined || first.issuerBinding !== undefined);
  });
  return place < 0 ? Infinity : place;
}

/** The anchors of the scope that fit a chain, and those of them that may have certified it, from the leaf upwards. */
interface Fitting {
  readonly fitting: readonly TrustAnchor[];
  readonly candidates: readonly Candidate[];
  /** The nearest anchor that was sent along, where none certified it. */
  readonly sent: Candidate | undefined;
}

const NOT_JUDGED: Fitting = { fitting: [], candidates: [], sent: undefined };

/**
 * Which anchors of the scope fit. The candidates are those from the leaf upwards, and at last those that are the leaf
 * itself. One whose certificate is in the chain counts only below another configured anchor, which shows that the
 * sender left its own root out: a root and an intermediate of it may both be configured, and the sender need not know
 * that. Throws `trust_anchor_in_x5c` otherwise (HAIP 1.0 §6.1.1), but for a leaf that is listed itself: its owner need
 * not know that another entity lists its authority.
 */
function fitAnchors(read: ReadChain, anchors: readonly TrustAnchor[], scope: TrustScope): Fitting {
  const { chain, certifiedBy, listedAs } = read;
  const inScope = anchorsFor(anchors, scope);
  const authorities = inScope.filter(({ isSigner }) => !isSigner);
  const known = new Set(authorities.map(({ certificate }) => certificate.fingerprint));
  const listed = listedAs.filter((anchor) => inScope.includes(anchor));
  const isSent = chain.some(({ fingerprint }) => known.has(fingerprint));
  const [leaf] = chain;
  const isAlone = certifiedBy.length + listed.length === 0;
  if (isSent && (isAlone || (leaf && known.has(leaf.fingerprint)))) throw x509Failure('trust_anchor_in_x5c');
  const within = chain
    .slice(1)
    .flatMap((certificate, index) =>
      authorities
        .filter((anchor) => isSameAuthority(anchor.certificate, certificate))
        .map((anchor) => ({ anchor, belowAnchor: index + 1 })),
    );
  const above = certifiedBy
    .filter((anchor) => inScope.includes(anchor))
    .map((anchor) => ({ anchor, belowAnchor: chain.length }));
  const lowest = lowestRestricted(read, scope);
  const isFree = ({ anchor, belowAnchor }: Candidate) => anchor.list !== undefined || belowAnchor <= lowest;
  const signers = listed.map((anchor) => ({ anchor, belowAnchor: 0 }));
  const fitting = [...within, ...above].filter(isFree);
  const certifying = certifiedBy.length === 0 ? [] : fitting;
  return {
    fitting: [...fitting, ...signers].map(({ anchor }) => anchor),
    candidates: [...certifying, ...signers],
    sent: certifiedBy.length === 0 ? fitting[0] : undefined,
  };
}

/** The first certificate, from the leaf up to the anchor, that is restricted to other purposes. */
export function restrictedOf(
  { chain, anchor }: Pick<VerifiedChain, 'chain' | 'anchor'>,
  purpose: Purpose,
): Certificate | undefined {
  const restricted = chain.find((certificate) => !isUsableFor(certificate, purpose));
  if (restricted || !anchor || isUsableAnchor(anchor, purpose)) return restricted;
  return anchor.certificate;
}

/** Judges a linked chain at a time and for a scope: no signature is computed here. Throws as {@link verifyChain}. */
export function judgeChain(linked: LinkedChain, anchors: readonly TrustAnchor[], context: ChainContext): VerifiedChain {
  const { leaf, chain, authorityKeyIdentifiers } = linked;
  requireValidAt(chain, context);
  const { fitting, candidates, sent } = context.judgesAnchorLater ? NOT_JUDGED : fitAnchors(linked, anchors, context);
  const isAllowed = !restrictedOf({ chain, anchor: undefined }, context.purpose);
  if (!isAllowed && context.extendedKeyUsage !== 'report') throw x509Failure('extended_key_usage_not_allowed');
  const { anchor, belowAnchor = chain.length } = findUsable(candidates, chain, context) ?? {};
  const above = anchor?.isSigner && sent ? { belowAnchor: sent.belowAnchor, certifier: sent.anchor } : { belowAnchor };
  const isForPurpose = !restrictedOf({ chain, anchor }, context.purpose);
  return { leaf, chain, anchor, ...above, fitting, authorityKeyIdentifiers, isForPurpose };
}

/**
 * Validates a certificate path (RFC 5280 §6.1, HAIP 1.0 §6.1.1) from the leaf, which comes first, to a configured anchor,
 * which is not part of `chain` and may have certified the leaf itself. The time of the check is `now`, for every
 * certificate and the anchor.
 * Extended key usage counts on every certificate and on the anchor, critical or not (RFC 5280 §4.2.1.12).
 * Throws a failure of the table for every fault in the chain; when everything holds but no anchor of the scope fits,
 * `anchor` is undefined and `applyTrustPolicy` decides.
 */
export function verifyChain(
  chain: readonly Certificate[],
  anchors: readonly TrustAnchor[],
  context: ChainContext,
): VerifiedChain {
  const read = readChain(chain, anchors);
  if (context.needsAnchor && !isAnchored(read)) refuseUnanchored(read, anchors, context);
  return judgeChain(linkChain(read, anchors), anchors, context);
}
