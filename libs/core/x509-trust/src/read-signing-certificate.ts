import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { Certificate } from './certificate';
import { isSelfSigned } from './certificate-algorithms';
import { configurationFault } from './configuration-faults';
import {
  prepareRemoteSigningCertificate,
  prepareSigningCertificate,
  type SigningCertificate,
} from './signing-certificate';
import { parsePemCertificates } from './x5c';

export interface SigningPems {
  /** PEM blocks: the leaf first, then its intermediates, perhaps the root. */
  readonly certificatePem: string;
  /** PEM of the private key, without passphrase. */
  readonly keyPem: string;
  /** Development only: wallets refuse a self-signed leaf (HAIP 1.0 §5, §6.1.1). */
  readonly allowSelfSigned: boolean;
}

/** A certificate to sign with, and its key. */
export interface SigningPair {
  readonly certificate: SigningCertificate;
  readonly key: KeyObject;
}

function parseKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw configurationFault('signing_key_not_p256', 'it is not PEM without a passphrase', error);
  }
}

/** The first instant at which all of them are valid; the root is not part of the chain and does not count. */
function beginOf(certificates: readonly Certificate[]): Date {
  const chain = certificates.filter((certificate, index) => index === 0 || !isSelfSigned(certificate));
  return new Date(Math.max(...chain.map(({ notBefore }) => notBefore.getTime())));
}

/**
 * The signing certificate and key of two PEM texts, whatever the time is: ask `requireMaySignAt` before each signature.
 * Throws a fault of `X509_CONFIGURATION_FAULTS` for texts that are never fit to sign with; the fault holds nothing of
 * the key.
 */
export function readSigningCertificate({ certificatePem, keyPem, allowSelfSigned }: SigningPems): SigningPair {
  const key = parseKey(keyPem);
  const certificates = parsePemCertificates(certificatePem);
  const now = beginOf(certificates);
  return { certificate: prepareSigningCertificate({ certificates, privateKey: key, now, allowSelfSigned }), key };
}

export type RemoteSigningPem = Pick<SigningPems, 'certificatePem' | 'allowSelfSigned'> & {
  /** The public half of the key that is somewhere else. */
  readonly publicKey: KeyObject;
};

/** {@link readSigningCertificate} for a key in an HSM or a KMS. */
export function readRemoteSigningCertificate({ certificatePem, publicKey, allowSelfSigned }: RemoteSigningPem) {
  const certificates = parsePemCertificates(certificatePem);
  return prepareRemoteSigningCertificate({ certificates, publicKey, now: beginOf(certificates), allowSelfSigned });
}
