import { readConfigurationFile } from '@vestibule/process';
import { UsageError } from './command';

/** The file that an option names. Throws a {@link UsageError} that names the option, and never what the file holds. */
export const readOptionFile = (option: string, file: string): Buffer =>
  readConfigurationFile(file, (reason) => new UsageError(`--${option}: ${file} ${reason}`));
