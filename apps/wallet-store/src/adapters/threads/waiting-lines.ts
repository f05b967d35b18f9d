/** Queues of waiting items, one per owner; the queues take turns. */
export class WaitingLines<Item> {
  /** In the order in which they are served next; no queue is empty. */
  readonly #lines = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(owner: string, item: Item): void {
    const line = this.#lines.get(owner);
    if (line) line.push(item);
    else this.#lines.set(owner, [item]);
    this.#size += 1;
  }

  /** Takes the first item of the next queue that may be served; that queue then goes to the back. */
  shift(mayBeServed: (owner: string) => boolean): Item | undefined {
    for (const [owner, line] of this.#lines) {
      if (!mayBeServed(owner)) continue;
      const item = line.shift();
      this.#lines.delete(owner);
      if (line.length > 0) this.#lines.set(owner, line);
      this.#size -= 1;
      return item;
    }
    return undefined;
  }

  some(isMeant: (owner: string) => boolean): boolean {
    return [...this.#lines.keys()].some(isMeant);
  }

  /** Takes the last item of the longest queue, whose owner already has most items before it. */
  popFromLongest(): Item | undefined {
    let longest: readonly [owner: string, line: Item[]] | undefined;
    for (const entry of this.#lines) if (!longest || entry[1].length >= longest[1].length) longest = entry;
    if (!longest) return undefined;
    const [owner, line] = longest;
    const item = line.pop();
    if (line.length === 0) this.#lines.delete(owner);
    this.#size -= 1;
    return item;
  }

  /** Removes an item that no longer waits; false if it was not waiting. */
  remove(owner: string, item: Item): boolean {
    const line = this.#lines.get(owner) ?? [];
    const index = line.indexOf(item);
    if (index < 0) return false;
    line.splice(index, 1);
    if (line.length === 0) this.#lines.delete(owner);
    this.#size -= 1;
    return true;
  }
}
