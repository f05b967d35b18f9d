import { randomBytes as secureBytes } from 'node:crypto';
import type { RandomBytes } from '@vestibule/foundation';

const POOL_BYTES = 4_096;
/** Longer draws bypass the pool. */
const LARGEST_BYTES = 256;

/**
 * Random bytes from a pool that is filled from `source` in one call, because drawing 16 bytes costs nearly as much as
 * drawing 4 KiB. No byte is returned twice, and none stays in the pool after it was returned.
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

/** Cryptographically secure random bytes, from the single pool of the process. */
export const randomBytes: RandomBytes = createRandomPool(secureBytes);
