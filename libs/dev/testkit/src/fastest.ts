const MAX_RUNS = 600;
const MAX_TOTAL_MILLISECONDS = 20_000;

/**
 * Milliseconds of computing of the fastest run of `work`: what it takes, without what else the machine does. The time on
 * the clock and the time of this process on a processor both only exceed that, each for reasons of its own (other
 * processes, other threads of this one), so the smaller one counts. Work is run again until a run stays below `goal`, and
 * given up after 600 runs or 20 seconds: neighbours on the same core slow a run down for seconds. A goal is for what a run takes when it is warm: at least twice that leaves room
 * for a processor that others heat.
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

/** As {@link fastestMilliseconds}, of work that ends with a promise. */
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
