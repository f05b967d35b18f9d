import { randomBytes as secureBytes } from 'node:crypto';
import type { RandomBytes } from '@vestibule/foundation';

const POOL_BYTES = 4_096;
/** What is longer is drawn by itself. */
const LARGEST_BYTES = 256;

/**
 * Random bytes out of a pool that is drawn from `source` at once: a draw of 16 bytes costs nearly as much as one of 4 KiB. No byte
 * is given twice, and none stays in the pool once it was given.
 */
export function createRandomPool(source: RandomBytes): RandomBytes {
  let pool = new Uint8Array(0);
  let used = 0;
  return (size) => {
    if (!Number.isInteger(size) || size < 1 || size > LARGEST_BYTES) return source(size);
    if (used + size > pool.byteLength) {
      pool = new Uint8Array(source(POOL_BYTES));
      used = 0;
    }
    const end = used + size;
    const drawn = Buffer.from(pool.subarray(used, end));
    pool.fill(0, used, end);
    used = end;
    return drawn;
  };
}

/** Cryptographically secure random bytes, from the one pool of the process. */
export const randomBytes: RandomBytes = createRandomPool(secureBytes);
