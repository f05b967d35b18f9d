import { setImmediate } from 'node:timers/promises';
import { withoutRequestContext } from '@vestibule/process';

export interface ReportsOptions<Item> {
  /** Sends items to a service; rejects if they were not accepted, so that they are sent again. */
  readonly tell: (items: readonly Item[]) => Promise<void>;
  readonly mostAtOnce: number;
  /** If more are waiting, the oldest are dropped. */
  readonly mostWaiting: number;
  /** Called when the first item is dropped, and again only after none have been waiting. */
  readonly onFull?: () => void;
  /** Called for each item of a report that was not accepted: false if it is too old to be of use. */
  readonly isWorthwhile: (item: Item) => boolean;
  /** From the first item to its report; absent: until the end of this turn of the event loop. */
  readonly firstMilliseconds?: number;
  /** From the end of one report to the next. */
  readonly everyMilliseconds: number;
  /** After a report that was not accepted: the first wait, and the longest. */
  readonly againMilliseconds: readonly [first: number, most: number];
}

/**
 * Items that a gateway reports to a service, many per message: they wait until the service accepts them. All of them
 * are lost with this process, so nothing may depend on them.
 */
export class Reports<Item> {
  #waiting = new Map<string, Item>();
  /** The items being sent. */
  #batch = new Map<string, Item>();
  #telling: Promise<void> | undefined;
  #endPause: () => void = () => undefined;
  #isClosed = false;
  #isFull = false;

  constructor(private readonly options: ReportsOptions<Item>) {}

  /** How many items have not been sent yet, without those being sent. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Reports it soon. If two items with the same key are waiting, the first counts. */
  add(key: string, item: Item): void {
    if (!this.#waiting.has(key)) this.#waiting.set(key, item);
    this.#forgetOldest();
    this.#telling ??= withoutRequestContext(() => this.#tellAll());
  }

  /** Drops an item that need not be reported any more. */
  remove(key: string): void {
    this.#waiting.delete(key);
    this.#batch.delete(key);
  }

  /** Sends the waiting items, unless no service accepts them. Call it when no more items are added. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endPause();
    await this.#telling;
    let isTaken = true;
    while (isTaken && this.#waiting.size > 0) isTaken = await this.#tell();
  }

  async #tellAll(): Promise<void> {
    const { firstMilliseconds, everyMilliseconds, againMilliseconds } = this.options;
    const [first, most] = againMilliseconds;
    let again = first;
    if (firstMilliseconds === undefined) await setImmediate();
    else await this.#pause(firstMilliseconds);
    while (this.#waiting.size > 0 && !this.#isClosed) {
      const isTaken = await this.#tell();
      await this.#pause(isTaken ? everyMilliseconds : again);
      again = isTaken ? first : Math.min(again * 2, most);
    }
    this.#isFull = false;
    this.#telling = undefined;
  }

  async #pause(milliseconds: number): Promise<void> {
    if (this.#isClosed) return;
    await new Promise<void>((resolve) => {
      this.#endPause = resolve;
      setTimeout(resolve, milliseconds).unref();
    });
  }

  /** False if no service accepted them, so that they are sent again. */
  async #tell(): Promise<boolean> {
    const entries = [...this.#waiting];
    const { mostAtOnce, isWorthwhile, tell } = this.options;
    this.#batch = new Map(entries.slice(0, mostAtOnce));
    this.#waiting = new Map(entries.slice(mostAtOnce));
    try {
      await tell([...this.#batch.values()]);
      return true;
    } catch {
      // Whatever the reason, they wait; the log and the metrics of the service show what went wrong.
      const again = [...this.#batch].filter(([, item]) => isWorthwhile(item));
      this.#waiting = new Map([...again, ...[...this.#waiting].filter(([key]) => !this.#batch.has(key))]);
      this.#forgetOldest();
      return false;
    } finally {
      this.#batch = new Map();
    }
  }

  #forgetOldest(): void {
    const { mostWaiting, onFull } = this.options;
    while (this.#waiting.size > mostWaiting) {
      const [oldest] = this.#waiting.keys();
      this.#waiting.delete(oldest as string);
      if (!this.#isFull) onFull?.();
      this.#isFull = true;
    }
  }
}
