import { readdirSync } from 'node:fs';
import path from 'node:path';

/** Folders with this name appear and vanish while the boundaries test runs. */
export const PLANTED_FOLDER = 'planted-violations';

const SKIPPED = ['node_modules', 'dist', PLANTED_FOLDER];

/** The files below a folder of the repository, as paths from its root, in a fixed order. */
export function filesBelow(root: string, folder: string): string[] {
  const entries = readdirSync(path.join(root, folder), { withFileTypes: true });
  const kept = entries.filter(({ name }) => !SKIPPED.includes(name));
  const files = kept.flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesBelow(root, file);
    return entry.isFile() ? [file] : [];
  });
  return files.sort();
}
