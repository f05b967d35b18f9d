import { LONG_PAUSE, pacedPurge, pauseFor } from './index';

/** A purge with the results of its calls; an error is thrown. */
function purgeOf(results: readonly (number | Error)[]) {
  const inputs: number[] = [];
  const purge = pacedPurge(async (limit: number) => {
    const result = results[inputs.push(limit) - 1] ?? 0;
    if (result instanceof Error) throw result;
    return result;
  });
  return { purge, inputs };
}

async function callAll(purge: (limit: number) => Promise<number>, calls: number): Promise<(number | 'failed')[]> {
  const results: (number | 'failed')[] = [];
  for (let call = 1; call <= calls; call += 1) results.push(await purge(call).catch(() => 'failed' as const));
  return results;
}

describe('a paced purge', () => {
  it('that finds nothing looks at the first call and at every fifth', async () => {
    const { purge, inputs } = purgeOf([]);
    expect(await callAll(purge, 12)).toEqual(Array<number>(12).fill(0));
    expect(inputs).toEqual([1, 6, 11]);
  });

  it('of what is kept for a day looks every minute', async () => {
    const inputs: number[] = [];
    const purge = pacedPurge(async (call: number) => (inputs.push(call), 0), LONG_PAUSE);
    await callAll(purge, 121);
    expect(inputs).toEqual([1, 61, 121]);
  });

  it.each([
    [60, [1, 6, 11, 16]],
    [3_599, [1, 6, 11, 16]],
    [3_600, [1]],
  ])('of what is kept for %i seconds looks a minute later only if that is little', async (seconds, expected) => {
    const inputs: number[] = [];
    const purge = pacedPurge(async (call: number) => (inputs.push(call), 0), pauseFor(seconds));
    await callAll(purge, 16);
    expect(inputs).toEqual(expected);
  });

  it('looks again at once as long as it finds something', async () => {
    const { purge, inputs } = purgeOf([1_000, 1_000, 3, 0, 7]);
    expect(await callAll(purge, 10)).toEqual([1_000, 1_000, 3, 0, 0, 0, 0, 0, 7, 0]);
    expect(inputs).toEqual([1, 2, 3, 4, 9, 10]);
  });

  it('looks again at once after a failure, which its caller learns', async () => {
    const { purge, inputs } = purgeOf([new Error('away'), new Error('away'), 0]);
    expect(await callAll(purge, 4)).toEqual(['failed', 'failed', 0, 0]);
    expect(inputs).toEqual([1, 2, 3]);
  });

  it('is paced apart from every other', async () => {
    const [one, other] = [purgeOf([]), purgeOf([5])];
    await callAll(one.purge, 2);
    await callAll(other.purge, 2);
    expect([one.inputs, other.inputs]).toEqual([[1], [1, 2]]);
  });
});
