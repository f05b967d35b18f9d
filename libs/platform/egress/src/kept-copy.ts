import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The last good copy of a document, for the next start. A caller that loads it must verify it again. */
export interface KeptCopy {
  /** Undefined if there is none, or if it is larger than allowed. Throws the errors of the file system. */
  load(): Buffer | undefined;
  /** Replaces the copy in one step: after a crash there is the old one or the new one. */
  keep(bytes: Uint8Array): void;
}

const MAX_NAME_LENGTH = 80;

/** A copy in a folder, which is created if needed; its file is named after `name` and the hash of `key`. */
export function createKeptCopy(folder: string, name: string, key: string, maxBytes: number): KeptCopy {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 16);
  const file = path.join(folder, `${name.replace(/[^A-Za-z0-9-]/g, '_').slice(0, MAX_NAME_LENGTH)}-${hash}.jws`);
  return {
    load() {
      const size = statSync(file, { throwIfNoEntry: false })?.size;
      return size === undefined || size > maxBytes ? undefined : readFileSync(file);
    },
    keep(bytes) {
      mkdirSync(folder, { recursive: true });
      const draft = `${file}.${process.pid}.tmp`;
      const handle = openSync(draft, 'w', 0o600);
      try {
        // Not writeSync, which may stop early without an error where the disk is full.
        writeFileSync(handle, bytes);
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
      renameSync(draft, file);
    },
  };
}
