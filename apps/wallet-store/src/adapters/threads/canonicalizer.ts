import path from 'node:path';
import { ProcessingFailure } from '@vestibule/foundation';
import type { Logger } from '@vestibule/process';
import type { Canonicalize } from '@vestibule/vcdm';
import { CanonicalizationWorker, canonicalizerFailed, type Job } from './canonicalization-worker';

export interface CanonicalizerOptions {
  readonly logger: Logger;
  /** How many documents are worked on at the same time; default 2. */
  readonly threads?: number;
  /** How long one document may take; default 5 seconds. */
  readonly milliseconds?: number;
  /** How many documents may wait for a thread; default 64. */
  readonly maxWaiting?: number;
  /** How long a document may wait for a thread; default 8 seconds, so that its caller still hears of it. */
  readonly waitMilliseconds?: number;
  /** How long a thread may take until it can work; default 60 seconds. */
  readonly startMilliseconds?: number;
  /** The program of a thread, as JavaScript; default the one that was built beside this file. */
  readonly threadFile?: string;
}

/** Canonicalizes in threads of its own. */
export interface Canonicalizer {
  /**
   * Throws the codes of `VCDM_FAILURES`; `canonicalizer_busy` when too many documents wait, or one too long; and
   * `canonicalizer_failed` when a thread ended under the document.
   */
  readonly canonicalize: Canonicalize;
  /** Resolves when a thread is ready; throws `canonicalizer_failed` when none can be started. */
  start(): Promise<void>;
  /** Ends all threads; what waits or is worked on fails. */
  close(): Promise<void>;
}

const DEFAULTS = {
  threads: 2,
  milliseconds: 5_000,
  maxWaiting: 64,
  waitMilliseconds: 8_000,
  startMilliseconds: 60_000,
  threadFile: path.join(__dirname, 'canonicalization-thread.js'),
};

interface WaitingJob extends Job {
  /** Refuses the job when it has waited too long. */
  readonly patience: NodeJS.Timeout;
}

function busy(): ProcessingFailure {
  return new ProcessingFailure('canonicalizer_busy', 'too many W3C documents wait to be read');
}

/** A bounded number of threads, and a bounded queue in front of them. A thread that ends is replaced. */
class ThreadPool implements Canonicalizer {
  readonly #options: Required<CanonicalizerOptions>;
  readonly #threads = new Set<CanonicalizationWorker>();
  readonly #waiting: WaitingJob[] = [];
  #starts: { resolve: () => void; reject: (error: Error) => void }[] = [];
  #isClosed = false;

  constructor(options: CanonicalizerOptions) {
    this.#options = { ...DEFAULTS, ...options };
  }

  readonly canonicalize = ((request: Job['request']) =>
    new Promise<unknown>((resolve, reject) => this.#take({ request, resolve, reject }))) as Canonicalize;

  start(): Promise<void> {
    this.#fill();
    return new Promise((resolve, reject) => this.#starts.push({ resolve, reject }));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#refuseAll(canonicalizerFailed());
    await Promise.all([...this.#threads].map((thread) => thread.stop()));
  }

  #take(job: Job): void {
    if (this.#isClosed) return job.reject(canonicalizerFailed());
    const idle = [...this.#threads].find((thread) => thread.isIdle);
    if (idle) return idle.run(job);
    if (this.#waiting.length >= this.#options.maxWaiting) return job.reject(busy());
    const patience = setTimeout(() => this.#giveUp(waiting), this.#options.waitMilliseconds);
    const waiting: WaitingJob = { ...job, patience };
    this.#waiting.push(waiting);
    this.#fill();
  }

  #giveUp(waiting: WaitingJob): void {
    this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
    waiting.reject(busy());
  }

  #fill(): void {
    while (!this.#isClosed && this.#threads.size < this.#options.threads) {
      const thread: CanonicalizationWorker = new CanonicalizationWorker(this.#options, {
        onIdle: () => this.#feed(thread),
        onEnd: (worked) => this.#replace(thread, worked),
      });
      this.#threads.add(thread);
    }
  }

  #feed(thread: CanonicalizationWorker): void {
    for (const { resolve } of this.#starts.splice(0)) resolve();
    const next = this.#waiting.shift();
    if (!next) return;
    clearTimeout(next.patience);
    thread.run(next);
  }

  /** One that never worked is not tried again at once: the next document tries. */
  #replace(thread: CanonicalizationWorker, worked: boolean): void {
    this.#threads.delete(thread);
    if (worked) this.#fill();
    else if (this.#threads.size === 0) this.#refuseAll(canonicalizerFailed());
  }

  #refuseAll(error: Error): void {
    for (const { reject } of this.#starts.splice(0)) reject(error);
    for (const { reject, patience } of this.#waiting.splice(0)) {
      clearTimeout(patience);
      reject(error);
    }
  }
}

/** Threads that canonicalize; they are started by {@link Canonicalizer.start} or by the first document. */
export function createCanonicalizer(options: CanonicalizerOptions): Canonicalizer {
  return new ThreadPool(options);
}
