import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { calibrate } from './calibration';
import type { Checkout } from './checkout';
import { runCounts } from './count-run';
import { FLOW_NAMES, type FlowName } from './flows';
import type { BenchOptions } from './options';
import type { BenchResult, CheckoutResult, CostTable } from './result';
import { costsOf, flowResultOf, observeIdle, runRound, timesAlone, type Round } from './rounds';
import { startRunningStack, type RunningStack } from './running-stack';
import { seedRequests, seedStatusEntries, type Progress } from './seed';

export interface BenchWish {
  readonly options: BenchOptions;
  readonly checkouts: readonly Checkout[];
  readonly searchPath: string | undefined;
  readonly progress: Progress;
  /** Called with everything that must be stopped in any case. */
  readonly onOpen: (stop: () => Promise<void>) => void;
}

/** One checkout under measurement. */
interface Candidate {
  readonly checkout: Checkout;
  readonly running: RunningStack;
  readonly counts: CheckoutResult['counts'];
  readonly idle: CostTable;
  readonly firstMinute: CostTable;
  readonly rounds: Readonly<Record<FlowName, Round[]>>;
  /** A round with a single wallet, while nothing else happens. */
  readonly alone: Partial<Record<FlowName, Round>>;
}

const ROUND_SECONDS = 6;
/**
 * Warm-up until the JIT has optimised the services' code: they get faster for that many flows. After 2,000, compiling
 * still took a tenth of the verifier's CPU.
 */
const WARM_UP = { seconds: 30, flows: 6_000 };
const MINUTE_MILLISECONDS = 60_000;
/**
 * From the start until a stack is at rest: within that time V8 collects, twice, what the start of each process has left,
 * and that takes a sixth to a third of a second.
 */
const SETTLING_MILLISECONDS = 2 * MINUTE_MILLISECONDS;
const IDLE_MILLISECONDS = 30_000;

async function seed({ running, wish }: { running: RunningStack; wish: BenchWish }): Promise<void> {
  const { oldRequests, statusEntries, wallets } = wish.options;
  if (statusEntries === 0 && oldRequests === 0) return;
  const client = new Client({ connectionString: running.adminUrl });
  await client.connect();
  try {
    // The list first: the verifier requests it with the first presentation.
    if (statusEntries > 0) await seedStatusEntries(client, statusEntries, wish.progress);
    if (oldRequests === 0) return;
    await running.driver.drive({ flow: 'presentation', until: { flows: wallets }, wallets, oneByOne: false });
    await seedRequests(client, oldRequests, wish.progress);
  } finally {
    await client.end();
  }
}

/** The usage of a stack per second while it does nothing for so long. */
async function idleFor(milliseconds: number, running: RunningStack): Promise<CostTable> {
  return costsOf([await observeIdle(running, () => sleep(milliseconds))]);
}

/** Starts the stack to be measured. While it comes to rest, counts the checkout on a separate stack. */
async function prepare(checkout: Checkout, wish: BenchWish): Promise<Candidate> {
  const { options, searchPath, progress } = wish;
  progress(`starting the stack of ${checkout.name} checkout`);
  const running = await startRunningStack({ checkout, searchPath, ...options });
  wish.onOpen(running.stop);
  const settled = performance.now() + SETTLING_MILLISECONDS;
  progress('idle: the first minute');
  const firstMinute = await idleFor(MINUTE_MILLISECONDS, running);
  const counts = await runCounts({ checkout, encrypted: options.encrypted, searchPath, progress, onOpen: wish.onOpen });
  await sleep(Math.max(0, settled - performance.now()));
  progress(`idle: ${IDLE_MILLISECONDS / 1000} s at rest`);
  const idle = await idleFor(IDLE_MILLISECONDS, running);
  await running.open();
  await seed({ running, wish });
  return { checkout, running, counts, idle, firstMinute, rounds: { presentation: [], issuance: [] }, alone: {} };
}

async function warmUp(candidates: readonly Candidate[], { options, progress }: BenchWish): Promise<void> {
  const { wallets } = options;
  const until = { ...WARM_UP, seconds: Math.min(WARM_UP.seconds, options.seconds) };
  for (const { checkout, running } of candidates) {
    for (const flow of FLOW_NAMES) {
      progress(`warming up ${checkout.name} checkout: ${flow}`);
      await Promise.race([running.driver.drive({ flow, until, wallets, oneByOne: false }), running.broken]);
    }
  }
}

/** Rounds of all flows; the checkouts alternate, and so does which of them goes first. */
async function drive(candidates: readonly Candidate[], { options, progress }: BenchWish, rounds: number) {
  const seconds = options.seconds / rounds;
  for (let number = 0; number < rounds; number += 1) {
    const turns = number % 2 === 0 ? candidates : [...candidates].reverse();
    for (const flow of FLOW_NAMES) {
      for (const candidate of turns) {
        const round = await runRound(candidate.running, { flow, seconds, wallets: options.wallets });
        candidate.rounds[flow].push(round);
        const rate = (round.report.finished / round.report.seconds).toFixed(1);
        progress(`round ${number + 1} of ${rounds}, ${candidate.checkout.name} checkout: ${flow}, ${rate} per second`);
      }
    }
  }
}

/** One wallet at a time: how long a flow takes while nothing waits for a processor. */
async function driveAlone(candidates: readonly Candidate[], { options, progress }: BenchWish) {
  const seconds = Math.min(ROUND_SECONDS, options.seconds);
  for (const flow of FLOW_NAMES) {
    for (const { checkout, running, alone } of candidates) {
      progress(`a lone wallet, ${checkout.name} checkout: ${flow}`);
      alone[flow] = await runRound(running, { flow, seconds, wallets: 1 });
    }
  }
}

function resultOf({ checkout, counts, idle, firstMinute, rounds, alone }: Candidate): CheckoutResult {
  const flows = FLOW_NAMES.map((flow) => [flow, flowResultOf(rounds[flow])]);
  return {
    name: checkout.name,
    idle,
    firstMinute,
    flows: Object.fromEntries(flows) as CheckoutResult['flows'],
    residentBytes: rounds.issuance.at(-1)?.residentBytes ?? {},
    counts,
    alone: Object.fromEntries(Object.entries(alone).map(([flow, round]) => [flow, timesAlone(round)])),
  };
}

const load = () => loadavg()[0] ?? Number.NaN;

/**
 * Measures each checkout: counts on a separate stack, then idle work and rounds of both flows, alternating with the
 * others.
 * @throws BenchFailure and what the checkouts throw, which name what failed
 */
export async function runBench(wish: BenchWish): Promise<BenchResult> {
  const { options, checkouts } = wish;
  const before = { load: load(), verification: calibrate() };
  const candidates: Candidate[] = [];
  for (const checkout of checkouts) candidates.push(await prepare(checkout, wish));
  await warmUp(candidates, wish);
  const rounds = Math.max(1, Math.round(options.seconds / ROUND_SECONDS));
  await drive(candidates, wish, rounds);
  await driveAlone(candidates, wish);
  const { wallets, replicas, encrypted, oldRequests, statusEntries } = options;
  return {
    at: new Date().toISOString(),
    node: process.version,
    cores: cpus().length,
    nats: candidates[0]?.running.servers.natsName ?? '',
    load: { before: before.load, after: load() },
    verification: { before: before.verification, after: calibrate() },
    wallets,
    replicas,
    rounds,
    secondsPerRound: options.seconds / rounds,
    encrypted,
    oldRequests,
    statusEntries,
    checkouts: candidates.map(resultOf),
  };
}
