import { readdirSync } from 'node:fs';
import { sha256Base64url } from '@vestibule/crypto';
import { readBoundedFile } from '@vestibule/process';

/** How configuration is read from disk. Both throw what the file system says. */
export interface FileReader {
  read(file: string): Buffer;
  /** Names in a folder, sorted. */
  list(folder: string): readonly string[];
}

/** A reader that remembers what it has read. */
export interface TrackedFiles extends FileReader {
  /** True when anything that was read, or looked for in vain, is different now. */
  hasChanged(): boolean;
}

/** What a look at the disk gave: its text, or the code of the error. */
function lookOf(look: () => string): string {
  try {
    return look();
  } catch (error) {
    return `error ${(error as NodeJS.ErrnoException).code}`;
  }
}

const namesOf = (folder: string): string[] => readdirSync(folder).sort();

/**
 * Reads from disk and remembers the hash of each file as it was before it was read, so that a change during the reading is
 * seen later. Works by reading again, for the files are small: times are too coarse to tell two changes in a row apart, and
 * notifications do not come over network file systems.
 */
export function trackFiles(): TrackedFiles {
  const looks = new Map<() => string, string>();
  const remember = (look: () => string) => looks.set(look, lookOf(look));
  return {
    read(file) {
      remember(() => sha256Base64url(readBoundedFile(file)));
      return readBoundedFile(file);
    },
    list(folder) {
      remember(() => namesOf(folder).join('\n'));
      return namesOf(folder);
    },
    hasChanged: () => [...looks].some(([look, before]) => lookOf(look) !== before),
  };
}
