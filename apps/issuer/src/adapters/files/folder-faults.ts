import { DomainError, type Fault } from '@vestibule/foundation';
import { readConfigurationFile } from '@vestibule/process';

/** A failure for faults of configuration files, each with its file, the path in it and the reason. */
export function invalid(faults: readonly Fault[]): DomainError {
  const list = faults.map(({ path: place, message }) => `${place} ${message}`).join('; ');
  return new DomainError({ kind: 'internal', code: 'type_metadata_invalid', detail: list, faults });
}

/** The faults, with the file and a place in it before each path. */
export const inFile = (file: string, faults: readonly Fault[], below = ''): Fault[] =>
  faults.map(({ path: place, message }) => {
    const separator = below === '' || place === '' || place.startsWith('[') ? '' : '.';
    const inside = `${below}${separator}${place}`;
    return { path: inside === '' ? file : `${file}: ${inside}`, message };
  });

/** The result of `read`; if that throws, `otherwise`, and the error is noted as in {@link invalid}. */
export function noting<Result>(noted: Fault[], otherwise: Result, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'type_metadata_invalid') throw error;
    noted.push(...error.faults);
    return otherwise;
  }
}

/** The bytes of a file. Throws `type_metadata_invalid`. */
export const readBytes = (file: string): Uint8Array =>
  readConfigurationFile(file, (message) => invalid([{ path: file, message }]));
