import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { judgeCounts, readBudget } from './bench/budget';
import { runBench } from './bench/bench-run';
import { openCheckout, THIS_CHECKOUT } from './bench/checkout';
import { runCounts, type CountResult } from './bench/count-run';
import { Interrupted, untilInterrupted } from './bench/interruption';
import { BENCH_USAGE, parseBenchOptions, type BenchOptions } from './bench/options';
import { MEASURED_FILE, withoutParts } from './bench/measured';
import { renderCounts, renderResult } from './bench/report';
import type { ToolContext } from '../start';

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** Stops everything that was started, in reverse order. */
class Opened {
  readonly #stops: (() => Promise<void>)[] = [];

  readonly add = (stop: () => Promise<void>): void => void this.#stops.push(stop);

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0).reverse()) await stop();
  }
}

/** Progress is written to standard error, so that the output contains only the result. */
function createProgress(): (text: string) => void {
  const started = performance.now();
  return (text) => {
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    process.stderr.write(`${seconds.padStart(4)} s  ${text}\n`);
  };
}

function judge(counts: CountResult, { root }: ToolContext): number {
  const { faults, hints } = judgeCounts(counts, readBudget(root));
  for (const text of [...faults, ...hints]) print(text);
  return faults.length === 0 ? 0 : 1;
}

async function count(context: ToolContext, options: BenchOptions, onOpen: Opened['add']): Promise<number> {
  const searchPath = context.environment['PATH'];
  const progress = createProgress();
  const counts = await runCounts({
    checkout: THIS_CHECKOUT,
    encrypted: options.encrypted,
    searchPath,
    progress,
    onOpen,
  });
  print(options.json ? JSON.stringify(counts, null, 2) : renderCounts(counts));
  return judge(counts, context);
}

async function measure(context: ToolContext, options: BenchOptions, onOpen: Opened['add']): Promise<number> {
  const others = options.compare === undefined ? [] : [openCheckout(options.compare)];
  const searchPath = context.environment['PATH'];
  const checkouts = [THIS_CHECKOUT, ...others];
  const result = await runBench({ options, checkouts, searchPath, progress: createProgress(), onOpen });
  print(options.json ? JSON.stringify(result, null, 2) : renderResult(result));
  if (options.record) writeFileSync(path.join(context.root, MEASURED_FILE), withoutParts(result));
  return 0;
}

/**
 * `npm run bench`: the cost of the two flows. CPU of every process, times, memory, statements, messages and stored
 * bytes; with `--counts` only what can be counted, compared with `tools/proofs/bench/budget.json`. Exit code 1 above
 * the budget, 2 for invalid options, 130 after an interruption.
 */
export async function main(context: ToolContext): Promise<number> {
  const options = parseBenchOptions(context.argv);
  if (!options) {
    print(BENCH_USAGE);
    return context.argv.includes('--help') ? 0 : 2;
  }
  const opened = new Opened();
  const work = options.counts ? count(context, options, opened.add) : measure(context, options, opened.add);
  // After an interruption it fails because its processes are stopped.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, untilInterrupted()]);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 130;
  } finally {
    await opened.stop();
  }
}
