import { type Sealer } from '@vestibule/crypto';
import { type Clock, type RandomBytes } from '@vestibule/foundation';
import { type Database } from '@vestibule/persistence';
import { gather, type Logger } from '@vestibule/process';
import { createCallbackStore, findDueOrigins } from './callback-store';
import { type CallbackTarget } from './callback-target';
import { createCommitEvents, type CommitEvents } from './commit-events';
import { DeliveryLane } from './delivery-lane';
import { DELIVERY_LIMITS, type DeliveryLimits } from './delivery-policy';
import { putOffForgotten } from './forgotten-callbacks';
import { createPoster, type Poster } from './post-callback';

export interface DelivererOptions {
  readonly database: Database;
  readonly schema: string;
  readonly sealer: Sealer;
  readonly target: CallbackTarget;
  /** For `webhook-timestamp` and Retry-After; leases use the database's time. */
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly logger: Logger;
  readonly limits?: Partial<DeliveryLimits>;
  /** Called with the class of each attempt's result, for metrics. */
  readonly onAttempt?: (result: string) => void;
}

/** Delivers a schema's outbox: at least once, in order for each subject, never one event twice at the same time. */
export interface Deliverer {
  /** To be called after a commit: due events are sent immediately. */
  wake(): void;
  /** Commits events, and posts those for the configured receiver immediately, without a claim. */
  readonly commit: CommitEvents;
  /** Stops claiming and waits for the attempts in progress. */
  stop(): Promise<void>;
}

/** For lanes that are woken when an event is due: at rest they look every 30 polls, since a lane skips four of five. */
const SLOW_POLL_FACTOR = 6;

/**
 * Wakes the lanes of the origins that have due events: a single query for all of them, so that many origins cost no
 * more than one.
 */
function createScout({ database, schema }: DelivererOptions, lanes: ReadonlyMap<string, DeliveryLane>): () => void {
  const origins = [...lanes.keys()];
  const look = gather<void, readonly string[]>(() => findDueOrigins(database, schema, origins));
  const wake = (due: readonly string[]): void => due.forEach((origin) => lanes.get(origin)?.wake());
  if (origins.length === 0) return () => undefined;
  // Without the database no lane can claim either, and the lane of the configured receiver logs that.
  return () => void look().then(wake, () => undefined);
}

/** Starts delivering immediately, to each target separately. Stop it before its database closes. */
export function createDeliverer(options: DelivererOptions): Deliverer {
  const { database, schema, target, clock } = options;
  const limits = { ...DELIVERY_LIMITS, ...options.limits };
  const leaseMilliseconds = limits.timeoutMilliseconds + limits.leaseMarginMilliseconds;
  const laneOf = (origin: string, poster: Poster, pollMilliseconds = limits.pollMilliseconds): DeliveryLane =>
    new DeliveryLane({
      ...options,
      limits: { ...limits, pollMilliseconds },
      store: createCallbackStore({ database, schema, leaseMilliseconds, origin, clock }),
      poster,
    });

  const publicKeys = (target.keys ?? []).flatMap((key) => (key.scheme === 'v1a' ? [key.publicKey] : []));
  if (publicKeys.length > 0) {
    options.logger.info('callbacks are signed with Ed25519', { publicKeys: publicKeys.join(' ') });
  }

  const slowMilliseconds = limits.pollMilliseconds * SLOW_POLL_FACTOR;
  const origins = target.origins ?? [];
  const own = laneOf('', createPoster({ target, limits, clock }));
  const others = new Map(
    origins.map((origin) => {
      const poster = createPoster({ target, origin, limits, clock });
      return [origin, laneOf(origin, poster, slowMilliseconds)] as const;
    }),
  );
  const forgotten = putOffForgotten({ ...options, origins, limits });
  const wakeOthers = createScout(options, others);
  const poll = setInterval(wakeOthers, limits.pollMilliseconds);
  const wake = (): void => {
    own.wake();
    wakeOthers();
  };
  return {
    wake,
    commit: createCommitEvents((count) => own.reserve(count), wake),
    async stop() {
      clearInterval(poll);
      await Promise.all([forgotten, own, ...others.values()].map((lane) => lane.stop()));
    },
  };
}
