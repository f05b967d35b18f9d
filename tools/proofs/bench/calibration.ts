import { generateKeyPairSync, sign, verify } from 'node:crypto';

/** CPU of one ES256 verification, in microseconds, on the machine that normalised figures refer to. */
export const REFERENCE_MICROSECONDS = 66.7;

const ROUNDS = 21;
const VERIFICATIONS_PER_ROUND = 100;
/** About the length of a signed JWT of these flows; the curve takes nearly all of the time. */
const SIGNED_BYTES = 512;

/** The value in the middle, or the mean of the two in the middle; NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Milliseconds as the reference machine would need them, from those of a machine with this calibration. */
export function normalise(milliseconds: number, microseconds: number): number {
  return (milliseconds * REFERENCE_MICROSECONDS) / microseconds;
}

/**
 * CPU of one ES256 verification on this machine now, in microseconds: the median of 21 rounds of 100. It is processor
 * time of this process, so waiting for a processor does not count, but a neighbour on the same core does. It blocks for
 * about 0.15 s; nothing else may run in this process meanwhile.
 */
export function calibrate(): number {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const input = Buffer.alloc(SIGNED_BYTES, 0x2e);
  const signature = sign('sha256', input, { key: privateKey, dsaEncoding: 'ieee-p1363' });
  const round = () => {
    const before = process.cpuUsage();
    for (let count = 0; count < VERIFICATIONS_PER_ROUND; count += 1) {
      if (!verify('sha256', input, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)) {
        throw new Error('calibration: a right ES256 signature was refused');
      }
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / VERIFICATIONS_PER_ROUND;
  };
  round();
  return median(Array.from({ length: ROUNDS }, round));
}
