const WINDOW_MILLISECONDS = 1_000;

export interface LineBudgetOptions {
  /** The maximum number of lines of one kind per second. */
  readonly perSecond: number;
  /** Called at the end of a second in which lines of a kind were omitted. */
  readonly onLeftOut: (kind: string, leftOut: number) => void;
}

/** True if the line may be written. */
export type LineBudget = (kind: string) => boolean;

/**
 * Bounds what clients can make a process log: a number of lines per kind and second, and then how many were omitted. A
 * second begins with its first line. `kind` is one of a few fixed words, never input.
 */
export function createLineBudget({ perSecond, onLeftOut }: LineBudgetOptions): LineBudget {
  const counts = new Map<string, number>();
  const endSecond = (): void => {
    const left = [...counts].filter(([, count]) => count > perSecond);
    counts.clear();
    for (const [kind, count] of left) onLeftOut(kind, count - perSecond);
  };
  return (kind) => {
    if (counts.size === 0) setTimeout(endSecond, WINDOW_MILLISECONDS).unref();
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return count <= perSecond;
  };
}
