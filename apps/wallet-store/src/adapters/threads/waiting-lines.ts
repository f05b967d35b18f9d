/** Who waits, by whose it is: everybody has a line, and the lines take turns. */
export class WaitingLines<Item> {
  /** In the order in which they are served next; no line is empty. */
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

  /** Takes the first of the line whose turn it is, of those that may be served now; that line comes last then. */
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

  /** Takes the last of the longest line: who has most in front of the others gives way. */
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

  /** Takes out one who waits no more; false where it does not wait. */
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
