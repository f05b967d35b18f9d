import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { PageState } from '@vestibule/console-server';

/** The page of the console: built from `apps/console`, whose packages are not those of the workspace. */
export interface ConsolePage {
  readonly folder: string;
  state(): PageState;
  /** Resolves when it is built, or could not be. */
  readonly built: Promise<void>;
}

const MADE = ['node_modules', 'dist'];
const STAMP = '.built-from';
const LAST_LINES = 5;

function* filesOf(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const full = path.join(folder, entry.name);
    if (!entry.isDirectory()) yield full;
    else if (!MADE.includes(entry.name)) yield* filesOf(full);
  }
}

const digestOf = (files: Iterable<string>): string => {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${path.basename(file)}\0`).update(readFileSync(file));
  return hash.digest('hex');
};

const readStamp = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

/** Runs a program in a folder; rejects with its last lines. */
function run(folder: string, argv: readonly [string, ...string[]]): Promise<void> {
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
      else reject(new Error(said.trim().split('\n').slice(-LAST_LINES).join('\n')));
    });
  });
}

/** Node's own folder has npm; an npm that runs this program names its file. */
const npm = (environment: ToolEnvironment): readonly [string, ...string[]] => {
  const file = environment['npm_execpath'];
  return file === undefined || file === '' ? ['npm'] : [process.execPath, file];
};

type ToolEnvironment = Readonly<Record<string, string | undefined>>;

interface PageOptions {
  readonly root: string;
  readonly environment: ToolEnvironment;
  readonly report: (line: string) => void;
}

async function install(folder: string, { environment, report }: PageOptions): Promise<void> {
  const stamp = path.join(folder, 'node_modules', STAMP);
  const lock = digestOf([path.join(folder, 'package-lock.json')]);
  if (readStamp(stamp) === lock) return;
  report('console: installing its packages, once');
  await run(folder, [...npm(environment), 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(stamp, lock);
}

/** Begins to build the page, unless it is there; the stack does not wait for it. */
export function buildConsolePage(options: PageOptions): ConsolePage {
  const folder = path.join(options.root, 'apps/console');
  const target = path.join(folder, 'dist');
  const stamp = path.join(target, STAMP);
  const sources = digestOf(filesOf(folder));
  if (readStamp(stamp) === sources) return { folder: target, state: () => 'ready', built: Promise.resolve() };
  let state: PageState = 'building';
  const began = performance.now();
  const make = async () => {
    await install(folder, options);
    options.report('console: building the page');
    await run(folder, [process.execPath, 'node_modules/vite/bin/vite.js', 'build', '--logLevel', 'error']);
    writeFileSync(stamp, sources);
    state = 'ready';
    options.report(`console: built in ${Math.round((performance.now() - began) / 1000)} s`);
  };
  const built = make().catch((error: unknown) => {
    state = 'absent';
    const why = error instanceof Error ? error.message : String(error);
    options.report(`console: not built, everything else works. It needs the registry of npm once.\n${why}`);
  });
  return { folder: target, state: () => state, built };
}
