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

jest.setTimeout(600_000);

const root = path.resolve(__dirname, '..');
const SOURCES = ['apps', 'libs', 'e2e', 'tools', 'docs', 'deploy'];
const LEFT_OUT = new Set(['node_modules', 'dist', '.nx', '.git', '.vestibule', 'coverage', PLANTED_FOLDER]);
/** What the targets run; here each only writes down that it was run. */
const STUBS = { eslint: '.bin/eslint', tsc: '.bin/tsc', jest: 'jest/bin/jest.js' };

let workspace: string;
const logFile = () => path.join(workspace, '.nx/ran.log');

/** Packages are the real ones, but for those that a target runs. */
function linkPackages() {
  const from = path.join(root, 'node_modules');
  const to = path.join(workspace, 'node_modules');
  mkdirSync(path.join(to, '.bin'), { recursive: true });
  for (const name of readdirSync(from)) {
    if (!['.bin', 'jest'].includes(name)) symlinkSync(path.join(from, name), path.join(to, name));
  }
  for (const [name, file] of Object.entries(STUBS)) {
    const stub = path.join(to, file);
    mkdirSync(path.dirname(stub), { recursive: true });
    const line = `[${JSON.stringify(name)}, ...process.argv.slice(2)].join(' ') + '\\n'`;
    writeFileSync(
      stub,
      `#!/usr/bin/env node\nrequire('node:fs').appendFileSync(${JSON.stringify(logFile())}, ${line});\n`,
    );
    chmodSync(stub, 0o755);
  }
}

function nx(...argv: string[]): string {
  const environment = Object.fromEntries(
    // eslint-disable-next-line no-restricted-properties -- the environment of a child
    Object.entries(process.env).filter(([name]) => !/^(NX_|npm_|FORCE_COLOR|SPEC_VECTORS_DIR)/.test(name)),
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
    },
  });
  if (status !== 0) throw new Error(`nx ${argv.join(' ')} ended with ${status}: ${stdout}${stderr}`);
  return stdout;
}

/** Runs three targets of two projects and says which of them were not taken from the cache. */
function run(): string[] {
  rmSync(logFile(), { force: true });
  nx('run-many', '--targets=lint,test,typecheck', '--projects=crypto,verifier', '--parallel=2');
  const lines = existsSync(logFile()) ? readFileSync(logFile(), 'utf8').trim().split('\n') : [];
  const program = { eslint: 'lint', jest: 'test', tsc: 'typecheck' } as Readonly<Record<string, string>>;
  return lines
    .map((line) => `${/verifier/.test(line) ? 'verifier' : 'crypto'}:${program[line.split(' ')[0] ?? '']}`)
    .sort();
}

const touch = (file: string) =>
  appendFileSync(path.join(workspace, file), file.endsWith('.json') ? '\n' : '\n// touched\n');
const affectedBy = (file: string) =>
  JSON.parse(nx('show', 'projects', '--affected', `--files=${file}`, '--json')) as string[];

beforeAll(() => {
  workspace = mkdtempSync(path.join(tmpdir(), 'vestibule-nx-'));
  const keep = (source: string) => !LEFT_OUT.has(path.basename(source));
  for (const folder of SOURCES)
    cpSync(path.join(root, folder), path.join(workspace, folder), { recursive: true, filter: keep });
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    if (entry.isFile()) cpSync(path.join(root, entry.name), path.join(workspace, entry.name));
  }
  mkdirSync(path.join(workspace, '.nx'), { recursive: true });
  linkPackages();
});
afterAll(() => rmSync(workspace, { recursive: true, force: true }));

describe('the cache of Nx', () => {
  const LINT = ['crypto:lint', 'verifier:lint'];
  const TEST = ['crypto:test', 'verifier:test'];
  const TYPECHECK = ['crypto:typecheck', 'verifier:typecheck'];
  const VERIFIER = ['verifier:lint', 'verifier:test', 'verifier:typecheck'];
  const ALL = [...LINT, ...TEST, ...TYPECHECK].sort();

  it('runs each target once', () => {
    expect(run()).toEqual(ALL);
    expect(run()).toEqual([]);
  });
  // From here on everything is in the cache: each test leaves it so.

  it.each([
    ['the rules of lint', 'eslint.config.mjs', LINT],
    ['the configuration of Jest', 'jest.config.cjs', TEST],
    ['how Jest compiles', 'tools/jest-transform.cjs', TEST],
    ['the options of the compiler', 'tsconfig.base.json', ALL],
    ['a library below both', 'libs/core/foundation/src/index.ts', ALL],
    ['a library below one of them', 'libs/core/dcql/src/index.ts', VERIFIER],
    ['an app', 'apps/verifier/src/config.ts', VERIFIER],
    ['the test of an app', 'apps/verifier/src/compose.spec.ts', VERIFIER],
    ['a page that nobody compiles', 'docs/flows.md', []],
  ])('notices a change of %s', (_what, file, expected) => {
    touch(file);
    expect(run()).toEqual([...expected].sort());
  });
});

describe('what Nx calls affected', () => {
  const everyProject = () => JSON.parse(nx('show', 'projects', '--json')) as string[];

  it.each(['eslint.config.mjs', 'jest.config.cjs'])('is every project after a change of %s', (file) => {
    expect(affectedBy(file).sort()).toEqual(everyProject().sort());
  });

  it('is what uses a library, and nothing else', () => {
    const affected = affectedBy('libs/core/dcql/src/index.ts');
    expect(affected).toEqual(expect.arrayContaining(['dcql', 'oid4vp', 'verifier', 'e2e', 'workspace']));
    expect(
      affected.filter((name) => ['foundation', 'crypto', 'vcdm', 'claims-schema', 'issuer'].includes(name)),
    ).toEqual([]);
  });

  it('is an app and what starts it, and no other app', () => {
    expect(affectedBy('apps/verifier/src/config.ts').sort()).toEqual(['e2e', 'tools', 'verifier', 'workspace']);
  });

  it('is only what reads the documents after a change of one', () => {
    expect(affectedBy('docs/flows.md').sort()).toEqual(['tools', 'workspace']);
  });
});
