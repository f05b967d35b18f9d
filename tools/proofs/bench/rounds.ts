import { calibrate, median, normalise } from './calibration';
import type { FlowName, FlowReport } from './flows';
import { cpuBetween, readAll, type MeasuredProcess, type UseByName } from './measured-process';
import type { Cost, CostTable, FlowResult, StepTimes, TimesAlone } from './result';
import type { RunningStack } from './running-stack';

/** CPU of a period, with the machine's calibration around it. */
export interface Stretch {
  /** Milliseconds by process, per flow or per second. */
  readonly cpu: Readonly<Record<string, number>>;
  /** CPU of one ES256 verification: the mean of before and after. */
  readonly microseconds: number;
}

/** One round of one flow. */
export interface Round extends Stretch {
  readonly report: FlowReport;
  /** Milliseconds of CPU per flow of the wallets and the backend, which are not among the processes. */
  readonly wallets: number;
  readonly residentBytes: Readonly<Record<string, number>>;
}

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);

const divided = (cpu: Readonly<Record<string, number>>, by: number) =>
  Object.fromEntries(Object.entries(cpu).map(([name, milliseconds]) => [name, milliseconds / by]));

const memoryOf = (uses: UseByName) =>
  Object.fromEntries([...uses].map(([name, { residentBytes }]) => [name, residentBytes]));

/** The usage of the processes during some work, divided; with a calibration before and after. */
export async function observe(
  processes: readonly MeasuredProcess[],
  divisor: number | (() => number),
  work: () => Promise<unknown>,
): Promise<Stretch & { readonly after: UseByName }> {
  const calibratedBefore = calibrate();
  const before = await readAll(processes);
  await work();
  const after = await readAll(processes);
  const microseconds = (calibratedBefore + calibrate()) / 2;
  const by = typeof divisor === 'number' ? divisor : divisor();
  return { cpu: divided(cpuBetween(before, after), by), microseconds, after };
}

/** Drives one flow for some seconds and reads the usage of each process. */
export async function runRound(
  { driver, processes, wallets, broken }: RunningStack,
  order: { readonly flow: FlowName; readonly seconds: number; readonly wallets: number },
): Promise<Round> {
  const { flow, seconds } = order;
  let report: FlowReport | undefined;
  const finished = () => report?.finished ?? 0;
  const observed = await observe([...processes, wallets], finished, async () => {
    const driving = driver.drive({ flow, until: { seconds }, wallets: order.wallets, oneByOne: false });
    report = await Promise.race([driving, broken]);
  });
  const { microseconds } = observed;
  const { [wallets.name]: ofWallets = Number.NaN, ...cpu } = observed.cpu;
  const after = new Map([...observed.after].filter(([name]) => name !== wallets.name));
  return {
    report: report as unknown as FlowReport,
    wallets: ofWallets,
    cpu,
    microseconds,
    residentBytes: memoryOf(after),
  };
}

/** Reads the usage of an idle stack during `rest`, per second. */
export function observeIdle({ processes, broken }: RunningStack, rest: () => Promise<unknown>): Promise<Stretch> {
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  return observe(processes, seconds, () => Promise.race([rest(), broken]));
}

/** Medians over periods, of each process and of the sum. */
export function costsOf(stretches: readonly Stretch[]): CostTable {
  const medianCost = (pick: (stretch: Stretch) => number): Cost => ({
    milliseconds: median(stretches.map(pick)),
    normalised: median(stretches.map((stretch) => normalise(pick(stretch), stretch.microseconds))),
  });
  const names = [...new Set(stretches.flatMap(({ cpu }) => Object.keys(cpu)))];
  return {
    processes: Object.fromEntries(names.map((name) => [name, medianCost(({ cpu }) => cpu[name] ?? 0)])),
    all: medianCost(({ cpu }) => sum(Object.values(cpu))),
  };
}

/** The smallest value that is not exceeded by `fraction` of the values; NaN if there are none. */
export function quantile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(fraction * sorted.length) - 1))] ?? Number.NaN;
}

function stepsOf(reports: readonly FlowReport[]): Record<string, StepTimes> {
  const names = [...new Set(reports.flatMap(({ steps }) => Object.keys(steps)))];
  return Object.fromEntries(
    names.map((name) => {
      const times = reports.flatMap(({ steps }) => steps[name] ?? []);
      return [name, { p50: quantile(times, 0.5), p99: quantile(times, 0.99) }];
    }),
  );
}

function errorsOf(reports: readonly FlowReport[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const { errors } of reports) {
    for (const [what, count] of Object.entries(errors)) total[what] = (total[what] ?? 0) + count;
  }
  return total;
}

/** All processes in the round in which they took least: the one that other programs on the machine disturbed least. */
function cheapestOf(rounds: readonly Round[]): Cost {
  const costs = rounds.map((round) => costsOf([round]).all);
  const nothing: Cost = { milliseconds: Number.NaN, normalised: Number.NaN };
  return costs.reduce((least, cost) => (cost.normalised >= least.normalised ? least : cost), costs[0] ?? nothing);
}

/** The result of a flow from its rounds. Rounds without a finished flow have no cost per flow and are left out. */
export function flowResultOf(rounds: readonly Round[]): FlowResult {
  const reports = rounds.map(({ report }) => report);
  const finished = rounds.filter((round) => round.report.finished > 0);
  return {
    cpu: costsOf(finished),
    cheapest: cheapestOf(finished),
    wallets: costsOf(finished.map(({ wallets, microseconds }) => ({ cpu: { wallets }, microseconds }))).all,
    flowsPerSecond: median(reports.map(({ finished, seconds }) => finished / seconds)),
    finished: sum(reports.map(({ finished }) => finished)),
    errors: errorsOf(reports),
    steps: stepsOf(reports),
  };
}

/** The times of the whole flows of a round with a single wallet. */
export function timesAlone({ report, microseconds }: Round): TimesAlone {
  const measured = stepsOf([report])['whole flow'] ?? { p50: Number.NaN, p99: Number.NaN };
  const normalised = { p50: normalise(measured.p50, microseconds), p99: normalise(measured.p99, microseconds) };
  return { finished: report.finished, measured, normalised };
}
