import { type Sealer, sha256Base64url } from '@vestibule/crypto';
import { type Clock, encodeBase64url, type RandomBytes } from '@vestibule/foundation';
import { type Database } from '@vestibule/persistence';
import { type Logger } from '@vestibule/service';
import { type CallbackStore, type ClaimedCallback, createCallbackStore } from './callback-store';
import { DELIVERY_LIMITS, type DeliveryLimits, retryDelay } from './delivery-policy';
import { payloadContext } from './enqueue-callback';
import { gather } from './gather';
import { type Attempt, type CallbackTarget, createPoster, type Poster } from './post-callback';

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
}

/** Delivers a schema's outbox: at least once, in order for each subject, never one event twice at the same time. */
export interface Deliverer {
  /** To be called after a commit: what is due goes out at once. */
  wake(): void;
  /** Claims nothing more and waits for the attempts that are under way. */
  stop(): Promise<void>;
}

const HASH_LENGTH = 12;

class Delivery {
  readonly #inFlight = new Set<Promise<void>>();
  readonly #remove: (id: Buffer) => Promise<boolean>;
  readonly #poll: NodeJS.Timeout;
  #pumping: Promise<void> | undefined;
  #again = false;
  #backlog = false;
  #stopped = false;
  #blocked = false;

  constructor(
    private readonly options: DelivererOptions,
    private readonly limits: DeliveryLimits,
    private readonly store: CallbackStore,
    private readonly poster: Poster,
  ) {
    this.#remove = gather((ids: readonly Buffer[]) => store.remove(ids));
    this.#poll = setInterval(() => this.wake(), limits.pollMilliseconds);
    this.wake();
  }

  wake(): void {
    if (this.#stopped) return;
    this.#again = true;
    this.#pumping ??= this.#pump();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#poll);
    await this.#pumping;
    await Promise.all(this.#inFlight);
    await this.poster.close();
  }

  /** Claims no more than can be posted right away: a lease never runs out in a queue. */
  async #pump(): Promise<void> {
    // The wakes of one turn share a claim.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#again && !this.#stopped) {
      this.#again = false;
      const free = this.limits.concurrency - this.#inFlight.size;
      const claimed = free > 0 ? await this.#claim(free) : [];
      this.#backlog = claimed.length === free;
      for (const callback of claimed) this.#start(callback);
    }
    this.#pumping = undefined;
  }

  async #claim(limit: number): Promise<ClaimedCallback[]> {
    try {
      const claimed = await this.store.claim(limit);
      if (this.#blocked) this.options.logger.info('callbacks can be claimed again');
      this.#blocked = false;
      return claimed;
    } catch (error) {
      if (!this.#blocked) this.options.logger.warn('callbacks cannot be claimed, trying again', { error });
      this.#blocked = true;
      return [];
    }
  }

  #start(callback: ClaimedCallback): void {
    const work = this.#deliver(callback).then((followed) => {
      this.#inFlight.delete(work);
      // A backlog is claimed in batches, not one event for each that is done.
      const roomy = this.#inFlight.size <= this.limits.concurrency / 2;
      if (followed || (this.#backlog && roomy)) this.wake();
    });
    this.#inFlight.add(work);
  }

  /** True when another event of the subject has become due. */
  async #deliver(callback: ClaimedCallback): Promise<boolean> {
    const event = {
      event: encodeBase64url(callback.id),
      subjectHash: sha256Base64url(callback.subject).slice(0, HASH_LENGTH),
      attempt: callback.attempts,
    };
    const attempt = await this.#attempt(event.event, callback);
    try {
      return await this.#settle(callback, attempt, { ...event, result: attempt.result });
    } catch (error) {
      // The lease ends by itself, and the event is posted again under the same id.
      this.options.logger.warn('the result of a callback was not stored', { ...event, result: attempt.result, error });
      return false;
    }
  }

  async #attempt(id: string, { id: key, payload }: ClaimedCallback): Promise<Attempt> {
    let body: Buffer;
    try {
      body = this.options.sealer.open(payload, payloadContext(this.options.schema, key));
    } catch {
      // Its key may come back with the next configuration, so it is kept like one that nobody took.
      return { end: 'failed', result: 'seal_broken' };
    }
    return this.poster.post(id, body);
  }

  async #settle(callback: ClaimedCallback, attempt: Attempt, line: Record<string, unknown>): Promise<boolean> {
    const { logger, random } = this.options;
    if (attempt.end === 'delivered') {
      const followed = await this.#remove(callback.id);
      logger.info('callback delivered', line);
      return followed;
    }
    const retryAfter = attempt.end === 'failed' ? attempt.retryAfterMilliseconds : undefined;
    const delayMilliseconds = retryDelay(callback.attempts, retryAfter, this.limits, random);
    const final = attempt.end === 'gone';
    const state = await this.store.fail(callback, { result: attempt.result, delayMilliseconds, final });
    if (state === 'dead') logger.error('callback given up: it is a dead letter now', line);
    else logger.warn('callback not delivered, it will be tried again', { ...line, delayMilliseconds });
    return state === 'dead';
  }
}

/** Starts delivering at once. Stop it before its database closes. */
export function createDeliverer(options: DelivererOptions): Deliverer {
  const limits = { ...DELIVERY_LIMITS, ...options.limits };
  const lease = limits.timeoutMilliseconds + limits.leaseMarginMilliseconds;
  const store = createCallbackStore(options.database, options.schema, lease);
  return new Delivery(options, limits, store, createPoster(options.target, limits, options.clock));
}
