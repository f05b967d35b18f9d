import { chmodSync, renameSync, writeFileSync } from 'node:fs';

/** Writes a file atomically; only its owner can read it, from the first byte on. */
export function writePrivate(file: string, text: string): void {
  const partial = `${file}.partial`;
  writeFileSync(partial, text, { mode: 0o600 });
  chmodSync(partial, 0o600);
  renameSync(partial, file);
}
