import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The usage so far of a process, or of a process with all its descendants. */
export interface ProcessUse {
  readonly cpuMilliseconds: number;
  /** Memory in RAM; memory that the processes of a tree share counts once. */
  readonly residentBytes: number;
}

/** A line of `/proc/<pid>/stat`; times are in clock ticks. */
export interface ProcessStat {
  readonly parent: number;
  readonly threads: number;
  readonly ownTicks: number;
  /** Of children that have ended and were waited for, including theirs. */
  readonly endedTicks: number;
}

/** Resident memory by kind, in bytes, from `/proc/<pid>/status`. */
export interface ResidentParts {
  readonly own: number;
  readonly files: number;
  readonly shared: number;
}

/** True if `/proc` describes processes (Linux). */
export const hasProcFolder = existsSync('/proc/self/stat');

let ticks: number | undefined;

/** Clock ticks per second; 100 if `getconf` is missing. */
function ticksPerSecond(): number {
  if (ticks === undefined) {
    try {
      ticks = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) || 100;
    } catch {
      ticks = 100;
    }
  }
  return ticks;
}

/**
 * Parses `/proc/<pid>/stat` (proc(5)); the name in it may contain spaces and brackets.
 * @throws TypeError for any other text
 */
export function parseProcessStat(text: string): ProcessStat {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const numbers = [1, 11, 12, 13, 14, 17].map((index) => Number(fields[index]));
  if (!text.includes(')') || numbers.some((value) => !Number.isFinite(value))) {
    throw new TypeError('this is not a line of /proc/<pid>/stat');
  }
  const [parent, user, system, endedUser, endedSystem, threads] = numbers as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return { parent, threads, ownTicks: user + system, endedTicks: endedUser + endedSystem };
}

/** Parses the memory in `/proc/<pid>/status`; 0 for a missing kind (of a process that has just ended). */
export function parseResidentParts(text: string): ResidentParts {
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0) * 1024;
  return { own: bytes('RssAnon'), files: bytes('RssFile'), shared: bytes('RssShmem') };
}

/** Undefined if there is no such process (any more). */
function readProcFile(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}

/** The scheduler's clock (in nanoseconds) covers one thread only; for others only whole ticks are known. */
function ownMilliseconds(pid: number, stat: ProcessStat): number {
  const onProcessor = stat.threads === 1 ? Number(readProcFile(pid, 'schedstat')?.split(' ')[0]) : 0;
  return onProcessor > 0 ? onProcessor / 1e6 : (stat.ownTicks * 1000) / ticksPerSecond();
}

interface Entry extends ResidentParts {
  readonly cpuMilliseconds: number;
}

function readEntry(pid: number, stat: ProcessStat): Entry {
  const ended = (stat.endedTicks * 1000) / ticksPerSecond();
  return {
    cpuMilliseconds: ownMilliseconds(pid, stat) + ended,
    ...parseResidentParts(readProcFile(pid, 'status') ?? ''),
  };
}

/** Private memory adds up; shared and file-mapped pages are the same in each process. */
function join(entries: readonly Entry[]): ProcessUse {
  const sum = (pick: (entry: Entry) => number) => entries.reduce((total, entry) => total + pick(entry), 0);
  const most = (pick: (entry: Entry) => number) => entries.reduce((top, entry) => Math.max(top, pick(entry)), 0);
  return {
    cpuMilliseconds: sum(({ cpuMilliseconds }) => cpuMilliseconds),
    residentBytes: sum(({ own }) => own) + most(({ files }) => files) + most(({ shared }) => shared),
  };
}

function readStat(pid: number): ProcessStat | undefined {
  const text = readProcFile(pid, 'stat');
  return text === undefined ? undefined : parseProcessStat(text);
}

/** The usage of a process, including threads and ended children; undefined if it does not exist, or without `/proc`. */
export function readProcess(pid: number): ProcessUse | undefined {
  const stat = readStat(pid);
  return stat && join([readEntry(pid, stat)]);
}

/** Process ids below `root`, at any depth, from pairs of process and parent. */
export function findDescendants(root: number, parents: ReadonlyMap<number, number>): number[] {
  const children = new Map<number, number[]>();
  for (const [pid, parent] of parents) children.set(parent, [...(children.get(parent) ?? []), pid]);
  const found: number[] = [];
  const open = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const below = children.get(next) ?? [];
    found.push(...below);
    open.push(...below);
  }
  return found;
}

/**
 * The usage of a process and all its descendants: for Postgres, the postmaster with all its backends, including ended
 * ones. Undefined if there is no such process, or no `/proc`.
 */
export function readProcessTree(root: number): ProcessUse | undefined {
  const stat = readStat(root);
  if (stat === undefined) return undefined;
  const stats = new Map<number, ProcessStat>();
  for (const name of readdirSync('/proc')) {
    const found = /^\d+$/.test(name) ? readStat(Number(name)) : undefined;
    if (found) stats.set(Number(name), found);
  }
  const parents = new Map([...stats].map(([pid, { parent }]) => [pid, parent]));
  const below = findDescendants(root, parents).map((pid) => readEntry(pid, stats.get(pid) as ProcessStat));
  return join([readEntry(root, stat), ...below]);
}

/**
 * The usage that a process reports at `/metrics` (Prometheus text), for machines without `/proc`; undefined without its
 * processor time.
 */
export function parseProcessMetrics(text: string): ProcessUse | undefined {
  const value = (name: string) => Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, 'm').exec(text)?.[1]);
  const seconds = value('process_cpu_seconds_total');
  if (!Number.isFinite(seconds)) return undefined;
  return { cpuMilliseconds: seconds * 1000, residentBytes: value('process_resident_memory_bytes') || 0 };
}
