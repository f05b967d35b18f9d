import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { until } from '@vestibule/testkit';
import type { Stage } from './stage';

const MAX_MILLISECONDS = 250;
/** A service may wait for the disk or for whoever reads its log: what the program itself waits for comes back each time. */
const ATTEMPTS = 3;

/**
 * Runs in each service before its program, and says on SIGUSR2 how long its event loop was held at most since then: by
 * work, which is the processor time of its thread, and by work and waiting, which leaves out the time in which the thread
 * was ready and another program had the processor. Both from the scheduler (Linux); elsewhere the clock has to do.
 */
const PROBE = `
  const { isMainThread } = require('node:worker_threads');
  const { openSync, readSync, writeFileSync, renameSync } = require('node:fs');
  if (isMainThread) {
    let descriptor;
    try { descriptor = openSync('/proc/self/task/' + process.pid + '/schedstat', 'r'); } catch {}
    const bytes = Buffer.alloc(96);
    const read = () => {
      const wall = performance.now();
      if (descriptor === undefined) return { wall, cpu: wall, ready: 0 };
      const text = bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, bytes.length, 0));
      const [cpu, ready] = text.split(' ').map((nanoseconds) => Number(nanoseconds) / 1e6);
      return { wall, cpu, ready };
    };
    let last = read();
    let longest = { work: 0, held: 0 };
    const look = () => {
      const now = read();
      const [wall, cpu, ready] = ['wall', 'cpu', 'ready'].map((name) => now[name] - last[name]);
      longest = { work: Math.max(longest.work, cpu), held: Math.max(longest.held, wall - ready) };
      last = now;
    };
    setInterval(look, 2).unref();
    let count = 0;
    process.on('SIGUSR2', () => {
      look();
      const file = process.env.LOOP_FILE;
      writeFileSync(file + '.new', JSON.stringify({ count: (count += 1), ...longest }));
      renameSync(file + '.new', file);
      longest = { work: 0, held: 0 };
    });
  }`;

/** Milliseconds for which an event loop was held at most: by work, and by work and waiting. */
interface Stretch {
  readonly work: number;
  readonly held: number;
}

const PROBED = ['wallet-store', 'gateway'] as const;
type Probed = (typeof PROBED)[number];
const fileOf = (folder: string, app: string) => path.join(folder, `${app}.json`);

/** What a service needs in its environment to be probed, by its name; the files are in `folder`. */
export async function probedEnvironment(folder: string) {
  const program = path.join(folder, 'probe.cjs');
  await writeFile(program, PROBE);
  return (app: Probed) => ({ NODE_OPTIONS: `--require ${program}`, LOOP_FILE: fileOf(folder, app) });
}

async function readProbe(folder: string, app: Probed) {
  const text = await readFile(fileOf(folder, app), 'utf8').catch(() => '{"count":0,"work":0,"held":0}');
  return JSON.parse(text) as Stretch & { readonly count: number };
}

/** The longest stretch of a service's event loop since the last call. */
async function longestStretch(stage: Stage, folder: string, app: Probed): Promise<Stretch> {
  const { pid } = stage.stack.process(app);
  if (pid === undefined) throw new Error('the service has ended');
  const { count } = await readProbe(folder, app);
  process.kill(pid, 'SIGUSR2');
  await until(async () => (await readProbe(folder, app)).count > count);
  return readProbe(folder, app);
}

/** Health answers while the attack runs; on a machine that is busy otherwise, too, one question may come back late. */
async function expectHealthy(stage: Stage, isOver: () => boolean): Promise<void> {
  const ask = async () => (await stage.management('GET', '/health/ready')).status;
  while (!isOver()) if ((await ask()) !== 200) expect(await ask()).toBe(200);
}

/**
 * Runs an attack on the probed services, and expects that health answers and that it holds no event loop for longer than
 * 250 ms: by work not once, by work and waiting not each time.
 */
export async function expectFreeLoops(stage: Stage, folder: string, attack: () => Promise<unknown>): Promise<void> {
  const longest = () => Promise.all(PROBED.map((app) => longestStretch(stage, folder, app)));
  for (let attempt = 1; ; attempt += 1) {
    await longest();
    let isOver = false;
    const healthy = expectHealthy(stage, () => isOver);
    await attack().finally(() => (isOver = true));
    await healthy;
    const stretches = await longest();
    const tooLong = (name: keyof Stretch) => stretches.map((one) => one[name]).filter((ms) => ms > MAX_MILLISECONDS);
    expect(tooLong('work')).toEqual([]);
    if (attempt === ATTEMPTS) expect(tooLong('held')).toEqual([]);
    if (tooLong('held').length === 0) return;
  }
}
