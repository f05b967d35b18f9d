import { readConfigurationFile } from '@vestibule/process';
import { configurationFault, parseTlsAuthorities } from '@vestibule/x509-trust';

/**
 * The certification authorities in a PEM file, as one PEM string each. Throws a configuration fault that names the file.
 */
export function readEgressAuthorities(file: string): readonly string[] {
  const fail = (reason: string, cause: unknown) =>
    configurationFault('certificate_file_invalid', `${file} ${reason}`, cause);
  return parseTlsAuthorities(readConfigurationFile(file, fail).toString('utf8'), file);
}
