import { X509Certificate, type KeyObject } from 'node:crypto';
import { sha256Base64url } from '@vestibule/crypto';
import { parseExtensions, type CertificateExtensions } from './certificate-extensions';
import {
  DER_TAG,
  readBitString,
  readInside,
  readInteger,
  readOid,
  readOnly,
  readTime,
  requireTag,
  type DerElement,
} from './der';
import { x509Failure } from './failures';

/** Bytes that one certificate may have. */
export const MAX_CERTIFICATE_BYTES = 16_384;

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

const VERSION_TAG = 0xa0;
const EXTENSIONS_TAG = 0xa3;
const UNIQUE_ID_TAGS: readonly (number | undefined)[] = [0x81, 0x82, 0xa1, 0xa2];
const VERSION_3 = Buffer.from([DER_TAG.integer, 1, 2]);

interface Parts {
  readonly serialNumber: Buffer;
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly algorithm: DerElement;
  readonly extensions: Buffer | undefined;
}

/** What may follow the public key: two unique identifiers, which are ignored, and the extensions. */
function extensionsOf(rest: readonly DerElement[], version: DerElement | undefined): Buffer | undefined {
  const named = rest.filter(({ tag }) => !UNIQUE_ID_TAGS.includes(tag));
  const [extensions] = named;
  if (!extensions) return undefined;
  if (named.length > 1 || !version?.content.equals(VERSION_3)) throw x509Failure('certificate_malformed');
  return requireTag(extensions, EXTENSIONS_TAG).content;
}

function partsOf(signed: DerElement): Parts {
  const fields = readInside(signed, DER_TAG.sequence);
  const version = fields[0]?.tag === VERSION_TAG ? fields.shift() : undefined;
  const [serial, algorithm, issuer, validity, subject, publicKey, ...rest] = fields;
  requireTag(publicKey, DER_TAG.sequence);
  const [notBefore, notAfter] = readInside(validity, DER_TAG.sequence);
  const names = { issuer: requireTag(issuer, DER_TAG.sequence), subject: requireTag(subject, DER_TAG.sequence) };
  if (names.issuer.content.length === 0) throw x509Failure('certificate_malformed', 'a certificate names no issuer');
  return {
    serialNumber: readInteger(serial),
    issuer: names.issuer.raw,
    subject: names.subject.raw,
    notBefore: readTime(notBefore),
    notAfter: readTime(notAfter),
    algorithm: requireTag(algorithm, DER_TAG.sequence),
    extensions: extensionsOf(rest, version),
  };
}

/** OpenSSL's reading of the same bytes: a second opinion, and the key. */
function readWithOpenSsl(der: Buffer): { publicKey: KeyObject; subjectText: string } {
  try {
    const certificate = new X509Certificate(der);
    return { publicKey: certificate.publicKey, subjectText: (certificate.subject ?? '').replaceAll('\n', ', ') };
  } catch (error) {
    throw x509Failure('certificate_malformed', undefined, error);
  }
}

/** Parses one DER certificate; throws `certificate_malformed` for everything else, PEM and trailing bytes included. */
export function parseCertificate(bytes: Uint8Array): Certificate {
  if (bytes.byteLength > MAX_CERTIFICATE_BYTES) throw x509Failure('certificate_malformed', 'a certificate is too long');
  const der = Buffer.from(bytes);
  const [signed, algorithm, signature, ...rest] = readInside(readOnly(der), DER_TAG.sequence);
  const { bits, unused } = readBitString(signature);
  if (!signed || !algorithm || rest.length > 0 || unused > 0) throw x509Failure('certificate_malformed');
  const { extensions, algorithm: signedAlgorithm, ...parts } = partsOf(signed);
  if (!algorithm.raw.equals(signedAlgorithm.raw)) {
    throw x509Failure('certificate_malformed', 'a certificate names two signature algorithms');
  }
  return Object.freeze({
    der,
    fingerprint: sha256Base64url(der),
    ...parts,
    ...parseExtensions(extensions),
    ...readWithOpenSsl(der),
    signatureAlgorithm: readOid(readInside(algorithm, DER_TAG.sequence)[0]),
    signature: bits,
    signedBytes: signed.raw,
  });
}

/** The `x509_hash` of a certificate: SHA-256 over its DER, base64url without padding (OpenID4VP 1.0 §5.9.3). */
export function certificateHash(certificate: Certificate): string {
  return certificate.fingerprint;
}

/** AuthorityKeyIdentifier.keyIdentifier of each certificate that has one, base64url (OpenID4VP 1.0 §6.1.1.1). */
export function authorityKeyIdentifiers(chain: readonly Certificate[]): string[] {
  return chain.flatMap(({ authorityKeyIdentifier }) => authorityKeyIdentifier?.toString('base64url') ?? []);
}
