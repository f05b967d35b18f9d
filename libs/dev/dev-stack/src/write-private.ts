import { chmodSync, renameSync, writeFileSync } from 'node:fs';

/** Writes a file that is readable for nobody else from the first byte on, and whole or not there at all. */
export function writePrivate(file: string, text: string): void {
  const partial = `${file}.partial`;
  writeFileSync(partial, text, { mode: 0o600 });
  chmodSync(partial, 0o600);
  renameSync(partial, file);
}
