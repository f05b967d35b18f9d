import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Folders with this name appear and vanish while the boundaries test runs. */
export const PLANTED_FOLDER = 'planted-violations';

const SKIPPED = ['node_modules', 'dist', PLANTED_FOLDER];

/** A package with a lock file of its own has its own compiler and rules; it is no project of this build. */
const isOwnPackage = (folder: string) => existsSync(path.join(folder, 'package-lock.json'));

/**
 * The files below a folder of the repository, as paths from its root, in a fixed order; without those of packages with
 * a lock file of their own.
 */
export function filesBelow(root: string, folder: string): string[] {
  const entries = readdirSync(path.join(root, folder), { withFileTypes: true });
  const kept = entries.filter(({ name }) => !SKIPPED.includes(name));
  const files = kept.flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return isOwnPackage(path.join(root, file)) ? [] : filesBelow(root, file);
    return entry.isFile() ? [file] : [];
  });
  return files.sort();
}
