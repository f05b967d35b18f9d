/** Randomness as an argument: `size` bytes from a cryptographically secure source. */
export type RandomBytes = (size: number) => Uint8Array;

/** Time as an argument. A use case reads it once. */
export type Clock = () => Date;

/** Seconds since the epoch, rounded down: a NumericDate (RFC 7519 §2). */
export function toNumericDate(instant: Date): number {
  return Math.floor(instant.getTime() / 1000);
}
