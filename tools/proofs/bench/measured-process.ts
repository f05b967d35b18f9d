import { execFileSync } from 'node:child_process';
import { BenchFailure } from './failure';
import {
  findDescendants,
  hasProcFolder,
  parseProcessMetrics,
  readProcess,
  readProcessTree,
  type ProcessUse,
} from './process-cpu';

/** A process of a stack, or a server with all its processes, whose usage is read before and after a round. */
export interface MeasuredProcess {
  /** The same for all replicas of an app. */
  readonly name: string;
  /** @throws BenchFailure `process_ended` if it is no longer running */
  read(): Promise<ProcessUse>;
}

/** The usage of all processes of each name together. */
export type UseByName = ReadonlyMap<string, ProcessUse>;

/** One line of `ps -A -o pid=,ppid=,time=,rss=`. */
interface Listed extends ProcessUse {
  readonly pid: number;
  readonly parent: number;
}

/**
 * Parses processor time as `ps` writes it, `[[days-]hours:]minutes:seconds`, with or without hundredths; in
 * milliseconds.
 */
export function parseProcessorTime(text: string): number {
  const [, days = '0', rest = ''] = /^(?:(\d+)-)?([\d:.]+)$/.exec(text) ?? [];
  const seconds = rest.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return Math.round((Number(days) * 86_400 + seconds) * 1000);
}

/** Parses the list of `ps`; lines of another form are ignored. */
export function parseListing(text: string): Listed[] {
  return text.split('\n').flatMap((line) => {
    const [pid, parent, time, kilobytes] = line.trim().split(/\s+/);
    if (time === undefined || !/^\d+$/.test(kilobytes ?? '')) return [];
    const cpuMilliseconds = parseProcessorTime(time);
    return [{ pid: Number(pid), parent: Number(parent), cpuMilliseconds, residentBytes: Number(kilobytes) * 1024 }];
  });
}

/** A process with all its descendants, from `ps`: for machines without `/proc`. Ended children are missing. */
export function treeIn(listing: readonly Listed[], root: number): ProcessUse | undefined {
  const below = findDescendants(root, new Map(listing.map(({ pid, parent }) => [pid, parent])));
  const wanted = new Set([root, ...below]);
  const found = listing.filter(({ pid }) => wanted.has(pid));
  if (!found.some(({ pid }) => pid === root)) return undefined;
  return found.reduce((sum, entry) => addUse(sum, entry), NOTHING);
}

const NOTHING: ProcessUse = { cpuMilliseconds: 0, residentBytes: 0 };

function addUse(left: ProcessUse, right: ProcessUse): ProcessUse {
  return {
    cpuMilliseconds: left.cpuMilliseconds + right.cpuMilliseconds,
    residentBytes: left.residentBytes + right.residentBytes,
  };
}

function listTree(pid: number): ProcessUse | undefined {
  return treeIn(parseListing(execFileSync('ps', ['-A', '-o', 'pid=,ppid=,time=,rss='], { encoding: 'utf8' })), pid);
}

async function askMetrics(url: string): Promise<ProcessUse | undefined> {
  const response = await fetch(url).catch(() => undefined);
  return response?.ok ? parseProcessMetrics(await response.text()) : undefined;
}

function running(name: string, use: ProcessUse | undefined): ProcessUse {
  if (use) return use;
  throw new BenchFailure('process_ended', `${name} is no longer running, so its CPU cannot be read`);
}

/** An app: from `/proc`, elsewhere from its own metrics, or from `ps` if it has none. */
export const measuredApp = (name: string, pid: () => number | undefined, metricsUrl: string): MeasuredProcess => ({
  name,
  async read() {
    const known = pid();
    if (known === undefined) return running(name, undefined);
    return running(name, hasProcFolder ? readProcess(known) : ((await askMetrics(metricsUrl)) ?? listTree(known)));
  },
});

/** A server with all its processes: from `/proc`, elsewhere from `ps`. */
export const measuredServer = (name: string, pid: number): MeasuredProcess => ({
  name,
  read: () => Promise.resolve(running(name, hasProcFolder ? readProcessTree(pid) : listTree(pid))),
});

/** Reads all of them, as nearly at the same moment as possible. */
export async function readAll(processes: readonly MeasuredProcess[]): Promise<UseByName> {
  const uses = await Promise.all(processes.map(async (process) => [process.name, await process.read()] as const));
  const byName = new Map<string, ProcessUse>();
  for (const [name, use] of uses) byName.set(name, addUse(byName.get(name) ?? NOTHING, use));
  return byName;
}

/** CPU between two readings in milliseconds, by name. */
export function cpuBetween(before: UseByName, after: UseByName): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [...after].map(([name, use]) => [name, use.cpuMilliseconds - (before.get(name)?.cpuMilliseconds ?? 0)]),
  );
}
