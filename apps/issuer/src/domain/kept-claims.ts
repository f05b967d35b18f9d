import { SETTLED_MILLISECONDS } from './older-replicas';

/** By which time offers were issued whose claims are kept no longer, though their own time goes on. */
export type UnkeptBy = (now: Date) => Date | undefined;

/**
 * Where claims are not kept, those that were kept before go, and with them those that replicas with the former setting keep
 * until they are replaced, within {@link SETTLED_MILLISECONDS} of this start. The same time has to pass again first: while the
 * setting is switched on, replicas that do not have it yet must delete nothing that their successors keep.
 * `stopwatch` returns milliseconds, and is not set back.
 */
export function createUnkeptBy(keepsClaims: boolean, stopwatch: () => number): UnkeptBy {
  const startedAt = stopwatch();
  return (now) => {
    const elapsed = stopwatch() - startedAt;
    if (keepsClaims || elapsed < 2 * SETTLED_MILLISECONDS) return undefined;
    return new Date(now.getTime() - elapsed + SETTLED_MILLISECONDS);
  };
}
