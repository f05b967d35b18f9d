import { readdirSync } from 'node:fs';
import { sha256Base64url } from '@vestibule/crypto';
import { readBoundedFile } from '@vestibule/process';

/** How configuration is read from disk. Both functions throw the errors of the file system. */
export interface FileReader {
  read(file: string): Buffer;
  /** Names in a folder, sorted. */
  list(folder: string): readonly string[];
}

/** A reader that remembers what it has read. */
export interface TrackedFiles extends FileReader {
  /** True if anything that was read, or not found, has changed. */
  hasChanged(): boolean;
}

/** What the disk returned: the text, or the code of the error. */
function lookOf(look: () => string): string {
  try {
    return look();
  } catch (error) {
    return `error ${(error as NodeJS.ErrnoException).code}`;
  }
}

const namesOf = (folder: string): string[] => readdirSync(folder).sort();

/**
 * Reads from disk and remembers the hash of each file from before it was read, so that a change during the reading is
 * detected later. It detects changes by reading again, because the files are small: timestamps are too coarse to
 * distinguish two changes in quick succession, and network file systems send no notifications.
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
