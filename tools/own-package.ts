import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const LAST_LINES = 5;
/** Written beside packages and pages: what they were made from. */
const STAMP = '.built-from';

/** One digest of several files. */
export const digestOf = (files: Iterable<string>): string => {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${path.basename(file)}\0`).update(readFileSync(file));
  return hash.digest('hex');
};

export const readStamp = (folder: string): string => {
  const file = path.join(folder, STAMP);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};
export const writeStamp = (folder: string, text: string): void => writeFileSync(path.join(folder, STAMP), text);

/** Runs a program in a folder; rejects with its last lines, and with all of them as the cause. */
export function runIn(folder: string, argv: readonly [string, ...string[]]): Promise<void> {
  const [program, ...rest] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(program, rest, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    const keep = (chunk: Buffer) => (said = `${said}${chunk.toString('utf8')}`.slice(-4_000));
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(said.trim().split('\n').slice(-LAST_LINES).join('\n'), { cause: said }));
    });
  });
}

/** Node's own folder has npm; an npm that runs this program names its file. */
const npm = (environment: ToolEnvironment): readonly [string, ...string[]] => {
  const file = environment['npm_execpath'];
  return file === undefined || file === '' ? ['npm'] : [process.execPath, file];
};

export type ToolEnvironment = Readonly<Record<string, string | undefined>>;

const retries = (count: number, waitMilliseconds: number) => [
  `--fetch-retries=${count}`,
  `--fetch-retry-mintimeout=${waitMilliseconds}`,
];
/** Few attempts: a machine without a registry must not wait for minutes to find out. */
const QUIETLY = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...retries(1, 1_000)];

/** `ECONNREFUSED`, `E404`, `ENOSPC`: the word by which npm names what went wrong. */
const codeOf = ({ cause }: { readonly cause?: unknown }) =>
  /npm (?:error|ERR!) code (\w+)/.exec(String(cause))?.[1] ?? 'npm ci failed';

export interface OwnPackage {
  /** What the package is, for messages. */
  readonly name: string;
  readonly folder: string;
  readonly environment: ToolEnvironment;
  readonly report: (line: string) => void;
}

/** Installs the packages of a folder that has a lock file of its own, unless that was done before. */
export async function installPackages({ name, folder, environment, report }: OwnPackage): Promise<void> {
  const packages = path.join(folder, 'node_modules');
  const lock = digestOf([path.join(folder, 'package-lock.json')]);
  if (readStamp(packages) === lock) return;
  report(`${name}: installing its packages, once`);
  try {
    await runIn(folder, [...npm(environment), 'ci', ...QUIETLY]);
  } catch (error) {
    throw new Error(
      `Its packages could not be installed (${codeOf(error as Error)}): "npm ci --prefix ${folder}" says more`,
    );
  }
  writeStamp(packages, lock);
}
