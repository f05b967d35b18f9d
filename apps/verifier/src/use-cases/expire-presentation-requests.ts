import type { PresentedCredentialsEvent } from '@vestibule/contracts';
import type { Clock } from '@vestibule/foundation';
import { expiredEvent } from '../domain/presented-credentials-event';

export interface ExpirePresentationRequestsDeps {
  readonly clock: Clock;
  readonly findOverdue: (now: Date, limit: number) => Promise<readonly string[]>;
  /** Ends those that are still open, with their events, in one statement; returns how many there were. */
  readonly expire: (
    endings: readonly { state: string; event: PresentedCredentialsEvent }[],
    now: Date,
  ) => Promise<number>;
  /** Deletes what ended so long ago that nobody asks for it any more; returns how many there were. */
  readonly purge: (now: Date, limit: number) => Promise<number>;
}

const BATCH = 1_000;

async function untilEmpty(step: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await step();
    total += count;
    if (count < BATCH) return total;
  }
}

/**
 * Ends the requests that nobody answered in time, each with one EXPIRED event whatever the number of replicas, and
 * deletes the remains of those that ended long ago.
 */
export const expirePresentationRequests =
  (deps: ExpirePresentationRequestsDeps) =>
  async (): Promise<{ readonly expired: number; readonly purged: number }> => {
    const now = deps.clock();
    let expired = 0;
    await untilEmpty(async () => {
      const states = await deps.findOverdue(now, BATCH);
      if (states.length > 0)
        expired += await deps.expire(
          states.map((state) => ({ state, event: expiredEvent(state) })),
          now,
        );
      return states.length;
    });
    const purged = await untilEmpty(() => deps.purge(now, BATCH));
    return { expired, purged };
  };
