import type { Clock } from '@vestibule/foundation';
import type { PresentationRequests } from '../domain/ports';
import { expiredEvent, unservedEvent } from '../domain/presented-credentials-event';

export interface ExpirePresentationRequestsDeps {
  readonly clock: Clock;
  /** The time that has come by the clocks of this process and of the database: what ends here cannot be brought back. */
  readonly agreedTime: () => Promise<Date>;
  readonly findOverdue: PresentationRequests['findOverdue'];
  readonly expire: PresentationRequests['expire'];
  /** Leaves the process and the database to wallets for a moment, between two batches. */
  readonly rest: () => Promise<void>;
}

/** Small, and followed by a rest, because events are sealed in this process, which must go on answering wallets. */
const EXPIRY_BATCH = 100;

/** The agreed time is never later than that of this process: what is not over by this one need not be asked about. */
const mayBeOverdue = async (deps: ExpirePresentationRequestsDeps): Promise<boolean> =>
  (await deps.findOverdue(deps.clock(), 1)).length > 0;

/** Handles one batch; false if there is no more to do, or another replica is doing it. */
async function expireBatch(deps: ExpirePresentationRequestsDeps, now: Date, count: (ended: number) => void) {
  const overdue = await deps.findOverdue(now, EXPIRY_BATCH);
  if (overdue.length === 0) return false;
  const endings = overdue.map(({ state, wasUnserved }) => ({
    state,
    event: wasUnserved ? unservedEvent(state) : expiredEvent(state),
  }));
  const ended = await deps.expire(endings, now);
  count(ended);
  const isMore = ended > 0 && overdue.length === EXPIRY_BATCH;
  if (isMore) await deps.rest();
  return isMore;
}

/**
 * Ends the requests that were not answered in time, each with exactly one event whatever the number of replicas: EXPIRED,
 * or PROCESSING_ERROR if a wallet came and could not be served. Goes on as long as there is time;
 * returns how many it has ended.
 */
export function expirePresentationRequests(deps: ExpirePresentationRequestsDeps) {
  return async function expirePresentationRequests(goesOn = () => true): Promise<number> {
    if (!(await mayBeOverdue(deps))) return 0;
    const now = await deps.agreedTime();
    let expired = 0;
    let more = true;
    while (more && goesOn()) more = await expireBatch(deps, now, (ended) => (expired += ended));
    return expired;
  };
}
