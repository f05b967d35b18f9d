import { verify, type KeyObject } from 'node:crypto';
import type { AlgorithmIdentifier } from '@peculiar/asn1-x509';
import { x509Failure } from './failures';

interface SignatureAlgorithm {
  readonly keyType: 'ec' | 'rsa';
  readonly hash: 'sha256' | 'sha384' | 'sha512';
}

/** ECDSA (RFC 5758 §3.2) and RSASSA-PKCS1-v1_5 (RFC 4055 §5) with SHA-2; no SHA-1, no MD5, nothing else. */
const SIGNATURE_ALGORITHMS = new Map<string, SignatureAlgorithm>([
  ['1.2.840.10045.4.3.2', { keyType: 'ec', hash: 'sha256' }],
  ['1.2.840.10045.4.3.3', { keyType: 'ec', hash: 'sha384' }],
  ['1.2.840.10045.4.3.4', { keyType: 'ec', hash: 'sha512' }],
  ['1.2.840.113549.1.1.11', { keyType: 'rsa', hash: 'sha256' }],
  ['1.2.840.113549.1.1.12', { keyType: 'rsa', hash: 'sha384' }],
  ['1.2.840.113549.1.1.13', { keyType: 'rsa', hash: 'sha512' }],
]);

/**
 * Throws `certificate_malformed` for an allowed algorithm with parameters: ECDSA has none (RFC 5758 §3.2), RSASSA-PKCS1-v1_5
 * has NULL or none (RFC 4055 §5).
 */
export function requireKnownParameters({ algorithm, parameters }: AlgorithmIdentifier): void {
  const allowed = SIGNATURE_ALGORITHMS.get(algorithm);
  const isAbsent = parameters === undefined || (parameters === null && allowed?.keyType === 'rsa');
  if (allowed && !isAbsent) throw x509Failure('certificate_malformed', 'a signature algorithm has unknown parameters');
}

/** What an authority signs: a certificate or a revocation list. */
export interface Signed {
  /** The OID, dotted. */
  readonly signatureAlgorithm: string;
  readonly signature: Buffer;
  readonly signedBytes: Buffer;
}

/** A certificate as far as its algorithms go. */
type SignedKey = Signed & { readonly publicKey: KeyObject };

const CURVES = ['prime256v1', 'secp384r1', 'secp521r1'];
const RSA_BITS = { least: 2048, most: 8192 };
const MAX_RSA_EXPONENT = 2n ** 32n;

/** With an exponent of 1 everybody could sign; an even one is none. */
const isAllowedExponent = (exponent: bigint): boolean =>
  exponent > 1n && exponent % 2n === 1n && exponent <= MAX_RSA_EXPONENT;

function isAllowedKey(key: KeyObject): boolean {
  const { namedCurve = '', modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'ec') return CURVES.includes(namedCurve);
  if (key.asymmetricKeyType !== 'rsa' || !isAllowedExponent(publicExponent)) return false;
  return modulusLength >= RSA_BITS.least && modulusLength <= RSA_BITS.most;
}

/**
 * Throws `certificate_algorithm_not_allowed` unless the certificate is signed with SHA-256 or better and its key is EC
 * on a NIST curve from P-256 or RSA from 2048 bit.
 */
export function requireAllowedAlgorithms(certificate: SignedKey): void {
  if (!SIGNATURE_ALGORITHMS.has(certificate.signatureAlgorithm) || !isAllowedKey(certificate.publicKey)) {
    throw x509Failure('certificate_algorithm_not_allowed');
  }
}

/** True when `key` made the signature, with an allowed algorithm. */
export function isSignedBy({ signatureAlgorithm, signedBytes, signature }: Signed, key: KeyObject): boolean {
  const algorithm = SIGNATURE_ALGORITHMS.get(signatureAlgorithm);
  if (!algorithm || algorithm.keyType !== key.asymmetricKeyType || !isAllowedKey(key)) return false;
  try {
    return verify(algorithm.hash, signedBytes, key, signature);
  } catch {
    return false; // OpenSSL throws for some keys that no honest generator makes: nothing is signed by them
  }
}

/** True when the certificate's own key made its signature, whatever names it bears. */
export function isSelfSigned(certificate: SignedKey): boolean {
  return isSignedBy(certificate, certificate.publicKey);
}
