import { cpus } from 'node:os';
import { execFileSync } from 'node:child_process';
import { findProgram } from '@vestibule/dev-stack';
import { untilInterrupted } from './bench/interruption';
import { findDifferences } from './chaos/differences';
import { makeChaos, type ChaosReport } from './chaos/disturbances';
import { renderResults } from './chaos/fault-report';
import { judgeEpisodes, type FaultResult } from './chaos/episodes';
import { readEndsOf, runFaults } from './chaos/fault-run';
import { chooseFaults, leftOutLines } from './chaos/chosen-faults';
import { faultsOf, type Fault } from './chaos/faults';
import { createHolder, runFlow, type Holder, type RunFlow } from './chaos/flows';
import { findLeaks, measureFootprint, type Footprint } from './chaos/leaks';
import { readOptions, USAGE, type Options } from './chaos/options';
import { record } from './chaos/recorded';
import { findRemains } from './chaos/remains';
import { CLOCKS_LEFT_OUT, findClockLibrary } from './chaos/replica-clock';
import { createSeededRandom } from './chaos/seeded-random';
import { readEnds, recover, seen, settle, SETTLING_MILLISECONDS } from './chaos/settling';
import { changeStatuses } from './chaos/status-changes';
import { judgeFlows, type Verdict } from './chaos/verdict';
import { startWatcher } from './chaos/watcher';
import { startWorld, type World } from './chaos/world';

interface Results {
  readonly flows: readonly RunFlow[];
  readonly faults: readonly string[];
}

const HOLDERS = 4;
/** Several, because most of them are waiting most of the time. */
const FLOWS_PER_HOLDER = 6;
const RECOVERY_MILLISECONDS = 120_000;
const PROGRESS_MILLISECONDS = 10_000;
const SHOWN_FAULTS = 20;
/** Fewer flows are over before a status list is old, and before each part has had its turn. */
const MANY_FLOWS = 100;

const print = (text = '') => void process.stdout.write(`${text}\n`);
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(0)} s`;

/** Runs all flows, a few at a time; a failure in one does not stop the others. */
async function runFlows(world: World, holders: readonly Holder[], count: number): Promise<Results> {
  const flows: RunFlow[] = [];
  const faults: string[] = [];
  let next = 0;
  const started = performance.now();
  const progress = setInterval(
    () => print(`${seconds(started)}: ${flows.length} of ${count} flows done, ${faults.length} faults`),
    PROGRESS_MILLISECONDS,
  );
  const work = async (holder: Holder) => {
    while (next < count) {
      const number = next;
      next += 1;
      await runFlow(world, holder, number).then(
        (flow) => void flows.push(flow),
        (error: unknown) => void faults.push(`flow ${number}: ${String(error)}`),
      );
    }
  };
  const parallel = holders.flatMap((holder) => Array.from({ length: FLOWS_PER_HOLDER }, () => work(holder)));
  await Promise.all(parallel);
  clearInterval(progress);
  return { flows, faults };
}

function printFootprint(when: string, { memory, connections }: Footprint): void {
  const listed = (values: Readonly<Record<string, number>>, unit: string) =>
    Object.entries(values)
      .map(([name, value]) => `${name} ${value}${unit}`)
      .join(', ');
  print(`${when}: memory ${listed(memory, ' MiB')}; connections to Postgres ${listed(connections, '')}`);
}

function printSummary(chaos: ChaosReport, verdict: Verdict, callbacks: number): void {
  print('\nDisturbances:');
  for (const [name, count] of [...chaos.counts].sort()) print(`  ${String(count).padStart(4)}  ${name}`);
  print('\nFlows:');
  for (const [status, count] of Object.entries(verdict.ends)) print(`  ${String(count).padStart(4)}  ${status}`);
  print(`\n${callbacks} callbacks arrived, ${verdict.repeats} of them again.`);
}

interface ChaosResult {
  /** Wallets whose outcome was compared with that of their backend. */
  readonly compared: number;
  /** Faults that were not run, because the NATS server is too old for them. */
  readonly leftOut: number;
  readonly faults: readonly string[];
}

/** Random flows amid random disturbances. */
async function runChaos(world: World, { flows: count, seed }: Options): Promise<ChaosResult> {
  const deadline = performance.now() + RECOVERY_MILLISECONDS;
  const holders = await Promise.all(Array.from({ length: HOLDERS }, () => createHolder(world, { deadline })));
  printFootprint('Before', await measureFootprint(world));
  let over = false;
  const chaos = makeChaos(world, { random: createSeededRandom(seed), isOver: () => over, report: () => undefined });
  const flows: RunFlow[] = [];
  const keep = async (flow: RunFlow) => void flows.push(flow);
  const changing = count < MANY_FLOWS ? [] : changeStatuses(world, () => over, keep);
  const results = await runFlows(world, holders, count).finally(() => void (over = true));
  flows.push(...results.flows);
  const disturbed = await chaos;
  const changes = await changing;
  print('All flows have ended; waiting until every part works again.');
  const recovery = await recover(world);
  const records = recovery.length > 0 ? [] : await readEnds(world, flows);
  await settle(world);
  const callbacks = world.backend.received.map(seen);
  const verdict = judgeFlows(records, callbacks);
  printSummary(disturbed, verdict, callbacks.length);
  const stories = flows.map(({ story }) => story);
  const differences = findDifferences(stories, callbacks);
  print(`\n${stories.length} wallets, and what their backends were told: ${differences.length} differences.`);
  const faults = [...results.faults, ...changes, ...disturbed.faults, ...recovery, ...verdict.faults];
  return { compared: stories.length, leftOut: 0, faults: [...differences, ...faults] };
}

/** The version of the nats-server that runs; undefined for the embedded broker. */
function versionOfNats(searchPath: string | undefined): string | undefined {
  const binary = findProgram('nats-server', searchPath);
  if (binary === undefined) return undefined;
  return /\d+(?:\.\d+)+/.exec(execFileSync(binary, ['--version']).toString())?.[0];
}

/** Fault after fault, while the product is watched from outside. */
async function runWatched(world: World, chosen: readonly Fault[]): Promise<readonly FaultResult[]> {
  const watcher = await startWatcher(world);
  const started = performance.now();
  const report = (line: string) => print(`${seconds(started)}: ${line}`);
  print(`\n${chosen.length} faults, one at a time:`);
  const episodes = await runFaults(world, watcher, { faults: chosen, report });
  await watcher.stop();
  const flows = await readEndsOf(world, watcher, performance.now() + SETTLING_MILLISECONDS);
  await settle(world);
  return judgeEpisodes(episodes, { watched: watcher, flows, callbacks: world.backend.received.map(seen) });
}

function keep(root: string, searchPath: string | undefined, results: readonly FaultResult[]): void {
  const binary = findProgram('nats-server', searchPath);
  const nats = binary === undefined ? 'the embedded NATS' : execFileSync(binary, ['--version']).toString().trim();
  const on = new Date().toISOString().slice(0, 10);
  record(root, { on, node: process.versions.node, nats, cores: cpus().length, results });
}

async function run(world: World, options: Options, { root, environment }: MainInput): Promise<ChaosResult> {
  const chaos = options.flows === 0 ? { compared: 0, leftOut: 0, faults: [] } : await runChaos(world, options);
  const faults = [...chaos.faults];
  const natsVersion = versionOfNats(environment['PATH']);
  const run = chooseFaults(faultsOf(world), options, natsVersion);
  const notRun = leftOutLines(run, natsVersion);
  if (notRun.length > 0) print(`\n${notRun.join('\n')}`);
  if (run.chosen.length > 0) {
    const results = await runWatched(world, run.chosen);
    print(`\n${renderResults(results)}`);
    if (options.record && run.leftOut.length > 0) print('Not recorded, because faults were left out.');
    else if (options.record) keep(root, environment['PATH'], results);
    faults.push(...results.flatMap(({ name, faults: found }) => found.map((fault) => `${name}: ${fault}`)));
  }
  const footprint = await settle(world);
  printFootprint('After', footprint);
  faults.push(...findLeaks(footprint), ...(await findRemains(world, root)));
  return { compared: chaos.compared, leftOut: run.leftOut.length, faults };
}

/**
 * Runs flows of both kinds while everything that they need is killed, restarted, paused and cut off at random. Then
 * each must have exactly one end, its callback at least once with one body per event, backends must have been told what
 * wallets hold and received, what was revoked must be refused, and nothing may be left over. Afterwards one part after
 * the other hangs, vanishes or misbehaves, and the product must recover within the bound of that fault.
 */
export async function main(input: MainInput): Promise<number> {
  const options = readOptions(input.argv);
  if (!options) {
    print(USAGE);
    return 2;
  }
  const started = performance.now();
  print(`Chaos: ${options.flows} flows, seed ${options.seed}, faults: ${options.faults}.`);
  const { root, environment } = input;
  const withClocks = options.flows >= MANY_FLOWS;
  const clockLibrary = withClocks ? findClockLibrary(environment) : undefined;
  const world = await startWorld({ root, searchPath: environment['PATH'], clockLibrary });
  print(`Two replicas of each process run after ${seconds(started)}.`);
  if (withClocks && clockLibrary === undefined) print(CLOCKS_LEFT_OUT);
  let faults: readonly string[] = ['the run ended early'];
  let [compared, leftOut] = [0, 0];
  try {
    ({ compared, leftOut, faults } = await Promise.race([run(world, options, input), untilInterrupted()]));
  } finally {
    await world.stop(faults.length > 0);
  }
  if (faults.length === 0) {
    const passed = `Passed in ${seconds(started)}: every flow has one end and its callback, nothing is left over, no person's name is stored`;
    const same = compared === 0 ? '' : `; ${compared} flows, 0 differences between wallets and backends`;
    const omitted = leftOut === 0 ? '' : `; ${leftOut} faults were NOT RUN (see above)`;
    print(`\n${passed}${same}${omitted}.`);
    return 0;
  }
  print(`\nFAILED (seed ${options.seed}), ${faults.length} faults:`);
  for (const fault of faults.slice(0, SHOWN_FAULTS)) print(`  ${fault}`);
  print(`Logs: ${world.stack.logFile}`);
  return 1;
}

interface MainInput {
  readonly root: string;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}
