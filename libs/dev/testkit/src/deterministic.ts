import { createHash } from 'node:crypto';

/** Reproducible bytes for tests: never for keys that leave a test. */
export function seededRandom(seed: string): (size: number) => Uint8Array {
  let counter = 0;
  return (size) => {
    const blocks: Buffer[] = [];
    for (let bytes = 0; bytes < size; bytes += 32) {
      blocks.push(createHash('sha256').update(`${seed}/${counter}`).digest());
      counter += 1;
    }
    return Buffer.concat(blocks).subarray(0, size);
  };
}

/** A clock that stands still until it is moved. */
export function fakeClock(start: string) {
  let now = new Date(start);
  return {
    clock: () => new Date(now),
    advanceSeconds(seconds: number) {
      now = new Date(now.getTime() + seconds * 1000);
    },
  };
}
