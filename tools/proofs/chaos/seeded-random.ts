/** Reproducible random numbers: good enough for choosing, not for secrets. */
export interface SeededRandom {
  /** 0 <= number < 1 */
  next(): number;
  /** An integer between both bounds, inclusive. */
  between(lowest: number, highest: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

/** The mixing function of splitmix32. */
function mix(state: number): number {
  let value = state ^ (state >>> 16);
  value = Math.imul(value, 0x21f0aaad);
  value ^= value >>> 15;
  value = Math.imul(value, 0x735a2d97);
  return (value ^ (value >>> 15)) >>> 0;
}

/** Numbers that depend only on the seed. */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    return mix(state) / 2 ** 32;
  };
  const between = (lowest: number, highest: number): number => lowest + Math.floor(next() * (highest - lowest + 1));
  return {
    next,
    between,
    pick(items) {
      const item = items[between(0, items.length - 1)];
      if (item === undefined) throw new RangeError('nothing to pick from');
      return item;
    },
  };
}

/** Deals these items in random order, all of them before one comes again. */
export function createDeck<Item>(random: SeededRandom, items: readonly Item[]): { deal(): Item } {
  let left: Item[] = [];
  return {
    deal() {
      if (left.length === 0) left = [...items];
      const item = random.pick(left);
      left = left.filter((one) => one !== item);
      return item;
    },
  };
}
