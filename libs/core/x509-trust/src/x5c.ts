import { decodeBase64, DomainError, encodeBase64 } from '@vestibule/foundation';
import { MAX_CERTIFICATE_BYTES, parseCertificate, type Certificate } from './certificate';
import { configurationFault } from './configuration-faults';
import { x509Failure } from './failures';

/**
 * The maximum number of certificates in an x5c: a leaf, two intermediates and, if sent, a root. Parsing and verifying
 * each takes time.
 */
export const MAX_CHAIN_LENGTH = 4;

const MAX_ENCODED_LENGTH = Math.ceil(MAX_CERTIFICATE_BYTES / 3) * 4;

/** True for what may be x5c by shape and size, before any decoding. */
export function isX5cShape(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_CHAIN_LENGTH &&
    value.every((item) => typeof item === 'string' && item.length <= MAX_ENCODED_LENGTH)
  );
}

/**
 * The certificates of an `x5c` header: a non-empty array of padded standard base64 of DER (RFC 7515 §4.1.6).
 * Throws `x5c_malformed` for another shape or spelling (base64url, PEM), `certificate_malformed` for bad DER.
 */
export function parseX5c(value: unknown): readonly Certificate[] {
  if (!isX5cShape(value)) throw x509Failure('x5c_malformed');
  return value.map((item) => {
    const der = item === '' ? undefined : decodeBase64(item);
    if (!der) throw x509Failure('x5c_malformed');
    return parseCertificate(der);
  });
}

/** The `x5c` header of a chain: padded standard base64 of each DER, in the given order (RFC 7515 §4.1.6). */
export function encodeX5c(chain: readonly Certificate[]): string[] {
  return chain.map(({ der }) => encodeBase64(der));
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]*)-----END CERTIFICATE-----/g;

/**
 * The certificates of a configured PEM file, in its order; text and other blocks between them are ignored (RFC 7468 §5).
 * Throws `certificate_file_invalid` when there is none or one cannot be read.
 */
export function parsePemCertificates(pem: string): readonly Certificate[] {
  const blocks = [...pem.matchAll(PEM_CERTIFICATE)];
  const begun = pem.split('-----BEGIN CERTIFICATE-----').length - 1;
  if (blocks.length === 0 || blocks.length !== begun) throw configurationFault('certificate_file_invalid');
  return blocks.map(([, body = '']) => {
    const der = decodeBase64(body.replace(/\s+/g, ''));
    if (!der) throw configurationFault('certificate_file_invalid');
    return parseConfigured(der);
  });
}

/** DER as PEM under a label, with nothing around it (RFC 7468 §3). */
export function pemText(label: string, der: Uint8Array): string {
  const lines = encodeBase64(der).match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

/** A certificate as PEM, with nothing around it (RFC 7468 §5). */
export const encodePem = ({ der }: Pick<Certificate, 'der'>): string => pemText('CERTIFICATE', der);

/**
 * The certificates of a configured file: one DER certificate, or PEM as {@link parsePemCertificates} reads it. A file that
 * begins as DER is never searched for PEM: a name in a certificate may look like it.
 */
export function parseCertificateFile(bytes: Uint8Array): readonly Certificate[] {
  const [tag, length = 0] = bytes;
  const isDer = tag === 0x30 && length >= 0x80;
  return isDer ? [parseConfigured(bytes)] : parsePemCertificates(Buffer.from(bytes).toString('utf8'));
}

function parseConfigured(der: Uint8Array): Certificate {
  try {
    return parseCertificate(der);
  } catch (error) {
    const reason = error instanceof DomainError ? error.detail : undefined;
    throw configurationFault('certificate_file_invalid', reason, error);
  }
}
