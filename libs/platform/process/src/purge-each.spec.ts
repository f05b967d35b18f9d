import { inBatches, purgeEach } from './index';

describe('purges', () => {
  it('all run, in their order, although one of them fails; its error is thrown afterwards', async () => {
    const ran: string[] = [];
    const purge = (name: string, error?: Error) => async () => {
      ran.push(name);
      if (error) throw error;
      return 2;
    };
    const locked = new Error('its table is locked');
    const run = purgeEach([purge('a'), purge('b', locked), purge('c', new Error('another')), purge('d')]);
    await expect(run).rejects.toBe(locked);
    expect(ran).toEqual(['a', 'b', 'c', 'd']);
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
