import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { loopWatchSocket, type LoopReport } from './loop-report';

/*
 * Loaded into a service (`node --require`) before the service itself. A timer that is always due shows how long the
 * event loop was blocked, and the processor time of its thread shows how much of that was work: on a busy machine the
 * rest is waiting for a processor. A connection to the socket receives the figures since the last one.
 */

const TICK_MILLISECONDS = 1;
const schedulerClock = openSchedulerClock();

/** The scheduler's clock of this thread, if there is one (Linux); the first thread runs the event loop. */
function openSchedulerClock(): number | undefined {
  try {
    const descriptor = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
    if (readThread(descriptor) > 0) return descriptor;
    closeSync(descriptor);
  } catch {
    // Not Linux, or a kernel without it: the time of all threads is used instead, which is never less.
  }
  return undefined;
}

function readThread(descriptor: number): number {
  const bytes = Buffer.alloc(64);
  const length = readSync(descriptor, bytes, 0, bytes.byteLength, 0);
  return Number(bytes.toString('latin1', 0, length).split(' ', 1)[0]) / 1e6;
}

const processMilliseconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const threadMilliseconds = () => (schedulerClock === undefined ? processMilliseconds() : readThread(schedulerClock));

let longest = { cpu: 0, wall: 0 };
let last = { cpu: threadMilliseconds(), wall: performance.now() };

function look(): void {
  const now = { cpu: threadMilliseconds(), wall: performance.now() };
  longest = { cpu: Math.max(longest.cpu, now.cpu - last.cpu), wall: Math.max(longest.wall, now.wall - last.wall) };
  last = now;
}

setInterval(look, TICK_MILLISECONDS).unref();

const server = createServer((socket) => {
  socket.on('error', () => undefined); // the client has disconnected
  look();
  const report: LoopReport = {
    cpuMilliseconds: processMilliseconds(),
    longestCpuMilliseconds: longest.cpu,
    longestWallMilliseconds: longest.wall,
  };
  longest = { cpu: 0, wall: 0 };
  socket.end(JSON.stringify(report));
});
server.listen(loopWatchSocket(process.pid));
server.unref();
process.on('exit', () => rmSync(loopWatchSocket(process.pid), { force: true }));
