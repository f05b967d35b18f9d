import type { Certificate } from './certificate';
import { anchorsFor, type TrustAnchor, type TrustScope } from './trust-anchor';
import { isSameAuthority, type VerifiedChain } from './verify-chain';

/** The parts of a chain that identify the signer and the authority that certified it. */
type CertifiedSigner = Pick<VerifiedChain, 'leaf' | 'chain' | 'anchor'>;

/**
 * True if both leaves belong to the same authority: the same key, or the same issuer name and issuing key. Meant for
 * status lists, whose signer must belong to the credential's issuer (Token Status List §11.3).
 */
export function haveSameAuthority(one: CertifiedSigner, other: CertifiedSigner): boolean {
  if (one.leaf.publicKey.equals(other.leaf.publicKey)) return true;
  const [issuer, otherIssuer] = [one, other].map(({ chain, anchor }) => chain[1] ?? anchor?.certificate);
  return issuer !== undefined && otherIssuer !== undefined && isSameAuthority(issuer, otherIssuer);
}

/** Whose word an anchor is: that of an entity on a list, or of the operator's own file. */
type Party = string | undefined;
const FILE: Party = undefined;

/** What was issued, whose status is asked for, and whose word counts. */
export interface StatusContext {
  readonly anchors: readonly TrustAnchor[];
  readonly issued: TrustScope;
  /** True where a certificate of the issuer's authority counts only with the issuer's subject. Default false. */
  readonly needsSubject?: boolean;
}

/** The parties of anchors with this certificate, or another one of the same name and key. */
function partiesNaming(certificate: Certificate, anchors: readonly TrustAnchor[]): readonly Party[] {
  return anchors.filter((anchor) => isSameAuthority(anchor.certificate, certificate)).map(({ entity }) => entity);
}

/** The parties that name the signer itself for status lists, or its authority for nothing else. */
function partiesAppointing(signer: VerifiedChain, { anchors, issued }: StatusContext): ReadonlySet<Party> {
  const inScope = anchorsFor(anchors, { ...issued, purpose: 'status' });
  const issues = anchors.filter(({ purposes }) => purposes.includes(issued.purpose));
  const isAppointed = (anchor: TrustAnchor) =>
    anchor.isSigner ?? !issues.some(({ certificate }) => isSameAuthority(certificate, anchor.certificate));
  const near = [...(signer.anchor ? [signer.anchor] : []), ...signer.fitting.filter(({ isSigner }) => isSigner)];
  return new Set(near.filter(isAppointed).flatMap(({ certificate }) => partiesNaming(certificate, inScope)));
}

/** True for a certificate of the issuer's own authority, which counts because an authority is trusted, not a signer. */
function isSibling(issuer: VerifiedChain, signer: VerifiedChain, { needsSubject = false }: StatusContext): boolean {
  const isNamed = !needsSubject || issuer.leaf.subject.equals(signer.leaf.subject);
  return isNamed && !signer.anchor?.isSigner && haveSameAuthority(issuer, signer);
}

/**
 * May the signer of a status list sign for what the issuer issued (Token Status List §11.3)? With the same key always; otherwise
 * every party must agree whose anchors fit the issuer's chain, wherever in it: each could have listed the authority of another,
 * or an intermediate or a signer of it. A party that names an authority of the issuer agrees to signers that the issuer's own
 * authority has certified; every party agrees to signers that it names itself for status, and to those below an authority that
 * it names for nothing else. The word of the operator's own file is enough: so it can appoint an authority for all issuers.
 * Nobody appoints signers for an issuer without an anchor.
 */
export function maySignStatusOf(issuer: VerifiedChain, signer: VerifiedChain, context: StatusContext): boolean {
  if (issuer.leaf.publicKey.equals(signer.leaf.publicKey)) return true;
  const siblings = isSibling(issuer, signer, context);
  if (!issuer.anchor) return siblings;
  const inScope = anchorsFor(context.anchors, context.issued);
  const authorities = inScope.filter(({ isSigner }) => !isSigner);
  const certifying = issuer.fitting.flatMap(({ certificate }) => partiesNaming(certificate, authorities));
  const appointing = partiesAppointing(signer, context);
  const agrees = (party: Party) => appointing.has(party) || (siblings && certifying.includes(party));
  if (agrees(FILE)) return true;
  const vouching = issuer.fitting.map(({ certificate }) => partiesNaming(certificate, inScope));
  return vouching.every((parties) => parties.length > 0 && parties.every((party) => party !== FILE && agrees(party)));
}
