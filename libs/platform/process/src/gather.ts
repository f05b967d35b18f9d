import { withoutRequestContext } from './request-context';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Turns single calls into batches without waiting: while one batch is in progress, the calls that arrive form the next.
 * Each caller gets the result, or the error, of its batch. Batches run sequentially, the oldest calls first, and
 * outside of any request, so that no caller inherits the deadline or the id of another.
 */
export function gather<Item, Result>(
  work: (items: readonly Item[]) => Promise<Result>,
  maxItems = Infinity,
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let busy = false;

  const run = async (): Promise<void> => {
    busy = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxItems);
      waiting = waiting.slice(maxItems);
      try {
        const result = await work(batch.map(({ item }) => item));
        for (const { resolve } of batch) resolve(result);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    busy = false;
  };

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!busy) void withoutRequestContext(run);
    });
}
