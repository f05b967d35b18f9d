import { setImmediate } from 'node:timers/promises';
import { withoutRequestContext } from '@vestibule/process';

export interface ReportsOptions<Item> {
  /** Tells a service; rejects if it was not taken, so that it is told again. */
  readonly tell: (items: readonly Item[]) => Promise<void>;
  readonly mostAtOnce: number;
  /** If more wait, the oldest are forgotten. */
  readonly mostWaiting: number;
  /** Called when the first one is forgotten, and again only after nothing has waited. */
  readonly onFull?: () => void;
  /** Asked after a report that nobody took: false for what is too old to be of use. */
  readonly isWorthwhile: (item: Item) => boolean;
  /** From the first item to its report; absent: until the end of this turn of the event loop. */
  readonly firstMilliseconds?: number;
  /** From the end of one report to the next. */
  readonly everyMilliseconds: number;
  /** After a report that nobody took: at first, and at most. */
  readonly againMilliseconds: readonly [first: number, most: number];
}

/**
 * What a gateway has to tell a service, many items in one message: they wait until the service takes them. All of them are lost
 * with this process, so nothing may depend on them.
 */
export class Reports<Item> {
  #waiting = new Map<string, Item>();
  /** Being told. */
  #batch = new Map<string, Item>();
  #telling: Promise<void> | undefined;
  #endPause: () => void = () => undefined;
  #isClosed = false;
  #isFull = false;

  constructor(private readonly options: ReportsOptions<Item>) {}

  /** How many items nobody was told of yet, without those that are being told. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Reports it soon. Of two with the same key that wait at the same time, the first counts. */
  add(key: string, item: Item): void {
    if (!this.#waiting.has(key)) this.#waiting.set(key, item);
    this.#forgetOldest();
    this.#telling ??= withoutRequestContext(() => this.#tellAll());
  }

  /** There is nothing to report any more. */
  remove(key: string): void {
    this.#waiting.delete(key);
    this.#batch.delete(key);
  }

  /** Tells what waits, unless nobody takes it. To be called when nothing more is added. */
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

  /** False if nobody took it, so that it is told again. */
  async #tell(): Promise<boolean> {
    const entries = [...this.#waiting];
    const { mostAtOnce, isWorthwhile, tell } = this.options;
    this.#batch = new Map(entries.slice(0, mostAtOnce));
    this.#waiting = new Map(entries.slice(mostAtOnce));
    try {
      await tell([...this.#batch.values()]);
      return true;
    } catch {
      // Whatever the reason, it waits; what has gone wrong is in the log and the metrics of the service.
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
