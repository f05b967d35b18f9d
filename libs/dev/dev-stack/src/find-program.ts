import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The full path of a program on `searchPath` (the PATH variable) or in the usual folders for servers. */
export function findProgram(name: string, searchPath = ''): string | undefined {
  const folders = [...searchPath.split(path.delimiter), '/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/usr/bin'];
  return folders
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, name))
    .find(isProgram);
}
