import { inBatches, purgeEach } from './index';
import { eachFailure } from './timer';

describe('purges', () => {
  const failing = (error: Error) => () => Promise.reject(error);

  it('all run, in their order, although one of them fails; its error is thrown afterwards', async () => {
    const ran: string[] = [];
    const purge = (name: string, error?: Error) => async () => {
      ran.push(name);
      if (error) throw error;
      return 2;
    };
    const locked = new Error('its table is locked');
    await expect(purgeEach([purge('a'), purge('b', locked), purge('c')])).rejects.toBe(locked);
    expect(ran).toEqual(['a', 'b', 'c']);
  });

  it('that fail are all told, also those that are parts of one', async () => {
    const errors = [new Error('one'), new Error('two'), new Error('three')] as const;
    const nested = () => purgeEach([failing(errors[1]), async () => 1, failing(errors[2])]);
    const thrown: unknown = await purgeEach([failing(errors[0]), nested]).catch((error: unknown) => error);
    expect(eachFailure(thrown)).toEqual(errors);
  });

  it('count together what they have deleted', async () => {
    expect(await purgeEach([async () => 2, async () => 0, async () => 5])).toBe(7);
    expect(await purgeEach([])).toBe(0);
  });

  it.each([
    [0, 0, 1],
    [999, 999, 1],
    [1_000, 1_000, 2],
    [2_500, 2_500, 3],
    [25_000, 10_000, 10],
  ])('of %d rows delete %d at once, in batches', async (rows, purged, batches) => {
    let left = rows;
    const limits: number[] = [];
    const purge = inBatches(async (limit) => {
      limits.push(limit);
      const count = Math.min(left, limit);
      left -= count;
      return count;
    });
    expect(await purge()).toBe(purged);
    expect(limits).toEqual(Array<number>(batches).fill(1_000));
  });

  it('end after what they are just deleting when there is no more time', async () => {
    let batches = 0;
    const full = inBatches(async (limit) => ((batches += 1), limit));
    const goesOn = () => batches < 3;
    expect(await purgeEach([full, full], goesOn)).toBe(3_000);
    expect(batches).toBe(3);
  });
});
