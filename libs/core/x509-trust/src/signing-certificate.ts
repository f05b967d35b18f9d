import { createPublicKey, type KeyObject } from 'node:crypto';
import { isP256 } from '@vestibule/crypto';
import { DomainError } from '@vestibule/foundation';
import { certificateHash, type Certificate } from './certificate';
import { isSelfSigned, isSignedBy } from './certificate-algorithms';
import { configurationFault } from './configuration-faults';
import { x509Failure } from './failures';
import { isForeign } from './extended-key-usage';
import { isNamedIssuer, requireMayIssue, requireMaySign, requireUnderstood, verifyLinks } from './verify-links';
import { encodeX5c, MAX_CHAIN_LENGTH } from './x5c';

export interface SigningCertificateOptions {
  /** Leaf first, then its intermediates; a root at the end is left out of `x5c`. */
  readonly certificates: readonly Certificate[];
  readonly privateKey: KeyObject;
  readonly now: Date;
  /** Development only: wallets refuse a self-signed leaf (HAIP 1.0 §5, §6.1.1). */
  readonly allowSelfSigned: boolean;
}

/** The same for a key that is somewhere else, in an HSM or a KMS: its public half is what can be compared. */
export type RemoteSigningCertificateOptions = Omit<SigningCertificateOptions, 'privateKey'> & {
  readonly publicKey: KeyObject;
};

/** A certificate that is fit to sign with: an access certificate or an issuer certificate. */
export interface SigningCertificate {
  readonly leaf: Certificate;
  /** The header parameter: leaf first, without the root (RFC 7515 §4.1.6). */
  readonly x5c: readonly string[];
  /** SHA-256 over the leaf's DER, base64url: `x509_hash:` in front of it makes a client_id (OpenID4VP 1.0 §5.9.3). */
  readonly hash: string;
  /** The time in which every certificate of `x5c` is valid. */
  readonly notBefore: Date;
  readonly notAfter: Date;
}

function requireKeyFits(leaf: Certificate, publicKey: KeyObject): void {
  if (publicKey.type !== 'public' || !isP256(publicKey)) throw configurationFault('signing_key_not_p256');
  if (!publicKey.equals(leaf.publicKey)) throw configurationFault('signing_key_mismatch');
}

/** Throws unless the root at the end of the list certified the last one before it. */
function requireRootFits(root: Certificate, chain: readonly Certificate[]): void {
  const last = chain.at(-1);
  requireUnderstood(root);
  const fits = last && isNamedIssuer(last, root) && isSignedBy(last, root.publicKey);
  if (!fits) throw configurationFault('signing_chain_invalid', 'the root did not issue the certificate before it');
  requireMayIssue(root, chain);
}

function chainWithoutRoot(certificates: readonly Certificate[]): readonly Certificate[] {
  const root = certificates.at(-1);
  if (!root || !isSelfSigned(root)) {
    verifyLinks(certificates);
    return certificates;
  }
  const chain = certificates.slice(0, -1);
  verifyLinks(chain);
  requireRootFits(root, chain);
  return chain;
}

function selfSignedChain(leaf: Certificate, { certificates, allowSelfSigned }: RemoteSigningCertificateOptions) {
  if (!allowSelfSigned) throw configurationFault('signing_certificate_self_signed');
  if (certificates.length > 1) throw configurationFault('signing_chain_invalid', 'a self-signed leaf stands alone');
  requireUnderstood(leaf);
  requireMaySign(leaf);
  return [leaf];
}

function chainOf(leaf: Certificate, options: RemoteSigningCertificateOptions): readonly Certificate[] {
  try {
    const chain = isSelfSigned(leaf) ? selfSignedChain(leaf, options) : chainWithoutRoot(options.certificates);
    if (chain.some(isForeign)) throw x509Failure('extended_key_usage_not_allowed');
    return chain;
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind === 'internal') throw error;
    throw configurationFault('signing_chain_invalid', error.detail, error);
  }
}

/** Throws `signing_certificate_expired` or `signing_certificate_not_yet_valid` unless it may sign at `now`. */
export function requireMaySignAt({ notBefore, notAfter }: SigningCertificate, now: Date): void {
  if (!(now >= notBefore)) throw configurationFault('signing_certificate_not_yet_valid');
  if (!(now <= notAfter)) throw configurationFault('signing_certificate_expired');
}

/**
 * Makes the certificate of a key that is somewhere else ready to sign with, or says what the operator has to change (HAIP
 * 1.0 §5, §6.1.1; RFC 7515 §4.1.6). Throws a fault of `X509_CONFIGURATION_FAULTS`. Ask {@link requireMaySignAt} before each
 * signature.
 */
export function prepareRemoteSigningCertificate(options: RemoteSigningCertificateOptions): SigningCertificate {
  const { certificates, publicKey, now } = options;
  const [leaf] = certificates;
  if (!leaf) throw configurationFault('signing_certificate_missing');
  if (certificates.length > MAX_CHAIN_LENGTH) throw configurationFault('signing_chain_invalid', 'it is too long');
  requireKeyFits(leaf, publicKey);
  const chain = chainOf(leaf, options);
  const signing: SigningCertificate = Object.freeze({
    leaf,
    x5c: encodeX5c(chain),
    hash: certificateHash(leaf),
    notBefore: new Date(Math.max(...chain.map(({ notBefore }) => notBefore.getTime()))),
    notAfter: new Date(Math.min(...chain.map(({ notAfter }) => notAfter.getTime()))),
  });
  requireMaySignAt(signing, now);
  return signing;
}

/** {@link prepareRemoteSigningCertificate} for a private key that is at hand. */
export function prepareSigningCertificate({ privateKey, ...options }: SigningCertificateOptions): SigningCertificate {
  if (privateKey.type !== 'private') throw configurationFault('signing_key_not_p256');
  return prepareRemoteSigningCertificate({ ...options, publicKey: createPublicKey(privateKey) });
}
