import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { configurationFault } from '@vestibule/x509-trust';

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = `${file} cannot be read, ${(error as NodeJS.ErrnoException).code}`;
    throw configurationFault('certificate_file_invalid', reason, error);
  }
}

function isAuthority(pem: string, file: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch (error) {
    throw configurationFault('certificate_file_invalid', file, error);
  }
}

/**
 * The certification authorities in a PEM file, each as PEM, in the form in which TLS takes them. Throws a configuration
 * fault that names the file: `certificate_file_invalid` where there is none or one cannot be read, `trust_anchor_invalid`
 * where one is no authority, because TLS would pass over it in silence.
 */
export function readEgressAuthorities(file: string): readonly string[] {
  const pems = readText(file).match(BLOCK) ?? [];
  if (pems.length === 0) throw configurationFault('certificate_file_invalid', file);
  if (!pems.every((pem) => isAuthority(pem, file))) throw configurationFault('trust_anchor_invalid', file);
  return pems;
}
