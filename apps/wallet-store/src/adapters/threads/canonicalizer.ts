import path from 'node:path';
import { ProcessingFailure } from '@vestibule/foundation';
import type { Logger } from '@vestibule/process';
import { vcdmFailure, type Canonicalize } from '@vestibule/vcdm';
import type { TenantId } from '../../domain/records';
import { CanonicalizationWorker, canonicalizerFailed, type Job } from './canonicalization-worker';
import { WaitingLines } from './waiting-lines';

export interface CanonicalizerOptions {
  readonly logger: Logger;
  /** How many documents are processed at the same time; default 3. */
  readonly threads?: number;
  /**
   * How many of these threads one tenant may use; default all but one, so that no tenant ever occupies every thread.
   */
  readonly threadsOfTenant?: number;
  /** How long one document may take; default 5 seconds. */
  readonly milliseconds?: number;
  /** How long the documents of one call may take together; default 10 seconds, after which its caller has given up. */
  readonly callMilliseconds?: number;
  /** How many documents may wait for a thread; default 64. Beyond it, the tenant with most of them loses its last. */
  readonly maxWaiting?: number;
  /**
   * How long the documents of one call may wait for a thread; default 8 seconds, so that its caller still gets the
   * answer.
   */
  readonly waitMilliseconds?: number;
  /** How long a thread may take to become ready; default 60 seconds. */
  readonly startMilliseconds?: number;
  /** How long a thread rests until it ends; default a minute. */
  readonly restMilliseconds?: number;
  /** How long the only thread rests that has had a document; default ten minutes. */
  readonly lastRestMilliseconds?: number;
  /** The thread's program, as JavaScript; default the one that was built beside this file. */
  readonly threadFile?: string;
}

/** Canonicalizes in separate threads. */
export interface Canonicalizer {
  /**
   * Returns a canonicalizer for the documents of one call of a tenant. It throws the codes of `VCDM_FAILURES`;
   * `vc_too_complex` also if the documents together take too long; `canonicalizer_busy` if too many documents wait, or
   * these wait too long; and `canonicalizer_failed` if a thread ended while it processed a document.
   */
  canonicalizeFor(tenant: TenantId): Canonicalize;
  /** Resolves when there is a thread that is ready; throws `canonicalizer_failed` if none can be started. */
  start(): Promise<void>;
  /** False if the last thread could not be started, and no other can be now. */
  isReady(): Promise<boolean>;
  /** Ends all threads; documents that wait or are being processed fail. */
  close(): Promise<void>;
}

const DEFAULTS = {
  threads: 3,
  milliseconds: 5_000,
  callMilliseconds: 10_000,
  maxWaiting: 64,
  waitMilliseconds: 8_000,
  startMilliseconds: 60_000,
  restMilliseconds: 60_000,
  lastRestMilliseconds: 600_000,
  threadFile: path.join(__dirname, 'canonicalization-thread.js'),
};

interface TenantsJob extends Job {
  readonly tenant: TenantId;
  /** Called when a thread takes the job. */
  readonly onTurn: () => void;
}

/** A document, without its limits. */
type Order = Pick<Job, 'request' | 'resolve' | 'reject'>;

/** The milliseconds that a call has left. */
interface Left {
  waiting: number;
  working: number;
}

function busy(): ProcessingFailure {
  return new ProcessingFailure('canonicalizer_busy', 'too many W3C documents are waiting to be canonicalized');
}

/**
 * A bounded number of threads with a bounded number of documents waiting, in one queue per tenant, served in turn. A
 * thread that fails is replaced. Each takes more than 20 MB, so that there is none without documents: another is started
 * when a document may use it while all others work, and the last only for another tenant.
 */
class ThreadPool implements Canonicalizer {
  readonly #options: Required<CanonicalizerOptions>;
  readonly #threads = new Set<CanonicalizationWorker>();
  readonly #waiting = new WaitingLines<TenantsJob>();
  readonly #working = new Map<TenantId, number>();
  #starts: { resolve: () => void; reject: (error: Error) => void }[] = [];
  #isClosed = false;
  /** Whether the last thread that was started never became ready. */
  #hasFailed = false;

  constructor(options: CanonicalizerOptions) {
    const { threads = DEFAULTS.threads } = options;
    this.#options = { ...DEFAULTS, threadsOfTenant: Math.max(1, threads - 1), ...options };
  }

  canonicalizeFor(tenant: TenantId): Canonicalize {
    // It starts while its caller still reads what it needs.
    this.#fill(1);
    const left: Left = { waiting: this.#options.waitMilliseconds, working: this.#options.callMilliseconds };
    const canonicalize = async (request: Job['request']): Promise<unknown> => {
      if (left.working <= 0) throw vcdmFailure('vc_too_complex', 'the documents together take too long');
      return new Promise((resolve, reject) => this.#take(tenant, left, { request, resolve, reject }));
    };
    return canonicalize as Canonicalize;
  }

  async start(): Promise<void> {
    if (this.#isClosed) throw canonicalizerFailed();
    if ([...this.#threads].some(({ isIdle, isWorking }) => isIdle || isWorking)) return;
    const started = new Promise<void>((resolve, reject) => this.#starts.push({ resolve, reject }));
    this.#fill(1);
    await started;
  }

  async isReady(): Promise<boolean> {
    if (!this.#hasFailed) return true;
    return this.start().then(
      () => true,
      () => false,
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#refuseAll(canonicalizerFailed());
    await Promise.all([...this.#threads].map((thread) => thread.stop()));
  }

  #take(tenant: TenantId, left: Left, job: Order): void {
    if (this.#isClosed) return job.reject(canonicalizerFailed());
    const waiting = this.#timed(tenant, left, job);
    this.#waiting.push(tenant, waiting);
    this.#feed();
    if (this.#waiting.size > this.#options.maxWaiting) this.#waiting.popFromLongest()?.reject(busy());
    this.#fill();
  }

  /** The job with a timer, which ends its wait when the time is up. */
  #timed(tenant: TenantId, left: Left, { request, resolve, reject }: Order): TenantsJob {
    const asked = performance.now();
    let turn: number | undefined;
    let lost = 0;
    const giveUp = () => {
      if (this.#waiting.remove(tenant, job)) job.reject(busy());
    };
    const patience = setTimeout(giveUp, left.waiting);
    const settled = (): void => {
      clearTimeout(patience);
      const now = performance.now();
      left.waiting -= (turn ?? now) - asked;
      if (turn === undefined) return;
      left.working -= now - turn - lost;
      this.#working.set(tenant, this.#workingOf(tenant) - 1);
      if (this.#workingOf(tenant) === 0) this.#working.delete(tenant);
    };
    const job: TenantsJob = {
      ...{ tenant, request },
      milliseconds: Math.min(this.#options.milliseconds, left.working),
      onTurn() {
        clearTimeout(patience);
        turn = performance.now();
      },
      onStall: (milliseconds) => void (lost += milliseconds),
      resolve: (signed) => (settled(), resolve(signed)),
      reject: (error) => (settled(), reject(error)),
    };
    return job;
  }

  readonly #workingOf = (tenant: TenantId): number => this.#working.get(tenant) ?? 0;
  readonly #mayWork = (tenant: TenantId): boolean => this.#workingOf(tenant) < this.#options.threadsOfTenant;

  /** Starts a thread if there are fewer than `least`, or if a job waits that may use one more. */
  #fill(least = 0): void {
    const { threads } = this.#options;
    if (this.#isClosed || this.#threads.size >= threads) return;
    const isWanted = this.#waiting.some(this.#mayWork) && [...this.#threads].every(({ isWorking }) => isWorking);
    if (this.#threads.size >= least && !isWanted) return;
    try {
      const thread: CanonicalizationWorker = new CanonicalizationWorker(this.#options, {
        onIdle: () => this.#welcome(),
        onRest: (milliseconds) => this.#dismiss(thread, milliseconds),
        onEnd: (worked) => this.#replace(thread, worked),
      });
      this.#threads.add(thread);
    } catch (error) {
      // The system gives this process no more threads: that is thrown, not told as an event.
      this.#options.logger.warn('a thread could not be created', { error });
      this.#giveUp();
    }
  }

  /** A thread never became ready: if there is no other, what waits fails. */
  #giveUp(): void {
    this.#hasFailed = true;
    if (this.#threads.size === 0) this.#refuseAll(canonicalizerFailed());
  }

  /** The only one that has had a document stays longer, since the next document would wait for another to start. */
  #dismiss(thread: CanonicalizationWorker, restedMilliseconds: number): void {
    const isKept = thread.hasHadJob && [...this.#threads].every((other) => other === thread || !other.hasHadJob);
    if (isKept && restedMilliseconds < this.#options.lastRestMilliseconds) return;
    this.#threads.delete(thread);
    void thread.stop();
  }

  #welcome(): void {
    this.#hasFailed = false;
    for (const { resolve } of this.#starts.splice(0)) resolve();
    this.#feed();
    this.#fill();
  }

  /** Gives every idle thread a job, as long as a job waits that may use it. */
  #feed(): void {
    for (const thread of this.#threads) {
      const job = thread.isIdle ? this.#waiting.shift(this.#mayWork) : undefined;
      if (!job) continue;
      this.#working.set(job.tenant, this.#workingOf(job.tenant) + 1);
      job.onTurn();
      thread.run(job);
    }
  }

  /** A thread that never became ready is not replaced immediately: the next document, or look at the health, tries again. */
  #replace(thread: CanonicalizationWorker, worked: boolean): void {
    const isDismissed = !this.#threads.delete(thread);
    if (isDismissed) return;
    if (!worked) return this.#giveUp();
    // Its tenant may use another thread now.
    this.#feed();
    this.#fill(1);
  }

  #refuseAll(error: Error): void {
    for (const { reject } of this.#starts.splice(0)) reject(error);
    for (let job = this.#waiting.popFromLongest(); job; job = this.#waiting.popFromLongest()) job.reject(error);
  }
}

/** A canonicalizer with threads, which are started by {@link Canonicalizer.start} or by the first document. */
export function createCanonicalizer(options: CanonicalizerOptions): Canonicalizer {
  return new ThreadPool(options);
}
