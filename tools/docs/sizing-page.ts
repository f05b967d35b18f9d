import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readBudget, type Budget } from '../proofs/bench/budget';
import { FLOW_NAMES } from '../proofs/bench/flows';
import { markdownTable } from '../proofs/bench/markdown-table';
import { readMeasured } from '../proofs/bench/measured';
import type { BenchResult } from '../proofs/bench/result';
import { replaceSection } from './marked-section';

export const SIZING_PAGE = 'docs/sizing.md';

const MILLISECONDS_PER_SECOND = 1_000;
const MILLISECONDS_PER_MINUTE = 60_000;
/** The part of a core that is planned for: the rest is for peaks and the loss of a replica. */
const PLANNED = 0.5;

const grouped = (value: number) => Math.round(value).toLocaleString('en-US');

/** What a flow takes of one core, all processes together, and of the disk, which CI bounds. */
function flowTable({ checkouts }: BenchResult, budget: Budget): string {
  const rows = checkouts.slice(0, 1).flatMap(({ flows }) =>
    FLOW_NAMES.map((flow) => {
      const perMinute = MILLISECONDS_PER_MINUTE / flows[flow].cpu.all.milliseconds;
      return [flow, grouped(perMinute), grouped(perMinute * PLANNED), grouped(budget[flow].bytes)];
    }),
  );
  const head = ['flow', 'wallets per minute and core', 'the same at half load', 'bytes kept, at most'];
  return markdownTable(head, rows);
}

/** Which part of the CPU time each process needs, and its memory after the benchmark. */
function processTable({ checkouts }: BenchResult): string {
  const rows = checkouts.slice(0, 1).flatMap(({ flows, residentBytes }) =>
    Object.entries(residentBytes).map(([name, bytes]) => {
      const shares = FLOW_NAMES.map((flow) => {
        const { processes, all } = flows[flow].cpu;
        return `${Math.round((100 * (processes[name]?.milliseconds ?? 0)) / all.milliseconds)} %`;
      });
      return [`\`${name}\``, ...shares, grouped(bytes / 1_000_000)];
    }),
  );
  return markdownTable(['process', ...FLOW_NAMES.map((flow) => `${flow}: share of CPU`), 'memory in MB'], rows);
}

/** How many flows per second the plan is for. */
const PLANNED_FLOWS = 10_000;
/** Of a core, how much one process of ours is planned to use. */
const PLANNED_OF_PROCESS = 0.7;
/** Servers, which use several cores of their machine; all others are processes of ours, which use one each. */
const SERVERS = ['postgres', 'nats'];

/** Cores and processes for 10,000 flows per second of one kind, calculated from what one costs. */
function planTable({ checkouts }: BenchResult): string {
  const rows = checkouts.slice(0, 1).flatMap(({ flows, residentBytes }) =>
    Object.keys(residentBytes).map((name) => {
      const cores = FLOW_NAMES.map(
        (flow) => (PLANNED_FLOWS * (flows[flow].cpu.processes[name]?.milliseconds ?? 0)) / MILLISECONDS_PER_SECOND,
      );
      const processes = (count: number) =>
        SERVERS.includes(name) ? 'servers: see below' : grouped(Math.max(1, Math.ceil(count / PLANNED_OF_PROCESS)));
      return [`\`${name}\``, ...cores.flatMap((count) => [count.toFixed(1), processes(count)])];
    }),
  );
  const head = FLOW_NAMES.flatMap((flow) => [`${flow}s: cores busy`, 'processes at 70 % of a core']);
  return markdownTable(['process', ...head], rows);
}

/** The page with figures from the recorded benchmark and from the budget that CI enforces, before formatting. */
export function sizingPage(root: string): string {
  const page = readFileSync(path.join(root, SIZING_PAGE), 'utf8');
  const result = readMeasured(root);
  const { at, node, cores } = result;
  const source = `Measured on ${at.slice(0, 10)} with Node ${node} on ${cores} cores, with ${result.wallets} wallets.`;
  const figures = [source, flowTable(result, readBudget(root)), processTable(result)].join('\n\n');
  return replaceSection(replaceSection(page, 'sizing', figures), 'plan', planTable(result));
}
