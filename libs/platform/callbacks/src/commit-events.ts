import { type ClaimedCallback } from './callback-store';
import { type callbackParameters } from './enqueue-callback';

/** What a statement that inserts or releases events may lease to the process that runs it. */
export interface EventLease {
  /** The most events that may be leased; 0: none. */
  readonly count: number;
  /** How long their leases last. */
  readonly milliseconds: number;
  /** Ids of delivered events of these subjects that are not deleted yet: no event has to wait for them. */
  deliveredOf(subjects: readonly string[]): Buffer[];
}

/** What was committed. */
export interface Committed<Result> {
  readonly result: Result;
  /** The events that were leased. */
  readonly leased: readonly ClaimedCallback[];
  /** True if an event became due that was not leased: a lane has to claim it. */
  readonly isWaiting: boolean;
}

/**
 * Commits up to `count` events, and posts those that `work` has leased, once it has resolved: an event is never posted
 * before its commit. If `work` rejects, its leases end by themselves, and any process delivers what was committed.
 */
export type CommitEvents = <Result>(
  count: number,
  work: (lease: EventLease) => Promise<Committed<Result>>,
) => Promise<Result>;

/** Room of a lane for events that are about to be leased. */
export interface Reservation extends EventLease {
  /** Gives the room back, and posts the leased events. To be called exactly once. */
  settle(leased: readonly ClaimedCallback[]): void;
}

/** A {@link CommitEvents} over the lane of the configured receiver; `wake` is called for events that were not leased. */
export function createCommitEvents(reserve: (count: number) => Reservation, wake: () => void): CommitEvents {
  return async (count, work) => {
    const reservation = reserve(count);
    let leased: readonly ClaimedCallback[] = [];
    try {
      const committed = await work(reservation);
      ({ leased } = committed);
      if (committed.isWaiting) wake();
      return committed.result;
    } finally {
      reservation.settle(leased);
    }
  };
}

/** What a statement with one event did with it: `undefined` if it was not inserted. */
export interface CommittedEvent<Result> {
  readonly result: Result;
  readonly leased: boolean | undefined;
}

/** Commits the event with these parameters; `work` gets the milliseconds that its lease may last, or 0. */
export function commitEvent<Result>(
  commit: CommitEvents,
  [id, subject, payload, , status]: ReturnType<typeof callbackParameters>,
  work: (leaseMilliseconds: number) => Promise<CommittedEvent<Result>>,
): Promise<Result> {
  return commit(1, async ({ count, milliseconds }) => {
    const { result, leased } = await work(count > 0 ? milliseconds : 0);
    const own = leased ? [{ id, subject, payload, url: null, status, attempts: 1 }] : [];
    return { result, leased: own, isWaiting: leased === false };
  });
}
