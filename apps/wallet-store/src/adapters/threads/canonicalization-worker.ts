import { Worker } from 'node:worker_threads';
import { ProcessingFailure } from '@vestibule/foundation';
import type { Logger } from '@vestibule/process';
import {
  VCDM_FAILURES,
  vcdmFailure,
  type CredentialRequest,
  type PresentationRequest,
  type SignedData,
} from '@vestibule/vcdm';

/** A thread's answer for a document: what is to be signed, why it is refused, or the name of an unexpected error. */
export type ThreadAnswer =
  | { readonly signed: SignedData<unknown> }
  | { readonly failure: { readonly code: string; readonly detail: string } }
  | { readonly unexpected: string };

/** A document to canonicalize. */
export interface Job {
  readonly request: CredentialRequest | PresentationRequest;
  /** Time limit; beyond it the document is refused as `vc_too_complex` and the thread is terminated. */
  readonly milliseconds: number;
  /** Is told of time that was lost because this process stood still. */
  readonly onStall: (milliseconds: number) => void;
  readonly resolve: (signed: SignedData<unknown>) => void;
  readonly reject: (error: Error) => void;
}

export interface ThreadOptions {
  readonly logger: Logger;
  /** How long the thread may take to become ready. */
  readonly startMilliseconds: number;
  /** How long the thread waits for a job until its owner is told, again and again. */
  readonly restMilliseconds: number;
  /** The thread's program, as JavaScript. */
  readonly threadFile: string;
}

/** What the owner of a thread is told. */
export interface ThreadEvents {
  /** The thread can take a job. */
  readonly onIdle: () => void;
  /** The thread has had no job for so many milliseconds: a multiple of {@link ThreadOptions.restMilliseconds}. */
  readonly onRest: (milliseconds: number) => void;
  /** The thread has ended; `worked` unless it never became ready. */
  readonly onEnd: (worked: boolean) => void;
}

/** A thread that needs more is stopped; a document of the largest size needs far less. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY';
/** A timer that is so late shows that the process stood still. */
const STALL_MILLISECONDS = 250;

const isFailureCode = (code: string): code is keyof typeof VCDM_FAILURES => Object.hasOwn(VCDM_FAILURES, code);

export function canonicalizerFailed(cause?: unknown): ProcessingFailure {
  return new ProcessingFailure('canonicalizer_failed', 'the thread that reads W3C documents failed', cause);
}

/** Settles a job with the thread's answer. */
function settle({ resolve, reject }: Job, answer: ThreadAnswer, logger: Logger): void {
  if ('signed' in answer) return resolve(answer.signed);
  if ('failure' in answer && isFailureCode(answer.failure.code)) {
    return reject(vcdmFailure(answer.failure.code, answer.failure.detail));
  }
  const name = 'unexpected' in answer ? answer.unexpected : answer.failure.code;
  logger.error('a W3C document could not be canonicalized', { name });
  reject(canonicalizerFailed());
}

/** One thread, which works on one document at a time. Once it has ended, it cannot be reused. */
export class CanonicalizationWorker {
  readonly #worker: Worker;
  readonly #exited: Promise<unknown>;
  #state: 'starting' | 'idle' | 'working' | 'ended' = 'starting';
  #worked = false;
  #hasHadJob = false;
  #job: Job | undefined;
  #timer: NodeJS.Timeout;

  constructor(
    private readonly options: ThreadOptions,
    private readonly events: ThreadEvents,
  ) {
    this.#worker = new Worker(options.threadFile, { env: {}, resourceLimits: RESOURCE_LIMITS });
    this.#exited = new Promise((resolve) => this.#worker.once('exit', resolve));
    this.#timer = this.#after(options.startMilliseconds, () => this.#end('a thread did not start in time'));
    this.#worker.on('message', (message: ThreadAnswer | 'ready') => this.#hear(message));
    this.#worker.on('error', (error: Error & { code?: string }) => this.#fail(error));
    this.#worker.once('exit', () => this.#end('a thread ended'));
  }

  get isIdle(): boolean {
    return this.#state === 'idle';
  }

  get isWorking(): boolean {
    return this.#state === 'working';
  }

  get hasHadJob(): boolean {
    return this.#hasHadJob;
  }

  /** May be called only while the thread is idle. */
  run(job: Job): void {
    clearTimeout(this.#timer);
    this.#state = 'working';
    this.#hasHadJob = true;
    this.#job = job;
    this.#worker.ref();
    this.#limit(job, job.milliseconds, job.milliseconds);
    this.#worker.postMessage(job.request);
  }

  /** Ends the thread; a job in progress fails. Resolves when the thread is gone. */
  async stop(): Promise<void> {
    this.#end(undefined);
    await this.#exited;
  }

  #after(milliseconds: number, work: () => void): NodeJS.Timeout {
    return setTimeout(work, milliseconds).unref();
  }

  /**
   * Ends the thread after so many milliseconds. If this process stood still until later, so did the thread, or its answer has not
   * been heard yet: it gets the time that was lost, but not more than `extraMilliseconds` of it in all, or a document that
   * never ends would keep its thread for as long as this process lags.
   */
  #limit(job: Job, milliseconds: number, extraMilliseconds: number): void {
    const due = performance.now() + milliseconds;
    this.#timer = this.#after(milliseconds, () => {
      const late = performance.now() - due;
      if (late >= STALL_MILLISECONDS) {
        job.onStall(late);
        const extra = Math.min(late, extraMilliseconds);
        if (extra > 0) return this.#limit(job, extra, extraMilliseconds - extra);
      }
      const failure = vcdmFailure('vc_too_complex', 'the document takes too long to be canonicalized');
      this.#end('a W3C document took too long', failure);
    });
  }

  /** Tells the owner when it has rested for `milliseconds`, and after each further interval in which it stays idle. */
  #rest(milliseconds: number): void {
    const { restMilliseconds } = this.options;
    this.#timer = this.#after(restMilliseconds, () => {
      this.events.onRest(milliseconds);
      if (this.isIdle) this.#rest(milliseconds + restMilliseconds);
    });
  }

  #hear(message: ThreadAnswer | 'ready'): void {
    if (this.#state === 'ended') return;
    clearTimeout(this.#timer);
    const job = this.#job;
    this.#job = undefined;
    this.#state = 'idle';
    this.#worked = true;
    // An idle thread does not keep the process alive.
    this.#worker.unref();
    this.#rest(this.options.restMilliseconds);
    if (message !== 'ready' && job) settle(job, message, this.options.logger);
    this.events.onIdle();
  }

  #fail(error: Error & { code?: string }): void {
    const failure = error.code === OUT_OF_MEMORY ? vcdmFailure('vc_too_complex') : canonicalizerFailed(error);
    this.#end('a thread failed', failure);
  }

  /** Whichever comes first counts: a failure, the time limit, or the end of the thread itself. */
  #end(sentence: string | undefined, failure: Error = canonicalizerFailed()): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    clearTimeout(this.#timer);
    void this.#worker.terminate();
    if (sentence !== undefined) this.options.logger.warn(sentence, { busy: this.#job !== undefined });
    this.#job?.reject(failure);
    this.#job = undefined;
    this.events.onEnd(this.#worked);
  }
}
