import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The report of a service that runs with the loop watch. */
export interface LoopReport {
  /** Processor time of all its threads since it started. */
  readonly cpuMilliseconds: number;
  /** The longest time, since the last report, for which its event loop was blocked: as its own work … */
  readonly longestCpuMilliseconds: number;
  /** … and as wall-clock time, including waiting for a processor. */
  readonly longestWallMilliseconds: number;
}

/** Where the loop watch of a process listens: a path, or a named pipe on Windows. */
export function loopWatchSocket(pid: number): string {
  const name = `vestibule-loop-watch-${pid}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : path.join(tmpdir(), `${name}.sock`);
}

/** Reads the figures of a process, which resets its longest times. */
export function readLoopReport(pid: number): Promise<LoopReport> {
  return new Promise((resolve, reject) => {
    let text = '';
    connect(loopWatchSocket(pid))
      .setEncoding('utf8')
      .on('error', reject)
      .on('data', (chunk: string) => (text += chunk))
      .on('end', () => resolve(JSON.parse(text) as LoopReport));
  });
}
