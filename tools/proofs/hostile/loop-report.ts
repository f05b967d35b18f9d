import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What a service that runs with the loop watch tells of itself. */
export interface LoopReport {
  /** Processor time of all its threads since it started. */
  readonly cpuMilliseconds: number;
  /** The longest stretch, since the last report, in which its event loop answered nobody else: its work alone … */
  readonly longestCpuMilliseconds: number;
  /** … and as the clock on the wall shows it, waiting for a processor included. */
  readonly longestWallMilliseconds: number;
}

/** Where the loop watch of a process listens: a path, or a named pipe on Windows. */
export function loopWatchSocket(pid: number): string {
  const name = `vestibule-loop-watch-${pid}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : path.join(tmpdir(), `${name}.sock`);
}

/** Asks a process for its figures; the longest stretches begin anew. */
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
