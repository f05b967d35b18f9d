import { type CallbackKeys, type ReportingService } from '@vestibule/contracts';
import { type Sealer } from '@vestibule/crypto';
import { type Clock, type RandomBytes } from '@vestibule/foundation';
import { type Database } from '@vestibule/persistence';
import { type Logger, type Metrics } from '@vestibule/process';
import { showCallbacks } from './callback-metrics';
import { createCallbackOperations, type CallbackOperations } from './callback-operations';
import { createCallbackOverview, type CallbackOverview } from './callback-overview';
import { purgeDeadCallbacks } from './callback-store';
import { callbackUrlFault } from './callback-target';
import { callbackLimitsOf, callbackTargetOf, type CallbackConfiguration } from './callback-variables';
import { type CommitEvents } from './commit-events';
import { createDeliverer } from './deliverer';
import { DELIVERY_LIMITS } from './delivery-policy';
import { createOverdue } from './overdue-callbacks';
import { createCallbackTest } from './test-callback';
import { describeWebhookKey } from './webhook-signature';

/** What a service provides for its callbacks. */
export interface CallbacksContext {
  readonly configuration: CallbackConfiguration & { readonly retentionSeconds: number };
  readonly database: Database;
  readonly sealer: Sealer;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export interface CallbacksOptions {
  /** Name of the service; its schema has the same name. */
  readonly service: ReportingService;
  readonly clock: Clock;
  readonly random: RandomBytes;
}

/**
 * Wraps a function so that the events that it has committed are sent immediately; by default whatever its result is.
 */
export type Waking = <Parameters extends readonly unknown[], Result>(
  commit: (...parameters: Parameters) => Promise<Result>,
  hasCommitted?: (result: Result) => boolean,
) => (...parameters: Parameters) => Promise<Result>;

/** A {@link Waking} that calls `wake`, but not if the function throws. */
export function createWaking(wake: () => void): Waking {
  return (commit, hasCommitted = () => true) =>
    async (...parameters) => {
      const result = await commit(...parameters);
      if (hasCommitted(result)) wake();
      return result;
    };
}

/** The callbacks of a service, as configured: delivered from now on, exposed in metrics, closed with the service. */
export interface Callbacks {
  readonly overview: CallbackOverview;
  readonly operations: CallbackOperations;
  /** Posts a test event. */
  readonly test: ReturnType<typeof createCallbackTest>;
  /** The keys that sign its events: the public keys, and never a secret. */
  readonly keys: CallbackKeys;
  /** To be called after a commit: due events are sent immediately. */
  wake(): void;
  readonly waking: Waking;
  /** Commits events, and posts those for the configured receiver immediately. */
  readonly commit: CommitEvents;
  /** The fault of a URL for the events of one flow, or undefined. */
  readonly urlFault: (url: string) => string | undefined;
  /** How long dead letters are kept. */
  readonly retentionSeconds: number;
  /** Gives up events that are long overdue. To be called by a timer, in each of its passes. */
  giveUp(limit: number): Promise<number>;
  /** Deletes dead letters whose retention has ended. To be called by a timer. */
  purge(limit: number): Promise<number>;
  /** Ends the delivery, after the attempts in progress. */
  close(): Promise<void>;
}

/** Opens the callbacks of a service. */
export function openCallbacks(context: CallbacksContext, { service, clock, random }: CallbacksOptions): Callbacks {
  const { configuration, database, sealer, logger, metrics } = context;
  const target = callbackTargetOf(configuration);
  const limits = callbackLimitsOf(configuration);
  const deliverer = createDeliverer({
    database,
    schema: service,
    sealer,
    target,
    clock,
    random,
    logger,
    limits,
    onAttempt: showCallbacks(metrics, database, service),
  });
  const wake = () => deliverer.wake();
  const { retentionSeconds: olderThanSeconds, callbackLifetimeSeconds: lifetimeSeconds } = configuration;
  return {
    overview: createCallbackOverview({ database, service, wake }),
    operations: createCallbackOperations({ database, service, sealer, lifetimeSeconds, wake }),
    test: createCallbackTest({ service, target, limits: { ...DELIVERY_LIMITS, ...limits }, clock, random, logger }),
    keys: { service, keys: (target.keys ?? []).map(describeWebhookKey) },
    wake,
    waking: createWaking(wake),
    commit: deliverer.commit,
    urlFault: (url) => callbackUrlFault(url, configuration.callbackOrigins ?? []),
    close: () => deliverer.stop(),
    retentionSeconds: olderThanSeconds,
    giveUp: createOverdue({ database, schema: service, clock, logger }),
    purge: (limit) => purgeDeadCallbacks(database, { schema: service, olderThanSeconds, now: clock(), limit }),
  };
}
