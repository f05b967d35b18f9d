import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';

/** The operating system user that runs Postgres. `undefined` ids mean the user of this process. */
export interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
  readonly name: string;
}

/** True for root, as which Postgres refuses to run. */
function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function findInPasswd(name: string): ServerUser | undefined {
  let passwd: string;
  try {
    passwd = readFileSync('/etc/passwd', 'utf8');
  } catch {
    return undefined;
  }
  const fields = passwd
    .split('\n')
    .map((line) => line.split(':'))
    .find(([user]) => user === name);
  const uid = Number(fields?.[2]);
  const gid = Number(fields?.[3]);
  return Number.isInteger(uid) && Number.isInteger(gid) && uid > 0 ? { uid, gid, name } : undefined;
}

/** The owner of an existing data folder remains its owner, no matter who starts Postgres on it. */
function findOwner(dataFolder: string): ServerUser | undefined {
  const stats = statSync(dataFolder, { throwIfNoEntry: false });
  if (!stats || stats.uid === 0) return undefined;
  return { uid: stats.uid, gid: stats.gid, name: `uid ${stats.uid}` };
}

/**
 * Chooses the user that runs Postgres: an ordinary user runs it as itself; root leaves it to the owner of the data
 * folder, else to `postgres`, else to `nobody`. No user is created.
 */
export function chooseServerUser(dataFolder?: string): ServerUser {
  if (!isRoot()) return { name: 'this user' };
  return (
    (dataFolder === undefined ? undefined : findOwner(dataFolder)) ??
    findInPasswd('postgres') ??
    findInPasswd('nobody') ?? { uid: 65534, gid: 65534, name: 'uid 65534' }
  );
}

/** The options of `spawn` that make a program run as `user`, in a folder that everybody may enter. */
export function asUser(user: ServerUser): { cwd: string; uid?: number; gid?: number } {
  return user.uid === undefined ? { cwd: '/' } : { cwd: '/', uid: user.uid, gid: user.gid ?? user.uid };
}

/** Runs a short program as `user`; `ok` is true if it exits with 0. */
export function runAs(user: ServerUser, command: string, args: readonly string[]): { ok: boolean; output: string } {
  const result = spawnSync(command, args, {
    ...asUser(user),
    encoding: 'utf8',
    timeout: 120_000,
    env: { LC_ALL: 'C' },
  });
  const output = [result.error?.message, result.stdout, result.stderr].filter(Boolean).join('\n').trim();
  return { ok: result.status === 0, output };
}

/** True if `user` may create files in `folder`; this also detects an inaccessible folder anywhere above it. */
export function mayWriteIn(user: ServerUser, folder: string): boolean {
  return runAs(user, '/bin/sh', ['-c', 'test -d "$0" && test -w "$0" && test -x "$0"', folder]).ok;
}

/** True if `user` can reach `folder`, that is, may pass through every folder above it. */
export function mayEnter(user: ServerUser, folder: string): boolean {
  return runAs(user, '/bin/sh', ['-c', 'cd "$0"', folder]).ok;
}
