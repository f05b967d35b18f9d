import type { Certificate } from './certificate';
import { configurationFault } from './configuration-faults';
import { encodePem, parsePemCertificates } from './x5c';

function parseCertificates(text: string, file: string): readonly Certificate[] {
  try {
    return parsePemCertificates(text);
  } catch (error) {
    throw configurationFault('certificate_file_invalid', file, error);
  }
}

/**
 * The certification authorities in the text of a PEM file, as one PEM string each, the form that TLS expects. Throws a
 * configuration fault that names the file: `certificate_file_invalid` if it contains no certificate or an unreadable
 * one, `trust_anchor_invalid` if a certificate is not a CA, because TLS would silently ignore it.
 */
export function parseTlsAuthorities(text: string, file: string): readonly string[] {
  const certificates = parseCertificates(text, file);
  if (!certificates.every(({ isCa }) => isCa)) throw configurationFault('trust_anchor_invalid', file);
  return certificates.map(encodePem);
}
