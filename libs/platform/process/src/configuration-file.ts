import { closeSync, openSync, readSync } from 'node:fs';

/** The maximum size of a configuration file: lists of contexts or of certificates are far smaller. */
export const MAX_CONFIGURATION_FILE_BYTES = 16_777_216;

const CHUNK_BYTES = 65_536;
const TOO_LARGE = 'EFBIG';
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

class FileTooLarge extends Error {
  readonly code = TOO_LARGE;
}

/**
 * The bytes of a file; throws the file system's error, and `EFBIG` for one beyond {@link MAX_CONFIGURATION_FILE_BYTES},
 * of which no more is read.
 */
export function readBoundedFile(file: string): Buffer {
  const handle = openSync(file, 'r');
  try {
    const chunks: Buffer[] = [];
    for (let total = 0; total <= MAX_CONFIGURATION_FILE_BYTES;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const length = readSync(handle, chunk);
      if (length === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, length));
      total += length;
    }
    throw new FileTooLarge();
  } finally {
    closeSync(handle);
  }
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === TOO_LARGE) return `has more than ${MAX_CONFIGURATION_FILE_BYTES} bytes`;
  return `cannot be read (${code ?? 'unknown'})`;
}

/**
 * Reads a JSON or PEM file of the operator, at most {@link MAX_CONFIGURATION_FILE_BYTES}, without the byte order mark
 * that some editors add. Throws the result of `fail` for the reason: `cannot be read (ENOENT)`.
 */
export function readConfigurationFile(
  file: string,
  fail: (reason: string, cause: unknown) => Error,
  read: (file: string) => Buffer = readBoundedFile,
): Buffer {
  let bytes: Buffer;
  try {
    bytes = read(file);
  } catch (error) {
    throw fail(reasonOf(error), error);
  }
  const isMarked = bytes.subarray(0, BYTE_ORDER_MARK.byteLength).equals(BYTE_ORDER_MARK);
  return isMarked ? bytes.subarray(BYTE_ORDER_MARK.byteLength) : bytes;
}
