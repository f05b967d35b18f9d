import { readConfigurationFile } from '@vestibule/process';
import { configurationFault, encodePem, parsePemCertificates, type Certificate } from '@vestibule/x509-trust';

function readText(file: string): string {
  return readConfigurationFile(file, (reason, cause) =>
    configurationFault('certificate_file_invalid', `${file} ${reason}`, cause),
  ).toString('utf8');
}

function readCertificates(file: string): readonly Certificate[] {
  const text = readText(file);
  try {
    return parsePemCertificates(text);
  } catch (error) {
    throw configurationFault('certificate_file_invalid', file, error);
  }
}

/**
 * The certification authorities in a PEM file, as one PEM string each, the form that TLS expects. Throws a
 * configuration fault that names the file: `certificate_file_invalid` if it contains no certificate or an unreadable
 * one, `trust_anchor_invalid` if a certificate is not a CA, because TLS would silently ignore it.
 */
export function readEgressAuthorities(file: string): readonly string[] {
  const certificates = readCertificates(file);
  if (!certificates.every(({ isCa }) => isCa)) throw configurationFault('trust_anchor_invalid', file);
  return certificates.map(encodePem);
}
