import { createPrivateKey, type KeyObject } from 'node:crypto';
import { isKeyDescription, localSigner, type Signer } from '@vestibule/crypto';
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

/** A configured key: PEM in this process, or something that signs for the owner of a certificate. */
export type OpenedKey = { readonly keyPem: string } | { readonly signerOf: (publicKey: KeyObject) => Signer };

/** Opens the key of a key description; does not ask a device yet. Throws a configuration fault. */
export type OpenKey = (description: string) => OpenedKey;

export interface SigningTexts extends Omit<SigningPems, 'keyPem'> {
  /** PEM of the private key, without passphrase, or the description of a key in a device. */
  readonly key: string;
}

/** A certificate to sign with, and what signs for it. */
export interface CertifiedSigner {
  readonly certificate: SigningCertificate;
  readonly signer: Signer;
}

/**
 * {@link readSigningCertificate} for a key that is PEM or in a device, whose signatures the certificate has to verify.
 * Throws a fault of `X509_CONFIGURATION_FAULTS`, and what `openKey` throws. Ask the signer for its `check` before the first use.
 */
export function readCertifiedSigner({ key: text, ...pems }: SigningTexts, openKey: OpenKey): CertifiedSigner {
  const opened = isKeyDescription(text) ? openKey(text) : { keyPem: text };
  if ('keyPem' in opened) {
    const { certificate, key } = readSigningCertificate({ ...pems, keyPem: opened.keyPem });
    return { certificate, signer: localSigner(key) };
  }
  const certificates = parsePemCertificates(pems.certificatePem);
  const [leaf] = certificates;
  if (!leaf) throw configurationFault('signing_certificate_missing');
  const { publicKey } = leaf;
  const { allowSelfSigned } = pems;
  const now = beginOf(certificates);
  const certificate = prepareRemoteSigningCertificate({ certificates, publicKey, now, allowSelfSigned });
  return { certificate, signer: opened.signerOf(publicKey) };
}
