/** @jest-environment ./tools/jest-context-environment.cjs */
import { TenantLanes } from './tenant-lanes';

/** Work that ends when it is told to. */
function task() {
  let end: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    end = resolve;
  });
  let started = 0;
  const work = async () => {
    started += 1;
    await gate;
    return 'done';
  };
  return { work, end, started: () => started };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the share of a tenant', () => {
  it.each([
    [1, 1],
    [3, 1],
    [9, 3],
    [10, 3],
    [12, 4],
  ])('of %i connections is %i at the same time', async (connections, share) => {
    const lanes = new TenantLanes(connections);
    const tasks = Array.from({ length: share + 5 }, task);
    const runs = tasks.map(({ work }) => lanes.run('one', work));
    await settled();
    expect(tasks.filter(({ started }) => started() === 1)).toHaveLength(share);
    const other = task();
    const another = lanes.run('two', other.work);
    await settled();
    expect(other.started()).toBe(1);
    for (const { end } of [...tasks, other]) end();
    expect(await Promise.all([...runs, another])).toEqual(Array.from({ length: share + 6 }, () => 'done'));
  });

  it('is taken over by whoever waits longest, also after a failure', async () => {
    const lanes = new TenantLanes(3);
    const order: number[] = [];
    const runs = [0, 1, 2, 3].map((index) =>
      lanes.run('one', async () => {
        order.push(index);
        await settled();
        if (index === 1) throw new Error('failed');
      }),
    );
    await Promise.allSettled(runs);
    expect(order).toEqual([0, 1, 2, 3]);
  });

  it('is waited for at most two seconds, and by at most a hundred calls', async () => {
    jest.useFakeTimers();
    try {
      const lanes = new TenantLanes(3);
      const first = task();
      const running = lanes.run('one', first.work);
      const waiting = Array.from({ length: 101 }, () => lanes.run('one', async () => 'in'));
      const outcomes = Promise.allSettled(waiting);
      await expect(waiting.at(-1)).rejects.toMatchObject({ kind: 'unavailable', code: 'tenant_busy' });
      await jest.advanceTimersByTimeAsync(1_999);
      const late = lanes.run('one', async () => 'in').catch((error: { code: string }) => error.code);
      expect(await late).toBe('tenant_busy');
      await jest.advanceTimersByTimeAsync(1);
      const codes = (await outcomes).map((one) =>
        one.status === 'rejected' ? (one.reason as { code: string }).code : 'in',
      );
      expect(new Set(codes)).toEqual(new Set(['tenant_busy']));
      first.end();
      expect(await running).toBe('done');
      expect(await lanes.run('one', async () => 'in')).toBe('in');
    } finally {
      jest.useRealTimers();
    }
  });
});
