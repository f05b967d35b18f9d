import { generateKeyPairSync, sign, verify } from 'node:crypto';

/** CPU of one ES256 verification, in microseconds, on the reference machine for normalised figures. */
export const REFERENCE_MICROSECONDS = 66.7;

const ROUNDS = 21;
const VERIFICATIONS_PER_ROUND = 100;
/** The approximate length of a signed JWT in these flows; the curve operations take nearly all of the time. */
const SIGNED_BYTES = 512;

/** The median, or the mean of the two middle values; NaN if there are none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Converts milliseconds from a machine with this calibration to the reference machine. */
export function normalise(milliseconds: number, microseconds: number): number {
  return (milliseconds * REFERENCE_MICROSECONDS) / microseconds;
}

/**
 * CPU of one ES256 verification on this machine now, in microseconds: the median of 21 rounds of 100. It is processor
 * time of this process, so waiting for a processor does not count, but load on the same core does. It blocks for about
 * 0.15 s; nothing else may run in this process at the same time.
 */
export function calibrate(): number {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const input = Buffer.alloc(SIGNED_BYTES, 0x2e);
  const signature = sign('sha256', input, { key: privateKey, dsaEncoding: 'ieee-p1363' });
  const round = () => {
    const before = process.cpuUsage();
    for (let count = 0; count < VERIFICATIONS_PER_ROUND; count += 1) {
      if (!verify('sha256', input, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)) {
        throw new Error('calibration: a valid ES256 signature was refused');
      }
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / VERIFICATIONS_PER_ROUND;
  };
  round();
  return median(Array.from({ length: ROUNDS }, round));
}
