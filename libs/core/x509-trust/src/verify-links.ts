import { isP256 } from '@vestibule/crypto';
import type { Certificate } from './certificate';
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

/**
 * Throws `leaf_key_not_allowed` unless the key is on P-256, and `leaf_key_usage` when a key usage is present without
 * digitalSignature.
 */
export function requireMaySign({ publicKey, keyUsage }: Certificate): void {
  if (!isP256(publicKey)) throw x509Failure('leaf_key_not_allowed');
  if (keyUsage && !keyUsage.includes('digitalSignature')) throw x509Failure('leaf_key_usage');
}

function requireNotSelfSigned(chain: readonly Certificate[]): void {
  for (const [index, certificate] of chain.entries()) {
    if (isSelfSigned(certificate)) throw x509Failure(index === 0 ? 'leaf_self_signed' : 'trust_anchor_in_x5c');
  }
}

function requireIssued(chain: readonly Certificate[]): void {
  for (const [index, issuer] of chain.entries()) {
    const certificate = chain[index - 1];
    if (certificate && !isNamedIssuer(certificate, issuer)) throw x509Failure('chain_broken');
  }
  for (const [index, issuer] of chain.entries()) {
    const certificate = chain[index - 1];
    if (certificate && !isSignedBy(certificate, issuer.publicKey)) throw x509Failure('chain_signature_invalid');
  }
}

/**
 * Everything about a chain that depends on neither the time nor the trust anchors (HAIP 1.0 §6.1.1, RFC 5280 §6.1):
 * algorithms, critical extensions, nothing self-signed, names, signatures, CA flags, path lengths, the leaf's key usage.
 * Throws a failure of the table; returns the leaf.
 */
export function verifyLinks(chain: readonly Certificate[]): Certificate {
  const [leaf] = chain;
  if (!leaf) throw x509Failure('x5c_malformed');
  chain.forEach(requireUnderstood);
  requireNotSelfSigned(chain);
  requireIssued(chain);
  chain.forEach((issuer, index) => {
    if (index > 0) requireMayIssue(issuer, chain.slice(0, index));
  });
  requireMaySign(leaf);
  return leaf;
}

/** A time, and by how many seconds clocks may differ. */
export interface Instant {
  readonly now: Date;
  /** Default 0. */
  readonly skewSeconds?: number;
}

type Validity = Pick<Certificate, 'notBefore' | 'notAfter'>;

/** True from the given seconds before the validity begins; never for a time that is no time. */
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
