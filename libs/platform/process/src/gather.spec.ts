import { gather } from './gather';
import { currentRequestContext, withRequestContext } from './request-context';

describe('gathering single calls', () => {
  it('starts at once and makes one batch of what arrives meanwhile', async () => {
    const batches: (readonly number[])[] = [];
    const call = gather(async (items: readonly number[]) => {
      batches.push(items);
      await new Promise((resolve) => setImmediate(resolve));
      return items.length;
    });
    await expect(Promise.all([1, 2, 3, 4].map(call))).resolves.toEqual([1, 3, 3, 3]);
    await expect(call(5)).resolves.toBe(1);
    expect(batches).toEqual([[1], [2, 3, 4], [5]]);
  });

  it('makes no batch larger than it may be, and leaves nobody behind', async () => {
    const batches: (readonly number[])[] = [];
    const call = gather((items: readonly number[]) => {
      batches.push(items);
      return Promise.resolve(items);
    }, 2);
    const results = await Promise.all([1, 2, 3, 4, 5, 6].map(call));
    expect(batches).toEqual([[1], [2, 3], [4, 5], [6]]);
    expect(results.map((items, index) => items.includes(index + 1))).toEqual(Array(6).fill(true));
  });

  it('works outside of the request that called first, whose deadline is not that of the others', async () => {
    const contexts: unknown[] = [];
    const call = gather(async (items: readonly number[]) => {
      contexts.push(currentRequestContext());
      await new Promise((resolve) => setImmediate(resolve));
      return items.length;
    });
    const callers = [1, 2, 3].map((item) =>
      withRequestContext({ requestId: `request-${item}`, answerBy: new Date(0) }, async () => {
        await call(item);
        return currentRequestContext()?.requestId;
      }),
    );
    await expect(Promise.all(callers)).resolves.toEqual(['request-1', 'request-2', 'request-3']);
    expect(contexts).toEqual([undefined, undefined]);
  });

  it('gives the error of a batch to its callers and goes on', async () => {
    let broken = true;
    const call = gather(() => (broken ? Promise.reject(new RangeError('broken')) : Promise.resolve('good')));
    await expect(call(1)).rejects.toThrow(RangeError);
    broken = false;
    await expect(call(2)).resolves.toBe('good');
  });
});
