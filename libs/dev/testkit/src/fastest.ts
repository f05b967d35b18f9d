const MAX_RUNS = 600;
const MAX_TOTAL_MILLISECONDS = 20_000;

/**
 * The computing time of `work` in milliseconds: that of its fastest run, without the influence of other load.
 * Wall-clock time and this process's CPU time can both only be too high, each for different reasons (other processes,
 * other threads of this one), so the smaller one counts. `work` is repeated until a run takes less than `goal`, for at
 * most 600 runs or 20 seconds, because other load on the same core slows runs down for seconds. Set `goal` to at least
 * twice the time of a warm run, to leave room for a throttled processor.
 */
export function fastestMilliseconds(work: () => unknown, goal = 50): number {
  const began = performance.now();
  let best = Infinity;
  for (let run = 0; run < MAX_RUNS && best >= goal; run += 1) {
    const started = performance.now();
    const used = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(used);
    best = Math.min(best, performance.now() - started, (user + system) / 1000);
    if (run >= 4 && performance.now() - began > MAX_TOTAL_MILLISECONDS) break;
  }
  return best;
}

/** {@link fastestMilliseconds} for asynchronous work. */
export async function fastestAwaitedMilliseconds(work: () => Promise<unknown>, goal = 50): Promise<number> {
  const began = performance.now();
  let best = Infinity;
  for (let run = 0; run < MAX_RUNS && best >= goal; run += 1) {
    const started = performance.now();
    const used = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(used);
    best = Math.min(best, performance.now() - started, (user + system) / 1000);
    if (run >= 4 && performance.now() - began > MAX_TOTAL_MILLISECONDS) break;
  }
  return best;
}
