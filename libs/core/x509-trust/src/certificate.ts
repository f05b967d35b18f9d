import type { KeyObject } from 'node:crypto';
import { Certificate as ParsedCertificate, Version, type TBSCertificate } from '@peculiar/asn1-x509';
import { sha256Base64url } from '@vestibule/crypto';
import { encodeDer, parseDer, readTime } from './asn1';
import { requireKnownParameters } from './certificate-algorithms';
import { parseExtensions, type CertificateExtensions } from './certificate-extensions';
import { x509Failure } from './failures';
import { importPublicKey } from './public-key';
import { requireDerName, subjectText } from './subject-text';

/** Bytes that one certificate may have. */
export const MAX_CERTIFICATE_BYTES = 16_384;
/** Values that it may have outside of its extensions' own: five times what a certificate with long names has. */
const MAX_CERTIFICATE_VALUES = 400;

/** A parsed X.509 certificate (RFC 5280 §4.1): nothing in it is verified yet. */
export interface Certificate extends CertificateExtensions {
  /** The received bytes. */
  readonly der: Buffer;
  /** SHA-256 over `der`, base64url: equal for the same certificate and for no other. */
  readonly fingerprint: string;
  /** The number that its issuer gave it: the octets of the DER INTEGER, with the sign (RFC 5280 §4.1.2.2). */
  readonly serialNumber: Buffer;
  readonly publicKey: KeyObject;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Distinguished names as DER; they are equal when their bytes are. */
  readonly issuer: Buffer;
  readonly subject: Buffer;
  /** The subject for people: `CN=…, O=…`. */
  readonly subjectText: string;
  /** Object identifier of the algorithm that signed the certificate. */
  readonly signatureAlgorithm: string;
  readonly signature: Buffer;
  /** The received bytes that the signature covers. */
  readonly signedBytes: Buffer;
}

/** Unique identifiers came with version 2, extensions with version 3, at least one of them (RFC 5280 §4.1.2.8, §4.1.2.9). */
function requireVersionFits({ version, issuerUniqueID, subjectUniqueID, extensions }: TBSCertificate): void {
  const hasUniqueIdentifier = issuerUniqueID !== undefined || subjectUniqueID !== undefined;
  const fits = !(hasUniqueIdentifier && version === Version.v1) && !(extensions && version !== Version.v3);
  if (!fits || extensions?.length === 0) {
    throw x509Failure('certificate_malformed', 'a certificate has fields that its version does not define');
  }
}

/** Names, times and extensions of the signed part. Unique identifiers are ignored. */
function readSigned(tbs: TBSCertificate) {
  const { issuer, subject, validity, extensions } = tbs;
  requireVersionFits(tbs);
  if (issuer.length === 0) throw x509Failure('certificate_malformed', 'a certificate names no issuer');
  requireDerName(issuer);
  requireDerName(subject);
  return {
    serialNumber: Buffer.from(tbs.serialNumber),
    issuer: encodeDer(issuer),
    subject: encodeDer(subject),
    subjectText: subjectText(subject),
    notBefore: readTime(validity.notBefore),
    notAfter: readTime(validity.notAfter),
    ...parseExtensions(extensions && [...extensions]),
  };
}

/**
 * Parses one DER certificate; throws `certificate_malformed` for everything else, including PEM and trailing bytes, and
 * `certificate_algorithm_not_allowed` for a key that is neither RSA nor EC on P-256, P-384 or P-521, or is larger than
 * any of them.
 */
export function parseCertificate(bytes: Uint8Array): Certificate {
  if (bytes.byteLength > MAX_CERTIFICATE_BYTES) throw x509Failure('certificate_malformed', 'a certificate is too long');
  const der = Buffer.from(bytes);
  const parsed = parseDer(der, ParsedCertificate, MAX_CERTIFICATE_VALUES);
  const { tbsCertificate, tbsCertificateRaw, signatureAlgorithm, signatureValue } = parsed;
  if (!signatureAlgorithm.isEqual(tbsCertificate.signature)) {
    throw x509Failure('certificate_malformed', 'a certificate names two signature algorithms');
  }
  requireKnownParameters(signatureAlgorithm);
  return Object.freeze({
    der,
    fingerprint: sha256Base64url(der),
    ...readSigned(tbsCertificate),
    publicKey: importPublicKey(tbsCertificate.subjectPublicKeyInfo),
    signatureAlgorithm: signatureAlgorithm.algorithm,
    signature: Buffer.from(signatureValue),
    signedBytes: tbsCertificateRaw ? Buffer.from(tbsCertificateRaw) : encodeDer(tbsCertificate),
  });
}

/** The `x509_hash` of a certificate: SHA-256 over its DER, base64url without padding (OpenID4VP 1.0 §5.9.3). */
export function certificateHash(certificate: Certificate): string {
  return certificate.fingerprint;
}
