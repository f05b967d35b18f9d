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

export interface DeliveredOptions {
  /** Deletes these events. True if events of the same subjects have waited for them. */
  readonly remove: (delivered: readonly DeliveredCallback[]) => Promise<boolean>;
  /** Called if events have waited for deleted ones. */
  readonly onFollowed: () => void;
  readonly logger: Logger;
}

/** How long a delivered event waits for others, which are deleted in the same statement. */
const GATHER_MILLISECONDS = 100;
/** As many are deleted without waiting for more, and at most in one statement. */
const MOST_AT_ONCE = 200;

/**
 * Deletes delivered events in batches. Until then they are leased, so that nobody else posts them. A batch that could
 * not be deleted is tried again; if the process dies before, its events are posted again when their leases end.
 */
export class DeliveredCallbacks {
  readonly #waiting: DeliveredCallback[] = [];
  #timer: NodeJS.Timeout | undefined;
  #removing: Promise<void> | undefined;
  #failing = false;

  constructor(private readonly options: DeliveredOptions) {}

  add(delivered: DeliveredCallback): void {
    this.#waiting.push(delivered);
    if (this.#waiting.length >= MOST_AT_ONCE && !this.#failing) void this.flush();
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
    const { remove, onFollowed, logger } = this.options;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, MOST_AT_ONCE);
      try {
        const followed = await remove(batch);
        this.#waiting.splice(0, batch.length);
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
  }

  /** Tries once more to delete what was delivered, and then no more. */
  async stop(): Promise<void> {
    await this.#removing;
    await this.flush();
    this.#stopTimer();
  }

  /** A timer that fires while a deletion is in progress does nothing more: if that fails, there must be another one. */
  #flushLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, GATHER_MILLISECONDS);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
