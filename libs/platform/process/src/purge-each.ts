import { eachFailure, SeveralFailures } from './timer';

/** Is there still time, or does the process end? */
export type GoesOn = () => boolean;
/** Deletes what is no longer needed of one kind, as long as there is time; returns how much it was. */
export type Purge = (goesOn?: GoesOn) => Promise<number>;

const BATCH = 1_000;
/** So that what is purged after it has its turn soon. */
const MOST_BATCHES = 10;
const always: GoesOn = () => true;

/** A purge that deletes in batches, one at a time, as long as they are full, and at most ten. */
export function inBatches(purge: (limit: number) => Promise<number>): Purge {
  return async (goesOn = always) => {
    let purged = 0;
    for (let batch = 1; batch <= MOST_BATCHES && purged >= (batch - 1) * BATCH && goesOn(); batch += 1)
      purged += await purge(BATCH);
    return purged;
  };
}

/**
 * Runs all of them, one at a time, as long as there is time: one that fails keeps no other from its work. Returns the sum, or
 * throws when all have run: the error, or {@link SeveralFailures}, so that each of them is logged.
 */
export async function purgeEach(purges: readonly Purge[], goesOn = always): Promise<number> {
  const errors: unknown[] = [];
  let purged = 0;
  for (const purge of purges) {
    if (!goesOn()) break;
    try {
      purged += await purge(goesOn);
    } catch (error) {
      errors.push(...eachFailure(error));
    }
  }
  if (errors.length > 1) throw new SeveralFailures(errors);
  if (errors.length === 1) throw errors[0];
  return purged;
}
