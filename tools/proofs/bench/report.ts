import { REFERENCE_MICROSECONDS } from './calibration';
import type { CountedFlow, CountResult } from './count-run';
import { FLOW_NAMES, type FlowName } from './flows';
import { markdownTable } from './markdown-table';
import { costsOf } from './rounds';
import type { BenchResult, CheckoutResult, Cost, CostTable, FlowResult } from './result';

const decimal = (value: number, digits: number) => (Number.isFinite(value) ? value.toFixed(digits) : '-');
const milliseconds = (value: number) => decimal(value, 2);
const megabytes = (bytes: number) => decimal(bytes / 1_000_000, 0);
const grouped = (value: number) => (Number.isFinite(value) ? value.toLocaleString('en-US') : '-');
const code = (name: string) => `\`${name}\``;
/** A count with its noun: 1 round, 2 rounds. */
const counted = (count: number, one: string, more = `${one}s`) => `${grouped(count)} ${count === 1 ? one : more}`;

/** One column for each checkout, or two if a value has two forms; with one checkout its name is left out. */
function columns(checkouts: readonly CheckoutResult[], titles: readonly string[]): string[] {
  return checkouts.flatMap(({ name }) => titles.map((title) => (checkouts.length === 1 ? title : `${name}: ${title}`)));
}

const bothForms = (cost: Cost | undefined) => [
  milliseconds(cost?.milliseconds ?? Number.NaN),
  milliseconds(cost?.normalised ?? Number.NaN),
];

/** The processes that are not of Vestibule. */
const SERVERS: readonly string[] = ['postgres', 'nats'];

function costTable(
  title: string,
  checkouts: readonly CheckoutResult[],
  pick: (checkout: CheckoutResult) => CostTable,
  more: readonly (readonly string[])[] = [],
): string {
  const tables = checkouts.map(pick);
  const names = [...new Set(tables.flatMap(({ processes }) => Object.keys(processes)))];
  const rows = names.map((name) => [code(name), ...tables.flatMap(({ processes }) => bothForms(processes[name]))]);
  const all = ['all', ...tables.flatMap((table) => bothForms(table.all))];
  return markdownTable([title, ...columns(checkouts, ['ms', 'normalised ms'])], [...rows, all, ...more]);
}

/** Rows that say how quiet the machine was; none where an earlier version did not measure it. */
function disturbanceRows(checkouts: readonly CheckoutResult[], flow: FlowName): string[][] {
  const row = (title: string, pick: (result: FlowResult) => Cost | undefined) => {
    const costs = checkouts.map(({ flows }) => pick(flows[flow]));
    return costs.every((cost) => cost === undefined) ? [] : [[title, ...costs.flatMap(bothForms)]];
  };
  return [
    ...row('all, in the cheapest round', ({ cheapest }) => cheapest),
    ...row('wallets and backend, not in all', ({ wallets }) => wallets),
  ];
}

function figuresTable(checkouts: readonly CheckoutResult[], flow: FlowName): string {
  const row = (title: string, pick: (checkout: CheckoutResult) => string) => [title, ...checkouts.map(pick)];
  return markdownTable(
    ['per flow', ...columns(checkouts, ['count'])],
    [
      row('SQL statements', ({ counts }) => decimal(counts[flow].statements, 2)),
      row('bus messages', ({ counts }) => decimal(counts[flow].messages, 2)),
      row('bytes kept', ({ counts }) => grouped(counts[flow].bytes)),
      row('flows per second', ({ flows }) => decimal(flows[flow].flowsPerSecond, 1)),
      row('flows', ({ flows }) => grouped(flows[flow].finished)),
      row('errors', ({ flows }) => grouped(Object.values(flows[flow].errors).reduce((sum, count) => sum + count, 0))),
    ],
  );
}

function stepsTable(checkouts: readonly CheckoutResult[], flow: FlowName): string {
  const all = checkouts.map(({ flows }) => flows[flow].steps);
  const names = [...new Set(all.flatMap((steps) => Object.keys(steps)))];
  const rows = names.map((name) => [
    name,
    ...all.flatMap((steps) => [decimal(steps[name]?.p50 ?? NaN, 1), decimal(steps[name]?.p99 ?? NaN, 1)]),
  ]);
  return markdownTable(['step', ...columns(checkouts, ['p50 ms', 'p99 ms'])], rows);
}

function errorLines(checkouts: readonly CheckoutResult[], flow: FlowName): string[] {
  return checkouts.flatMap(({ name, flows }) =>
    Object.entries(flows[flow].errors).map(
      ([what, count]) => `- ${name} checkout: ${counted(count, 'time')} ${code(what)}`,
    ),
  );
}

/** Times of a single wallet; empty for results of earlier versions. */
function aloneTables(checkouts: readonly CheckoutResult[]): string[] {
  if (checkouts.every(({ alone }) => alone === undefined)) return [];
  const rows = FLOW_NAMES.map((flow) => [
    flow,
    ...checkouts.flatMap(({ alone }) => {
      const { measured, normalised, finished = 0 } = alone?.[flow] ?? {};
      const times = [measured, normalised].flatMap((some) => [some?.p50, some?.p99]);
      return [...times.map((time) => decimal(time ?? Number.NaN, 1)), grouped(finished)];
    }),
  ]);
  const titles = ['p50 ms', 'p99 ms', 'normalised p50', 'normalised p99', 'flows'];
  return [markdownTable(['a single wallet', ...columns(checkouts, titles)], rows)];
}

/** An idle stack at rest, and before it came to rest, which results of earlier versions do not have. */
function idleTables(checkouts: readonly CheckoutResult[]): string[] {
  const first = checkouts.flatMap(({ firstMinute }) => firstMinute ?? []);
  const atRest = costTable('idle: CPU per second', checkouts, ({ idle }) => idle);
  if (first.length < checkouts.length) return [atRest];
  const title = 'idle, the first minute after the start: CPU per second';
  return [atRest, costTable(title, checkouts, (checkout) => checkout.firstMinute as CostTable)];
}

function memoryTable(checkouts: readonly CheckoutResult[]): string {
  const names = [...new Set(checkouts.flatMap(({ residentBytes }) => Object.keys(residentBytes)))];
  const rows = names.map((name) => [
    code(name),
    ...checkouts.map(({ residentBytes }) => megabytes(residentBytes[name] ?? Number.NaN)),
  ]);
  const services = checkouts.map(({ residentBytes }) =>
    megabytes(
      names.filter((name) => !SERVERS.includes(name)).reduce((sum, name) => sum + (residentBytes[name] ?? 0), 0),
    ),
  );
  return markdownTable(['memory', ...columns(checkouts, ['MB'])], [...rows, ['all services', ...services]]);
}

/** What was measured, on which machine, how often. */
function introduction(result: BenchResult): string {
  const { wallets, rounds, secondsPerRound, replicas, load, verification, encrypted } = result;
  const { oldRequests, statusEntries } = result;
  const beforehand = [
    ...(oldRequests > 0 ? [`${counted(oldRequests, 'finished request')} of each kind in the tables`] : []),
    ...(statusEntries > 0 ? [`${counted(statusEntries, 'entry', 'entries')} taken in the status list`] : []),
  ];
  return [
    `Measured on ${result.at.slice(0, 10)} with Node ${result.node} and ${result.nats}, on ${counted(result.cores, 'core')} shared by all processes.`,
    `${counted(wallets, 'wallet')}, ${counted(rounds, 'round')} of ${decimal(secondsPerRound, 1)} s per flow,`,
    `${counted(replicas, 'process', 'processes')} each of verifier and issuer.`,
    ...(encrypted ? ['Credential requests and their answers were encrypted.'] : []),
    ...(beforehand.length > 0 ? [`Beforehand: ${beforehand.join(' and ')}.`] : []),
    `The load average was ${decimal(load.before, 1)} before and ${decimal(load.after, 1)} after. One ES256 verification took`,
    `${decimal(verification.before, 1)} µs of CPU before and ${decimal(verification.after, 1)} µs after; normalised milliseconds are for`,
    `a machine that takes ${REFERENCE_MICROSECONDS} µs. Figures are medians of the rounds.`,
  ].join('\n');
}

const TITLES = { presentation: 'presentation', issuance: 'issuance' } as const;

/** The result in Markdown: for the terminal as well as for docs/performance.md. */
export function renderResult(result: BenchResult): string {
  const { checkouts } = result;
  const flows = FLOW_NAMES.flatMap((flow) => [
    costTable(
      `${TITLES[flow]}: CPU per flow`,
      checkouts,
      ({ flows }) => flows[flow].cpu,
      disturbanceRows(checkouts, flow),
    ),
    figuresTable(checkouts, flow),
    ...(errorLines(checkouts, flow).length > 0 ? [errorLines(checkouts, flow).join('\n')] : []),
    stepsTable(checkouts, flow),
  ]);
  return [
    introduction(result),
    ...flows,
    ...aloneTables(checkouts),
    ...idleTables(checkouts),
    memoryTable(checkouts),
  ].join('\n\n');
}

/** Counts of this checkout in Markdown, with their statements and messages. */
export function renderCounts(counts: CountResult): string {
  const row = (title: string, pick: (flow: CountedFlow) => string) => [
    title,
    ...FLOW_NAMES.map((flow) => pick(counts[flow])),
  ];
  const costs = FLOW_NAMES.map((flow) => costsOf([counts[flow].cpu]).all);
  const table = markdownTable(
    ['per flow', ...FLOW_NAMES],
    [
      row('SQL statements', ({ statements }) => decimal(statements, 2)),
      row('bus messages', ({ messages }) => decimal(messages, 2)),
      row('bytes kept', ({ bytes }) => grouped(bytes)),
      ['CPU in ms, cold, not judged', ...costs.map((cost) => milliseconds(cost.milliseconds))],
      ['the same, normalised', ...costs.map((cost) => milliseconds(cost.normalised))],
    ],
  );
  const parts = FLOW_NAMES.map((flow) => {
    const { statements, messages, bytes } = counts[flow].parts;
    const lines = [statements, messages, bytes].flatMap((group) =>
      Object.entries(group).map(([name, count]) => `  ${decimal(count, 2).padStart(8)}  ${shortened(name)}`),
    );
    return [`${flow}: statements, messages and bytes by table`, ...lines].join('\n');
  });
  return [table, ...parts].join('\n\n');
}

const SHOWN = 120;
const shortened = (text: string) => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
