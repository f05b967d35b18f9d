/** What failed just now, and is left alone for a while. */
export interface QuietTimes {
  /** The quiet time of this key begins now. */
  begin(key: string): void;
  isOn(key: string): boolean;
  /** Whether its quiet time has passed and nothing has ended it: it has not succeeded since. */
  isOver(key: string): boolean;
  end(key: string): void;
}

/** Quiet times of this length for the latest `maxEntries` keys: a forgotten key is only asked for a little earlier. */
export function createQuietTimes(milliseconds: number, maxEntries: number): QuietTimes {
  const begunAt = new Map<string, number>();
  const isOn = (key: string) => performance.now() - (begunAt.get(key) ?? -Infinity) < milliseconds;
  return {
    begin(key) {
      begunAt.delete(key);
      begunAt.set(key, performance.now());
      const [oldest] = begunAt.keys();
      if (begunAt.size > maxEntries && oldest !== undefined) begunAt.delete(oldest);
    },
    isOn,
    isOver: (key) => begunAt.has(key) && !isOn(key),
    end: (key) => void begunAt.delete(key),
  };
}
