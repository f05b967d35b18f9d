import { withoutRequestContext } from '@vestibule/process';

export interface ReportsOptions<Item> {
  /** Tells a service; rejects where it was not taken, so that it is told again. */
  readonly tell: (items: readonly Item[]) => Promise<void>;
  readonly mostAtOnce: number;
  /** False for what is too old to be of use: it is forgotten. */
  readonly isWorthwhile: (item: Item) => boolean;
  /** What comes while so many wait is not reported. */
  readonly mostWaiting: number;
  /** Told when the first one is left out, and again only after nothing has waited. */
  readonly onFull: () => void;
  /** From the first that comes to its report, and from one report to the next. */
  readonly everyMilliseconds: number;
  /** After a report that nobody took: at first, and at most. */
  readonly againMilliseconds: readonly [first: number, most: number];
}

/**
 * What a gateway has to tell a service, many at once and each once: it waits until the service takes it. Everything is lost with
 * this process, so that nothing may be right only because of it.
 */
export class Reports<Item> {
  readonly #waiting = new Map<string, Item>();
  #telling: Promise<void> | undefined;
  #endPause: () => void = () => undefined;
  #isClosed = false;
  #isFull = false;

  constructor(private readonly options: ReportsOptions<Item>) {}

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Reports it soon. Of two with the same key that wait at the same time the first counts. */
  add(key: string, item: Item): void {
    if (this.#isClosed || this.#waiting.has(key)) return;
    if (this.#waiting.size >= this.options.mostWaiting) {
      if (!this.#isFull) this.options.onFull();
      this.#isFull = true;
      return;
    }
    this.#waiting.set(key, item);
    this.#telling ??= withoutRequestContext(() => this.#tellAll());
  }

  /** There is nothing to report any more. */
  remove(key: string): void {
    this.#waiting.delete(key);
  }

  /** Tells what waits, once, and takes nothing more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endPause();
    await this.#telling;
    while (this.#waiting.size > 0) if (!(await this.#tell())) return;
  }

  async #tellAll(): Promise<void> {
    const [first, most] = this.options.againMilliseconds;
    let again = first;
    await this.#pause(this.options.everyMilliseconds);
    while (this.#waiting.size > 0 && !this.#isClosed) {
      const isTaken = await this.#tell();
      await this.#pause(isTaken ? this.options.everyMilliseconds : again);
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

  async #tell(): Promise<boolean> {
    for (const [key, item] of this.#waiting) if (!this.options.isWorthwhile(item)) this.#waiting.delete(key);
    const batch = [...this.#waiting].slice(0, this.options.mostAtOnce);
    if (batch.length === 0) return true;
    try {
      await this.options.tell(batch.map(([, item]) => item));
    } catch {
      // It waits. What is wrong is in the metrics and the log of what answered.
      return false;
    }
    // One that came anew meanwhile is another one, and was not told.
    for (const [key, item] of batch) if (this.#waiting.get(key) === item) this.#waiting.delete(key);
    return true;
  }
}
