import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import {
  findDescendants,
  hasProcFolder,
  parseProcessMetrics,
  parseProcessStat,
  parseResidentParts,
  readProcess,
  readProcessTree,
} from './process-cpu';

const STAT =
  '81 (a name) with (brackets) S 7 81 81 0 -1 4194560 5183 301 0 0 250 40 11 6 20 0 12 0 48954 313344 4000 18446744073709551615 1 1 0';

describe('a line of /proc/<pid>/stat', () => {
  it('is read behind the last bracket, whatever the name is', () => {
    expect(parseProcessStat(STAT)).toEqual({ parent: 7, threads: 12, ownTicks: 290, endedTicks: 17 });
  });

  it.each(['', '81', '81 (name) S 7', 'no line at all'])('is nothing else: %j', (text) => {
    expect(() => parseProcessStat(text)).toThrow(TypeError);
  });
});

describe('the memory of a process', () => {
  it('is told by kind', () => {
    const text = 'Name:\tnode\nVmRSS:\t  100 kB\nRssAnon:\t   60 kB\nRssFile:\t   30 kB\nRssShmem:\t   10 kB\n';
    expect(parseResidentParts(text)).toEqual({ own: 61_440, files: 30_720, shared: 10_240 });
  });

  it('is nothing when the process has just ended', () => {
    expect(parseResidentParts('Name:\tnode\nState:\tZ (zombie)\n')).toEqual({ own: 0, files: 0, shared: 0 });
  });
});

describe('the processes below one', () => {
  it('are found at any depth and in any order', () => {
    const parents = new Map([
      [1, 0],
      [40, 30],
      [30, 20],
      [21, 2],
      [20, 2],
      [2, 1],
      [50, 1],
    ]);
    expect(findDescendants(2, parents).sort()).toEqual([20, 21, 30, 40]);
    expect(findDescendants(50, parents)).toEqual([]);
  });
});

describe('what a process tells at /metrics', () => {
  const text = [
    '# HELP process_cpu_seconds_total Total user and system CPU time spent in seconds.',
    '# TYPE process_cpu_seconds_total counter',
    'process_cpu_seconds_total 1.25',
    'process_cpu_user_seconds_total 1',
    'process_resident_memory_bytes 104857600',
  ].join('\n');

  it('is its processor time and its memory', () => {
    expect(parseProcessMetrics(text)).toEqual({ cpuMilliseconds: 1250, residentBytes: 104_857_600 });
  });

  it('may have labels', () => {
    const labelled = 'process_cpu_seconds_total{app="issuer"} 2\nprocess_resident_memory_bytes{app="issuer"} 5\n';
    expect(parseProcessMetrics(labelled)).toEqual({ cpuMilliseconds: 2000, residentBytes: 5 });
  });

  it('is unknown when it is silent about its processor time', () => {
    expect(parseProcessMetrics('process_resident_memory_bytes 5\n')).toBeUndefined();
  });
});

/** Some tenths of a second of work for a shell. */
const WORK = 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done';

(hasProcFolder ? describe : describe.skip)('a process of this machine', () => {
  let shell: ChildProcessByStdio<Writable, Readable, null> | undefined;
  let ended: Promise<unknown> = Promise.resolve();

  /** Resolves when the script has printed a line; it ends when its standard input does. */
  async function start(script: string): Promise<number> {
    const child = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'pipe', 'ignore'] });
    shell = child;
    ended = once(child, 'exit');
    await once(child.stdout, 'data');
    return child.pid as number;
  }

  afterEach(async () => {
    shell?.stdin.end();
    await ended;
  });

  it('counts more after it has worked, and has memory', () => {
    const before = readProcess(process.pid);
    const started = process.cpuUsage();
    while (process.cpuUsage(started).user < 200_000) Math.sqrt(2);
    const after = readProcess(process.pid);
    expect(after?.cpuMilliseconds).toBeGreaterThan((before?.cpuMilliseconds ?? Infinity) + 100);
    expect(after?.residentBytes).toBeGreaterThan(10_000_000);
  });

  it('counts a child that has ended', async () => {
    const pid = await start(`(${WORK}); echo ready; read -r end`);
    expect(readProcess(pid)?.cpuMilliseconds).toBeGreaterThan(20);
  });

  it('counts a child that still runs, in the tree only', async () => {
    const pid = await start(`exec 3<&0; (${WORK}; echo ready; read -r end <&3) & wait`);
    const [alone, tree] = [readProcess(pid), readProcessTree(pid)];
    expect(tree?.cpuMilliseconds).toBeGreaterThan((alone?.cpuMilliseconds ?? Infinity) + 20);
    expect(tree?.residentBytes).toBeGreaterThan(alone?.residentBytes ?? Infinity);
  });

  it('is unknown once it has ended', async () => {
    const pid = await start('echo ready; read -r end');
    shell?.stdin.end();
    await ended;
    expect(readProcess(pid)).toBeUndefined();
    expect(readProcessTree(pid)).toBeUndefined();
  });
});
