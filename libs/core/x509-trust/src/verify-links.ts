import type { KeyObject } from 'node:crypto';
import { algorithmOf, isKeyFor, type EcCurve } from '@vestibule/crypto';
import type { Certificate } from './certificate';
import type { KeyUsage } from './certificate-extensions';
import { isSelfSigned, isSignedBy, requireAllowedAlgorithms } from './certificate-algorithms';
import { x509Failure } from './failures';

/** Throws `certificate_algorithm_not_allowed` or `certificate_critical_extension`. */
export function requireUnderstood(certificate: Certificate): void {
  requireAllowedAlgorithms(certificate);
  if (certificate.unprocessedExtensions.length > 0) throw x509Failure('certificate_critical_extension');
}

/** True when `certificate` names `issuer` as its issuer, byte for byte (RFC 5280 §6.1.3 (a)(4)). */
export function isNamedIssuer(certificate: Certificate, issuer: Certificate): boolean {
  return certificate.issuer.equals(issuer.subject);
}

/**
 * Throws `issuer_not_ca` unless the certificate may issue others, and `path_length_exceeded` when more intermediates lie
 * `below` it (leaf first, the leaf included) than it allows; self-issued ones do not count (RFC 5280 §6.1.4 (k)-(n)).
 */
export function requireMayIssue(issuer: Certificate, below: readonly Certificate[]): void {
  const mayCertify = issuer.keyUsage?.includes('keyCertSign') ?? true;
  if (!issuer.isCa || !mayCertify) throw x509Failure('issuer_not_ca');
  const intermediates = below.slice(1).filter(({ subject, issuer: name }) => !subject.equals(name));
  if (intermediates.length > (issuer.pathLength ?? Infinity)) throw x509Failure('path_length_exceeded');
}

/** What HAIP 1.0 §7 has every party verify. */
const P256_ALONE: readonly EcCurve[] = ['P-256'];

/**
 * Each of them is for signatures other than those on certificates and lists (RFC 5280 §4.2.1.3). Certificates for seals often
 * have nonRepudiation alone: ETSI EN 319 412-2 §4.3.2 recommends it, and TS 119 412-6 follows it for those who sign attestations.
 */
const SIGNING: readonly KeyUsage[] = ['digitalSignature', 'nonRepudiation'];

/**
 * Throws `leaf_key_not_allowed` unless the key is on one of these curves, by default on P-256, and `leaf_key_usage` when
 * a key usage is present with neither digitalSignature nor nonRepudiation.
 */
export function requireMaySign({ publicKey, keyUsage }: Certificate, curves = P256_ALONE): void {
  if (!curves.some((curve) => isKeyFor(algorithmOf(curve), publicKey))) throw x509Failure('leaf_key_not_allowed');
  if (keyUsage && !keyUsage.some((usage) => SIGNING.includes(usage))) throw x509Failure('leaf_key_usage');
}

const selfSignedFailure = (index: number) => x509Failure(index === 0 ? 'leaf_self_signed' : 'trust_anchor_in_x5c');

/**
 * Throws `leaf_self_signed` or `trust_anchor_in_x5c` for one that names itself as issuer and is signed with its own key, which
 * costs a signature; {@link requireSigned} finds the others.
 */
export function requireNotSelfIssued(chain: readonly Certificate[]): void {
  for (const [index, certificate] of chain.entries()) {
    if (isNamedIssuer(certificate, certificate) && isSelfSigned(certificate)) throw selfSignedFailure(index);
  }
}

function requireNamed(chain: readonly Certificate[]): void {
  for (const [index, certificate] of chain.entries()) {
    const issuer = chain[index + 1];
    if (issuer && !isNamedIssuer(certificate, issuer)) throw x509Failure('chain_broken');
  }
}

/**
 * Everything about a chain that depends on neither the time, nor the trust anchors, nor the signatures in it (HAIP 1.0
 * §6.1.1, RFC 5280 §6.1): algorithms, critical extensions, names, CA flags, path lengths, the leaf's key usage and curve; and that no
 * certificate which names itself as issuer is self-signed. Throws a failure of the table; returns the leaf.
 */
export function requireWellFormed(chain: readonly Certificate[], leafCurves?: readonly EcCurve[]): Certificate {
  const [leaf] = chain;
  if (!leaf) throw x509Failure('x5c_malformed');
  chain.forEach(requireUnderstood);
  requireNotSelfIssued(chain);
  requireNamed(chain);
  chain.forEach((issuer, index) => {
    if (index > 0) requireMayIssue(issuer, chain.slice(0, index));
  });
  requireMaySign(leaf, leafCurves);
  return leaf;
}

/**
 * Throws `leaf_self_signed` or `trust_anchor_in_x5c` where the last certificate's own key signed it. `issuer` is the key that
 * is known to have signed it, where there is one: then nothing has to be verified.
 */
export function requireLastSignedByAnother(chain: readonly Certificate[], issuer?: KeyObject): void {
  const last = chain.at(-1);
  if (!last) return;
  const isOwn = issuer ? issuer.equals(last.publicKey) : isSelfSigned(last);
  if (isOwn) throw selfSignedFailure(chain.length - 1);
}

/**
 * Throws unless each certificate is signed by the one after it, from the last but one down, and none by its own key,
 * whatever names it bears: `chain_signature_invalid`, `leaf_self_signed`, `trust_anchor_in_x5c`. For what another key has
 * signed, the keys are compared: a second verification would find nothing else. `issuer` as above.
 */
export function requireSigned(chain: readonly Certificate[], issuer?: KeyObject): void {
  requireLastSignedByAnother(chain, issuer);
  for (let index = chain.length - 2; index >= 0; index -= 1) {
    const [certificate, signer] = chain.slice(index, index + 2);
    if (!certificate || !signer) continue;
    if (certificate.publicKey.equals(signer.publicKey)) throw selfSignedFailure(index);
    if (isSignedBy(certificate, signer.publicKey)) continue;
    throw isSelfSigned(certificate) ? selfSignedFailure(index) : x509Failure('chain_signature_invalid');
  }
}

/** {@link requireWellFormed} and {@link requireSigned}: all of a chain but its anchor and its time. Returns the leaf. */
export function verifyLinks(chain: readonly Certificate[]): Certificate {
  const leaf = requireWellFormed(chain);
  requireSigned(chain);
  return leaf;
}

/** A time, and by how many seconds clocks may differ. */
export interface Instant {
  readonly now: Date;
  /** Default 0. */
  readonly skewSeconds?: number;
}

type Validity = Pick<Certificate, 'notBefore' | 'notAfter'>;

/** True from the given seconds before the validity begins; never for an invalid date. */
export function hasBegun({ notBefore }: Validity, { now, skewSeconds = 0 }: Instant): boolean {
  return now.getTime() + skewSeconds * 1000 >= notBefore.getTime();
}

/** True once the validity has been over for the given seconds. */
export function hasEnded({ notAfter }: Validity, { now, skewSeconds = 0 }: Instant): boolean {
  return !(now.getTime() - skewSeconds * 1000 <= notAfter.getTime());
}

/** Throws `certificate_expired` or `certificate_not_yet_valid` unless every certificate is valid, but for the skew. */
export function requireValidAt(chain: readonly Certificate[], at: Instant): void {
  for (const certificate of chain) {
    if (!hasBegun(certificate, at)) throw x509Failure('certificate_not_yet_valid');
    if (hasEnded(certificate, at)) throw x509Failure('certificate_expired');
  }
}
