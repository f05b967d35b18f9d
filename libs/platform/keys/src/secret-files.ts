import { readConfigurationFile } from '@vestibule/process';
import { descriptionFault } from './failures';

/** The text of a file that a description names, without a line break at its end; throws `key_description_invalid`. */
export function readSecretFile(file: string): string {
  const fail = (reason: string, cause: unknown) => descriptionFault(`names ${file}, which ${reason}`, cause);
  return readConfigurationFile(file, fail)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}
