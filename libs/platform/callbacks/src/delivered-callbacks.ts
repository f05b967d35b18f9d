import { type Logger } from '@vestibule/process';

/** A delivered event that is still stored. */
export interface DeliveredCallback {
  readonly id: Buffer;
  readonly subject: string;
  /** Identifies the lease under which it was delivered. */
  readonly attempts: number;
  /** False once that lease could end during a statement, so that another process could post the event again. */
  readonly isLeased: () => boolean;
}

/** The result of a deletion. */
export interface Removal {
  /** True if events of the same subjects have waited for deleted ones. */
  readonly followed: boolean;
  /** The ids of those that somebody has locked: they are still stored, under the same lease. */
  readonly locked: readonly Buffer[];
}

export interface DeliveredOptions {
  /** Deletes these events, except those that are locked. */
  readonly remove: (delivered: readonly DeliveredCallback[]) => Promise<Removal>;
  /** Called if events have waited for deleted ones. */
  readonly onFollowed: () => void;
  readonly logger: Logger;
}

/** How long a delivered event waits for others, which are deleted in the same statement. */
const GATHER_MILLISECONDS = 100;
/** How long those that were locked wait for the next attempt, and at most others with them. */
const LOCKED_MILLISECONDS = 500;
/** As many are deleted without waiting for more, and at most in one statement. */
const MOST_AT_ONCE = 200;

/**
 * Deletes delivered events in batches. Until then they are leased, so that nobody else posts them. A batch that could
 * not be deleted is tried again, and so is an event that was locked, which delays no other; if the process dies before,
 * its events are posted again when their leases end.
 */
export class DeliveredCallbacks {
  /** First those that were locked at the last attempt. */
  readonly #waiting: DeliveredCallback[] = [];
  #locked = 0;
  #timer: NodeJS.Timeout | undefined;
  #removing: Promise<void> | undefined;
  #failing = false;

  constructor(private readonly options: DeliveredOptions) {}

  add(delivered: DeliveredCallback): void {
    this.#waiting.push(delivered);
    if (this.#waiting.length - this.#locked >= MOST_AT_ONCE && !this.#failing) void this.flush();
    else this.#flushLater();
  }

  /** Those of these subjects that nobody else can have, including those whose deletion is in progress. */
  idsOf(subjects: readonly string[]): Buffer[] {
    if (this.#waiting.length === 0) return [];
    const wanted = new Set(subjects);
    return this.#waiting.filter(({ subject, isLeased }) => wanted.has(subject) && isLeased()).map(({ id }) => id);
  }

  /** Was this event delivered, and could it not be deleted yet? */
  has(id: Buffer): boolean {
    return this.#waiting.some((delivered) => delivered.id.equals(id));
  }

  /** Deletes all that were added; never rejects. */
  flush(): Promise<void> {
    this.#removing ??= this.#run().finally(() => (this.#removing = undefined));
    return this.#removing;
  }

  async #run(): Promise<void> {
    this.#stopTimer();
    this.#locked = 0;
    const { remove, onFollowed, logger } = this.options;
    while (this.#waiting.length > this.#locked) {
      const batch = this.#waiting.slice(this.#locked, this.#locked + MOST_AT_ONCE);
      try {
        const { followed, locked } = await remove(batch);
        const left = batch.filter(({ id }) => locked.some((other) => other.equals(id)));
        this.#waiting.splice(this.#locked, batch.length, ...left);
        this.#locked += left.length;
        // The answer that was lost may have said so.
        if (followed || this.#failing) onFollowed();
        this.#failing = false;
      } catch (error) {
        if (!this.#failing) logger.warn('delivered callbacks cannot be deleted, retrying', { error });
        this.#failing = true;
        this.#flushLater();
        return;
      }
    }
    this.#stopTimer();
    if (this.#locked > 0) this.#flushLater(LOCKED_MILLISECONDS);
  }

  /** Tries once more to delete what was delivered, and then no more. */
  async stop(): Promise<void> {
    await this.#removing;
    await this.flush();
    this.#stopTimer();
  }

  /** A timer that fires while a deletion is in progress does nothing more: if that fails, there must be another one. */
  #flushLater(milliseconds = GATHER_MILLISECONDS): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, milliseconds);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
