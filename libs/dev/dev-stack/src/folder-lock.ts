import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StackFailure } from './stack-failure';

/** The name of the lock in a data folder. */
export const LOCK_FILE = 'in-use.lock';

/** A folder that nobody else may use. */
export interface FolderLock {
  release(): void;
}

/** When a process was started, in the clock of the kernel: tells a process from a later one with the same id. */
function startOf(pid: number): string {
  try {
    // The name of the program is in parentheses and may contain blanks; the 22nd field is the start.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The process that wrote this lock, if it still runs. */
function holderOf(text: string): number | undefined {
  const [, pid, start] = /^(\d+) (\d*)\n$/.exec(text) ?? [];
  const holder = Number(pid);
  const isSame = pid !== undefined && isAlive(holder) && (start === '' || startOf(holder) === start);
  return isSame ? holder : undefined;
}

function inUse(folder: string, holder: number): StackFailure {
  const detail = `${folder} is in use by process ${holder}: stop it, or set DATA_FOLDER to another folder`;
  return new StackFailure('data_folder_in_use', detail);
}

/** The lock appears with its content: nobody can read half of it. */
function tryToCreate(file: string, text: string): boolean {
  const complete = `${file}.${process.pid}.new`;
  writeFileSync(complete, text, { mode: 0o600 });
  try {
    linkSync(complete, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(complete);
  }
}

function tryToRead(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Takes away the lock of a process that has ended. Two may try at the same time: a process that took a lock that it had not
 * judged puts it back.
 */
function takeAway(file: string, judged: string): void {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (readFileSync(aside, 'utf8') !== judged) linkSync(aside, file);
  rmSync(aside);
}

const TRIES = 10;

/**
 * Locks a folder for this process until it releases it or ends, however it ends.
 * @throws StackFailure `data_folder_in_use`
 */
export function lockFolder(folder: string): FolderLock {
  const file = path.join(folder, LOCK_FILE);
  const own = `${process.pid} ${startOf(process.pid)}\n`;
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (tryToCreate(file, own)) return { release: () => rmSync(file, { force: true }) };
    const text = tryToRead(file);
    const holder = text === undefined ? undefined : holderOf(text);
    if (holder !== undefined) throw inUse(folder, holder);
    if (text !== undefined) takeAway(file, text);
  }
  throw new StackFailure('data_folder_in_use', `${folder}: its lock changes all the time; remove ${file}`);
}
