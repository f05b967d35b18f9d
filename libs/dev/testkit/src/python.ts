import { execFileSync, type ExecFileSyncOptions } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

const OLDEST = [3, 10] as const;
const NAMES = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10'];
const VERSION = 'import sys, venv, ensurepip; print("%d.%d" % sys.version_info[:2])';

/** A Python that can make environments is missing, or its packages are unavailable. The message says what to install. */
export class PythonMissing extends Error {}

function isNewEnough(program: string): boolean {
  try {
    const text = execFileSync(program, ['-c', VERSION], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const [major = 0, minor = 0] = text.trim().split('.').map(Number);
    return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  } catch {
    return false;
  }
}

function install(python: string, requirements: string, folder: string): void {
  const unfinished = `${folder}.${process.pid}`;
  const options: ExecFileSyncOptions = { stdio: ['ignore', 'ignore', 'inherit'] };
  try {
    mkdirSync(path.dirname(folder), { recursive: true });
    execFileSync(python, ['-m', 'venv', unfinished], options);
    // What is never imported need not be compiled.
    const pip = '-m pip install --quiet --disable-pip-version-check --no-compile --no-deps -r'.split(' ');
    execFileSync(path.join(unfinished, 'bin/python'), [...pip, requirements], options);
    renameSync(unfinished, folder);
  } catch {
    rmSync(unfinished, { recursive: true, force: true });
    // Another run may have made it meanwhile.
    if (existsSync(folder)) return;
    throw new PythonMissing(
      `the packages of ${requirements} could not be installed from the Python package index; the lines above say why. ` +
        'PIP_INDEX_URL names a mirror where the index cannot be reached',
    );
  }
}

/**
 * The Python of an environment with the packages of a file of pinned requirements: kept between runs, made again when the file
 * changes.
 * @throws PythonMissing
 */
export function pythonWith(requirements: string, cache: string, names: readonly string[] = NAMES): string {
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 16);
  const folder = path.join(cache, `python-${digest}`);
  if (!existsSync(folder)) {
    const python = names.find(isNewEnough);
    if (python === undefined) {
      throw new PythonMissing(
        `Python ${OLDEST.join('.')} or newer with venv is needed: install python3 and python3-venv`,
      );
    }
    install(python, requirements, folder);
  }
  return path.join(folder, 'bin/python');
}
