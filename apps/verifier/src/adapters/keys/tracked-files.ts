import { readdirSync, readFileSync, statSync } from 'node:fs';

/** How configuration is read from disk. Both throw what the file system says. */
export interface FileReader {
  read(file: string): Buffer;
  /** Names in a folder, sorted. */
  list(folder: string): readonly string[];
}

/** A reader that remembers what it has read. */
export interface TrackedFiles extends FileReader {
  /** True when anything that was read, or looked for in vain, looks different now. */
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

function stampOf(file: string): string {
  const { mtimeMs, size, ino } = statSync(file);
  return `${mtimeMs} ${size} ${ino}`;
}

const namesOf = (folder: string): string[] => readdirSync(folder).sort();

/**
 * Reads from disk and remembers time, size and identity of each file as they were before it was read, so that a change
 * during the reading is seen later. Works by looking, not by notifications, which network file systems do not give.
 */
export function trackFiles(): TrackedFiles {
  const looks = new Map<() => string, string>();
  const remember = (look: () => string) => looks.set(look, lookOf(look));
  return {
    read(file) {
      remember(() => stampOf(file));
      return readFileSync(file);
    },
    list(folder) {
      remember(() => namesOf(folder).join('\n'));
      return namesOf(folder);
    },
    hasChanged: () => [...looks].some(([look, before]) => lookOf(look) !== before),
  };
}
