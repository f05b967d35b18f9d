import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { readLoopReport } from './loop-report';

const preload = path.resolve(__dirname, '../../../dist/tools/proofs/hostile/loop-watch.js');

/** Works for so much processor time at each line that it reads, in pieces between which others get a turn. */
const PROGRAM = `
  process.stdin.on('data', async (line) => {
    const { pieces, milliseconds } = JSON.parse(line);
    for (let piece = 0; piece < pieces; piece += 1) {
      const used = process.cpuUsage();
      for (let now = process.cpuUsage(used); now.user + now.system < milliseconds * 1000; now = process.cpuUsage(used));
      await new Promise((resolve) => setImmediate(resolve));
    }
    console.log('done');
  });
  console.log('ready');
`;

let child: ChildProcess & { readonly pid: number };
beforeAll(async () => {
  const started = spawn(process.execPath, ['--require', preload, '-e', PROGRAM], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(started.stdout, 'data');
  child = started as typeof child;
  await readLoopReport(child.pid);
});
afterAll(async () => {
  child.kill();
  await once(child, 'exit');
});

async function work(pieces: number, milliseconds: number) {
  const before = await readLoopReport(child.pid);
  child.stdin?.write(JSON.stringify({ pieces, milliseconds }));
  if (child.stdout) await once(child.stdout, 'data');
  const after = await readLoopReport(child.pid);
  return { ...after, cpuMilliseconds: after.cpuMilliseconds - before.cpuMilliseconds };
}

// The scheduler's clock is read at its ticks, which come every few milliseconds.
const TICK = 12;

it('tells of the longest stretch of work, and of all work', async () => {
  const report = await work(1, 200);
  expect(report.cpuMilliseconds).toBeGreaterThanOrEqual(200);
  expect(report.longestCpuMilliseconds).toBeGreaterThan(200 - TICK);
  expect(report.longestWallMilliseconds).toBeGreaterThan(200 - TICK);
});

it('tells pieces apart between which others get a turn', async () => {
  const report = await work(10, 40);
  expect(report.cpuMilliseconds).toBeGreaterThanOrEqual(400);
  expect(report.longestCpuMilliseconds).toBeGreaterThan(40 - TICK);
  expect(report.longestCpuMilliseconds).toBeLessThan(200);
});

it('begins anew with each report', async () => {
  await work(1, 150);
  const report = await work(1, 1);
  expect(report.longestCpuMilliseconds).toBeLessThan(100);
});
