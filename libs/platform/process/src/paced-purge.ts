/** A sweep a second, and five seconds until a purge that found nothing looks again. */
const SKIPPED_CALLS = 4;
/** For what is kept for an hour or longer: a minute until it looks again. */
export const LONG_PAUSE = 59;
const LONG_SECONDS = 3_600;

/** The pause for what is kept for so long: what is kept for a minute must not stay twice as long. */
export const pauseFor = (keptSeconds: number): number => (keptSeconds >= LONG_SECONDS ? LONG_PAUSE : SKIPPED_CALLS);

/**
 * Spares an idle process the statements of a purge: after a call that deleted nothing, the next calls do nothing and
 * return 0: four, unless `skippedCalls` says otherwise. A purge that deleted something, or failed, is called again
 * immediately. For what is kept for minutes or longer; the caller sweeps once a second.
 */
export function pacedPurge<Input extends readonly unknown[]>(
  purge: (...input: Input) => Promise<number>,
  skippedCalls = SKIPPED_CALLS,
): (...input: Input) => Promise<number> {
  let skips = 0;
  return async (...input) => {
    if (skips > 0) {
      skips -= 1;
      return 0;
    }
    const purged = await purge(...input);
    if (purged === 0) skips = skippedCalls;
    return purged;
  };
}
