import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { lockFolder } from './folder-lock';
import { RUNNING_FILE } from './running-stack';

/** What a stack makes in its data folder. */
const OWN = ['config', 'postgres', RUNNING_FILE, 'stack.log', 'stack.log.previous'];

/**
 * Deletes what a stack has made in a data folder, and the folder if nothing else is in it. Returns what was deleted; nothing
 * if no stack was ever there.
 * @throws StackFailure `data_folder_in_use`
 */
export function removeData(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const lock = lockFolder(folder);
  try {
    const found = OWN.map((name) => path.join(folder, name)).filter((file) => existsSync(file));
    for (const file of found) rmSync(file, { recursive: true });
    return found;
  } finally {
    lock.release();
    if (readdirSync(folder).length === 0) rmdirSync(folder);
  }
}
