import { type Sealer } from '@vestibule/crypto';
import { type Clock, type RandomBytes } from '@vestibule/foundation';
import { type Database } from '@vestibule/persistence';
import { type Logger } from '@vestibule/service';
import { createCallbackStore, type LaneFilter } from './callback-store';
import { type CallbackTarget } from './callback-target';
import { DeliveryLane } from './delivery-lane';
import { DELIVERY_LIMITS, type DeliveryLimits } from './delivery-policy';
import { createPoster, type Poster, refusingPoster } from './post-callback';

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
  /** Hears the class of each attempt's result, for metrics. */
  readonly onAttempt?: (result: string) => void;
}

/** Delivers a schema's outbox: at least once, in order for each subject, never one event twice at the same time. */
export interface Deliverer {
  /** To be called after a commit: what is due goes out at once. */
  wake(): void;
  /** Claims nothing more and waits for the attempts that are under way. */
  stop(): Promise<void>;
}

/** Events for origins that are no longer allowed are rare, and nobody waits for them. */
const FORGOTTEN_POLL_FACTOR = 30;

/** Starts delivering at once, each target by itself. Stop it before its database closes. */
export function createDeliverer(options: DelivererOptions): Deliverer {
  const { database, schema, target, clock } = options;
  const limits = { ...DELIVERY_LIMITS, ...options.limits };
  const leaseMilliseconds = limits.timeoutMilliseconds + limits.leaseMarginMilliseconds;
  const laneOf = (lane: LaneFilter, poster: Poster, pollMilliseconds = limits.pollMilliseconds): DeliveryLane =>
    new DeliveryLane({
      ...options,
      limits: { ...limits, pollMilliseconds },
      store: createCallbackStore({ database, schema, leaseMilliseconds, lane }),
      poster,
    });

  const publicKeys = (target.keys ?? []).flatMap((key) => (key.scheme === 'v1a' ? [key.publicKey] : []));
  if (publicKeys.length > 0) options.logger.info('callbacks are signed with Ed25519', { publicKeys });

  const origins = target.origins ?? [];
  const lanes = [
    laneOf({ only: '' }, createPoster({ target, limits, clock })),
    ...origins.map((origin) => laneOf({ only: origin }, createPoster({ target, origin, limits, clock }))),
  ];
  const forgotten = laneOf(
    { except: ['', ...origins] },
    refusingPoster,
    limits.pollMilliseconds * FORGOTTEN_POLL_FACTOR,
  );
  return {
    wake: () => lanes.forEach((lane) => lane.wake()),
    stop: async () => void (await Promise.all([...lanes, forgotten].map((lane) => lane.stop()))),
  };
}
