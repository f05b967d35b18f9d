import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PLANTED_FOLDER } from './docs/repository-files';

const root = path.resolve(__dirname, '..');
/** The folders of the workspace that Nx reads. */
export const NX_SOURCES = ['apps', 'libs', 'e2e', 'tools', 'examples', 'docs', 'deploy'];
const LEFT_OUT = new Set(['node_modules', 'dist', '.nx', '.git', '.vestibule', 'coverage', PLANTED_FOLDER]);
/** What the targets run; here each only writes down that it was run. */
const BINARIES = ['eslint', 'oxlint'];
/** The scripts that targets give to Node, and the names under which they are written down. */
const SCRIPTS = {
  'tools/build.cjs': 'build',
  'tools/check-format.cjs': 'format',
  'tools/test.cjs': 'jest',
  'node_modules/typescript-native/bin/tsc': 'tsc',
};

export type NxEnvironment = Readonly<Record<string, string>>;

/** A copy of this workspace in which targets only write down that they were run. */
export interface NxCopy {
  /** Runs `nx` and returns what it printed. */
  nx(argv: readonly string[], more?: NxEnvironment): string;
  /** A line for each program that a target ran since the last {@link forgetRan}. */
  ranLines(): readonly string[];
  forgetRan(): void;
  /** Adds a line to a file. */
  touch(file: string): void;
  remove(): void;
}

function writeProgram(workspace: string, name: string, text: string) {
  const file = path.join(workspace, 'node_modules/.bin', name);
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
}

/** Packages are the real ones. Nx looks for programs in `.bin` first; a Node there runs all but the scripts of targets. */
function linkPackages(workspace: string, logFile: string) {
  const from = path.join(root, 'node_modules');
  const to = path.join(workspace, 'node_modules');
  mkdirSync(path.join(to, '.bin'), { recursive: true });
  for (const name of readdirSync(from)) {
    if (name !== '.bin') symlinkSync(path.join(from, name), path.join(to, name));
  }
  // Written down with one command of the shell: a Node for each target would be a third of what these tests cost.
  const note = (name: string) => `echo "${name} $*" >>'${logFile}'`;
  for (const name of BINARIES) writeProgram(workspace, name, note(name));
  const cases = Object.entries(SCRIPTS).map(([script, name]) => `${script}) shift; ${note(name)} ;;`);
  const others = `*) exec '${process.execPath}' "$@" ;;`;
  writeProgram(workspace, 'node', `case "$1" in\n${cases.join('\n')}\n${others}\nesac`);
}

function copyWorkspace(): string {
  const workspace = mkdtempSync(path.join(tmpdir(), 'vestibule-nx-'));
  const keep = (source: string) => !LEFT_OUT.has(path.basename(source));
  for (const folder of NX_SOURCES)
    cpSync(path.join(root, folder), path.join(workspace, folder), { recursive: true, filter: keep });
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    if (entry.isFile()) cpSync(path.join(root, entry.name), path.join(workspace, entry.name));
  }
  mkdirSync(path.join(workspace, '.nx'), { recursive: true });
  mkdirSync(path.join(workspace, 'vectors'));
  writeFileSync(path.join(workspace, 'vectors/one.json'), '{}');
  return workspace;
}

function runNx(workspace: string, argv: readonly string[], more: NxEnvironment): string {
  const environment = Object.fromEntries(
    // eslint-disable-next-line no-restricted-properties -- the environment of a child
    Object.entries(process.env).filter(([name]) => !/^(NX_|npm_|FORCE_COLOR|SPEC_VECTORS_DIR|FUZZ_)/.test(name)),
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(root, 'node_modules/.bin/nx'), ...argv], {
    cwd: workspace,
    encoding: 'utf8',
    // A process for each plugin is half of what a call costs.
    env: {
      ...environment,
      NX_DAEMON: 'false',
      NX_ISOLATE_PLUGINS: 'false',
      NX_CACHE_DIRECTORY: '.nx/cache',
      NO_COLOR: '1',
      ...more,
    },
  });
  if (status !== 0) throw new Error(`nx ${argv.join(' ')} ended with ${status}: ${stdout}${stderr}`);
  return stdout;
}

/** Makes the copy; `remove` it afterwards. */
export function createNxCopy(): NxCopy {
  const workspace = copyWorkspace();
  const logFile = path.join(workspace, '.nx/ran.log');
  linkPackages(workspace, logFile);
  return {
    nx: (argv, more = {}) => runNx(workspace, argv, more),
    ranLines: () => (existsSync(logFile) ? readFileSync(logFile, 'utf8').trim().split('\n') : []),
    forgetRan: () => rmSync(logFile, { force: true }),
    touch: (file) => appendFileSync(path.join(workspace, file), file.endsWith('.json') ? '\n' : '\n// touched\n'),
    remove: () => rmSync(workspace, { recursive: true, force: true }),
  };
}
