import { isInformational } from '@vestibule/contracts';
import type { Sealer } from '@vestibule/crypto';
import { encodeBase64url, type Clock, type RandomBytes } from '@vestibule/foundation';
import {
  currentRequestContext,
  subjectHash,
  withoutRequestContext,
  withTraceparent,
  type Logger,
} from '@vestibule/process';
import { type CallbackStore, type ClaimedCallback } from './callback-store';
import { type Reservation } from './commit-events';
import { DeliveredCallbacks } from './delivered-callbacks';
import { type DeliveryLimits, retryDelay } from './delivery-policy';
import { bodySealedIn, payloadContext } from './enqueue-callback';
import { mayReceive } from './event-id';
import { type Attempt, type Poster } from './post-callback';
import { createTokenBucket } from './token-bucket';

export interface LaneOptions {
  readonly schema: string;
  readonly sealer: Sealer;
  /** Wall-clock time: unlike the monotonic clock, it continues while the machine is suspended. */
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly logger: Logger;
  readonly limits: DeliveryLimits;
  readonly store: CallbackStore;
  readonly poster: Poster;
  /** Called with the class of each attempt's result, for metrics. */
  readonly onAttempt?: ((result: string) => void) | undefined;
}

/** A lane that is at rest looks at every fifth poll. */
const SKIPPED_POLLS = 4;

/** When the rate is used up, the lane pauses for at least this time, so that claims remain batches. */
const SHORTEST_PAUSE_MILLISECONDS = 20;

/** An event, with the time since the statement that leased it was sent: its lease is no older than that. */
interface Leased extends ClaimedCallback {
  /** Of the request that caused it, if it is posted immediately: a later attempt belongs to none. */
  readonly traceparent?: string | undefined;
  readonly leaseAge: () => number;
}

/**
 * Delivers the events of one target. Lanes share nothing but the database: a slow or dead receiver delays only its own
 * events.
 */
export class DeliveryLane {
  readonly #inFlight = new Set<Promise<void>>();
  readonly #reservations = new Set<Promise<void>>();
  readonly #delivered: DeliveredCallbacks;
  readonly #poll: NodeJS.Timeout;
  readonly #bucket;
  #pumping: Promise<void> | undefined;
  #pause: NodeJS.Timeout | undefined;
  #reserved = 0;
  #again = false;
  #backlog = false;
  #stopped = false;
  #blocked = false;
  #skips = 0;
  /** Until when each poll looks, by `performance.now()`. */
  #busyUntil = 0;

  constructor(private readonly options: LaneOptions) {
    const { limits, store, logger } = options;
    this.#bucket = createTokenBucket(limits.ratePerSecond, () => performance.now());
    const remove: CallbackStore['remove'] = (delivered) => store.remove(delivered);
    this.#delivered = new DeliveredCallbacks({ remove, onFollowed: () => this.wake(), logger });
    this.#poll = setInterval(() => this.#look(), limits.pollMilliseconds);
    // A process that ended before this one may have left leases.
    this.#stayBusy(this.#leaseMilliseconds);
    this.wake();
  }

  get #leaseMilliseconds(): number {
    return this.options.limits.timeoutMilliseconds + this.options.limits.leaseMarginMilliseconds;
  }

  /**
   * What this lane knows of may become due until then; each poll looks for it. Called when the statement that set the time
   * has ended: it may have waited for a connection.
   */
  #stayBusy(milliseconds: number): void {
    const end = performance.now() + milliseconds + this.options.limits.pollMilliseconds;
    this.#busyUntil = Math.max(this.#busyUntil, end);
  }

  /**
   * Looks for what nobody has told this lane of: an event of a process that has ended, or an attempt that is due again. If it
   * knows of none, it leaves Postgres alone most of the time.
   */
  #look(): void {
    if (performance.now() > this.#busyUntil && this.#skips > 0) {
      this.#skips -= 1;
      return;
    }
    this.#skips = SKIPPED_POLLS;
    this.wake();
  }

  /** Due events are sent as soon as concurrency and rate allow it. */
  wake(): void {
    if (this.#stopped) return;
    this.#again = true;
    // Deliveries outlive the request that caused one of them, and must not inherit its deadline.
    this.#pumping ??= withoutRequestContext(() => this.#pump());
  }

  /**
   * Keeps room for up to `wanted` events that a statement is about to lease, or for none if others are waiting: new
   * events do not overtake a backlog.
   */
  reserve(wanted: number): Reservation {
    const count = this.#stopped || this.#backlog ? 0 : Math.max(0, Math.min(wanted, this.#room()));
    const leaseAge = this.#stopwatch();
    let release = (): void => undefined;
    const reservation = new Promise<void>((resolve) => (release = resolve));
    this.#reservations.add(reservation);
    this.#reserved += count;
    this.#bucket.take(count);
    return {
      count,
      milliseconds: this.#leaseMilliseconds,
      deliveredOf: (subjects) => this.#delivered.idsOf(subjects),
      settle: (leased) => {
        // If the answer of the statement is lost, only the end of its lease will show its events.
        if (count > 0) this.#stayBusy(this.#leaseMilliseconds);
        this.#reserved -= count;
        this.#bucket.giveBack(count - leased.length);
        // As in wake: the delivery outlives the request.
        const traceparent = currentRequestContext()?.traceparent;
        withoutRequestContext(() => leased.forEach((callback) => this.#start({ ...callback, leaseAge, traceparent })));
        this.#reservations.delete(reservation);
        release();
      },
    };
  }

  /** Stops claiming and waits for the attempts in progress. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#poll);
    clearTimeout(this.#pause);
    await this.#pumping;
    await Promise.all(this.#reservations);
    await Promise.all(this.#inFlight);
    await this.#delivered.stop();
    await this.options.poster.close();
  }

  /** Claims no more than can be posted right away, so that no lease expires in a queue. */
  async #pump(): Promise<void> {
    // All wakes of one turn share a claim.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#again && !this.#stopped) {
      this.#again = false;
      const free = this.#room();
      const claimed = free > 0 ? await this.#claim(free) : [];
      this.#backlog = claimed.length === free;
      this.#bucket.take(claimed.length);
      for (const callback of claimed) this.#start(callback);
      this.#comeBack();
    }
    this.#pumping = undefined;
  }

  #room(): number {
    const free = this.options.limits.concurrency - this.#inFlight.size - this.#reserved;
    return Math.max(0, Math.min(free, this.#bucket.available()));
  }

  /** If only the rate limits a backlog, no finished attempt would wake this lane. */
  #comeBack(): void {
    const isFull = this.#inFlight.size >= this.options.limits.concurrency;
    if (!this.#backlog || isFull || this.#pause || this.#stopped) return;
    const milliseconds = Math.max(this.#bucket.millisecondsToNext(), SHORTEST_PAUSE_MILLISECONDS);
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      this.wake();
    }, milliseconds);
  }

  /** If the answer came so late that a lease could end during an attempt, the events are left to the next claim. */
  async #claim(limit: number): Promise<Leased[]> {
    const { limits, logger, store } = this.options;
    const leaseAge = this.#stopwatch();
    try {
      const claimed = await store.claim(limit);
      if (claimed.length > 0) this.#stayBusy(this.#leaseMilliseconds);
      if (this.#blocked) logger.info('callbacks can be claimed again');
      this.#blocked = false;
      const lateMilliseconds = Math.round(leaseAge());
      if (lateMilliseconds < limits.leaseMarginMilliseconds || claimed.length === 0)
        return claimed.map((callback) => ({ ...callback, leaseAge }));
      logger.warn('callbacks were claimed too late to be posted now', { count: claimed.length, lateMilliseconds });
      return [];
    } catch (error) {
      if (!this.#blocked) this.options.logger.warn('callbacks cannot be claimed, retrying', { error });
      this.#blocked = true;
      this.#stayBusy(this.#leaseMilliseconds);
      return [];
    }
  }

  /**
   * Milliseconds from now on, by the clock that has advanced more: the wall clock may be set back, the monotonic one
   * may stand still.
   */
  #stopwatch(): () => number {
    const [wall, monotonic] = [this.options.clock().getTime(), performance.now()];
    return () => Math.max(this.options.clock().getTime() - wall, performance.now() - monotonic);
  }

  /** Posts an event; one that was delivered, and leased again because it could not be deleted, is only deleted. */
  #start(callback: Leased): void {
    if (this.#delivered.has(callback.id)) return this.#noteDelivered(callback);
    const work = this.#deliver(callback).then((followed) => {
      this.#inFlight.delete(work);
      // A backlog is claimed in batches, not event by event as attempts end.
      const roomy = this.#inFlight.size <= this.options.limits.concurrency / 2;
      if (followed || (this.#backlog && roomy)) this.wake();
    });
    this.#inFlight.add(work);
  }

  /** True if another event of the subject has become due. */
  async #deliver(callback: Leased): Promise<boolean> {
    const event = {
      event: encodeBase64url(callback.id),
      subjectHash: subjectHash(callback.subject),
      attempt: callback.attempts,
    };
    const attempt = await this.#attempt(event.event, callback);
    if (attempt === 'lease_too_old') {
      this.options.logger.warn('a callback was not posted: its lease could end during the attempt', event);
      return false;
    }
    this.options.onAttempt?.(attempt.result);
    try {
      return await this.#settle(callback, attempt, { ...event, result: attempt.result });
    } catch (error) {
      // The lease expires, and the event is posted again under the same id.
      this.options.logger.warn('the result of a callback was not stored', { ...event, result: attempt.result, error });
      return false;
    }
  }

  async #attempt(id: string, callback: Leased): Promise<Attempt | 'lease_too_old'> {
    const { id: key, payload, url, leaseAge, traceparent } = callback;
    // Its claims are for another receiver: somebody has written to the row.
    if (!mayReceive(key, url)) return { end: 'failed', result: 'receiver_altered' };
    let body: Buffer;
    try {
      body = bodySealedIn(payload) ?? this.options.sealer.open(payload, payloadContext(this.options.schema, key));
    } catch {
      // Its key may be configured again later, so it is kept like an undelivered event.
      return { end: 'failed', result: 'seal_broken' };
    }
    if (leaseAge() >= this.options.limits.leaseMarginMilliseconds) return 'lease_too_old';
    const post = () => this.options.poster.post({ id, body, url });
    return traceparent === undefined ? post() : withTraceparent(traceparent, post);
  }

  #noteDelivered({ id, subject, attempts, leaseAge }: Leased): void {
    // What is then left of the lease is as long as an attempt, and longer than any statement.
    const isLeased = (): boolean => leaseAge() < this.options.limits.leaseMarginMilliseconds;
    this.#delivered.add({ id, subject, attempts, isLeased });
  }

  async #settle(callback: Leased, attempt: Attempt, line: Record<string, unknown>): Promise<boolean> {
    const { limits, logger, random, store } = this.options;
    if (attempt.end === 'delivered') {
      this.#noteDelivered(callback);
      logger.info('callback delivered', line);
      return false;
    }
    const retryAfter = attempt.end === 'gone' ? undefined : attempt.retryAfterMilliseconds;
    const delayMilliseconds = retryDelay(callback.attempts, retryAfter, limits, random);
    const isRefused = attempt.end === 'refused' && isInformational(callback.status);
    const final = attempt.end === 'gone' || isRefused;
    const failing = store.fail(callback, { result: attempt.result, delayMilliseconds, final });
    const state = await failing.finally(() => this.#stayBusy(delayMilliseconds));
    if (state === 'dead' && isRefused) logger.warn('callback refused: it is a dead letter now', line);
    else if (state === 'dead') logger.error('callback given up: it is a dead letter now', line);
    else if (state === undefined) logger.warn('callback not delivered, another process has it meanwhile', line);
    else logger.warn('callback not delivered, it will be tried again', { ...line, delayMilliseconds });
    return state === 'dead';
  }
}
