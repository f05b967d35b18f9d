import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { KEEPER_MARK } from './server-keeper';
import { StackFailure } from './stack-failure';

interface ProcessFacts {
  readonly parent: number;
  readonly command: string;
}

/** The process with this id, or undefined if there is none. */
function findProcess(pid: number): ProcessFacts | undefined {
  try {
    const output = execFileSync('ps', ['-o', 'ppid=', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
    const [, parent, command] = /^\s*(\d+)\s+(.*)$/m.exec(output) ?? [];
    return command === undefined ? undefined : { parent: Number(parent), command };
  } catch {
    return findInProc(pid);
  }
}

/** For systems without `ps`; `ps` also fails if there is no such process. */
function findInProc(pid: number): ProcessFacts | undefined {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    const parent = /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return command === '' ? undefined : { parent: Number(parent), command };
  } catch {
    return undefined;
  }
}

/** The Postgres that is running on this cluster; not a later process with the same id. */
function findPostmaster(pidFile: string): (ProcessFacts & { pid: number }) | undefined {
  const [firstLine, folder] = existsSync(pidFile) ? readFileSync(pidFile, 'utf8').split('\n') : [];
  const pid = Number(firstLine);
  if (!Number.isInteger(pid) || pid <= 1 || folder === undefined) return undefined;
  const facts = findProcess(pid);
  return facts?.command.includes(folder) ? { ...facts, pid } : undefined;
}

async function waitUntilGone(pidFile: string, milliseconds: number): Promise<boolean> {
  const end = performance.now() + milliseconds;
  while (findPostmaster(pidFile)) {
    if (performance.now() > end) return false;
    await sleep(50);
  }
  return true;
}

function signal(pid: number, name: 'SIGINT' | 'SIGQUIT'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Makes a cluster startable after a crash: waits for a Postgres that is about to end, ends one whose keeper was killed,
 * and removes a `postmaster.pid` whose process has ended (even if another program has its id by now).
 * @returns whether there was anything to clean up
 * @throws StackFailure `data_folder_in_use` if another stack runs on the folder
 */
export async function clearStalePostmaster(cluster: string): Promise<boolean> {
  const pidFile = path.join(cluster, 'postmaster.pid');
  if (!existsSync(pidFile)) return false;
  const postmaster = findPostmaster(pidFile);
  if (postmaster) {
    const kept = findProcess(postmaster.parent)?.command.includes(KEEPER_MARK) ?? false;
    if (await waitUntilGone(pidFile, kept ? 5000 : 500)) return true;
    if (kept) {
      throw new StackFailure(
        'data_folder_in_use',
        `another stack (Postgres process ${postmaster.pid}) uses ${cluster}: stop it, or choose another folder`,
      );
    }
    signal(postmaster.pid, 'SIGINT');
    if (!(await waitUntilGone(pidFile, 10_000))) signal(postmaster.pid, 'SIGQUIT');
    await waitUntilGone(pidFile, 5000);
  }
  rmSync(pidFile, { force: true });
  return true;
}
