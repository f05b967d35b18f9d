import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeCodeCaches } from './code-cache.cjs';
import { programOf, SERVICES } from './link.cjs';

const root = path.resolve(__dirname, '..');
const read = (name: string) => readFileSync(path.join(root, name), 'utf8');

/** Runs a script of ours and returns the last line that it prints, as JSON. */
function run(script: string, first: readonly string[] = []): unknown {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...first, '-e', script], {
    cwd: root,
    encoding: 'utf8',
    env: {},
  });
  if (status !== 0) throw new Error(`it ended with ${status}: ${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

/** What a package takes if it is there, and production does not have. */
const OF_DEVELOPMENT = /^node_modules\/(?:supports-color|has-flag)\//;

/** Starts a service, which has no configuration, and prints what `print` says about the files of Node.js's cache. */
const startOf = (program: string, print: string) => `
  process.on('exit', () => {
    process.exitCode = 0;
    const files = Object.keys(require.cache).map((file) => file.slice(process.cwd().length + 1));
    console.log(JSON.stringify(${print}));
  });
  require(${JSON.stringify(path.join(root, program))});`;

describe.each(SERVICES)('the linked program of %s', (app) => {
  const program = programOf(app);
  const text = read(program);
  const names = [...text.matchAll(/^\["([^"]+)","(?:cjs|esm|live|json)",\{/gm)].map(([, name = '']) => name);

  it('is all that it loads, and has every file that the separate ones load', () => {
    const loaded = run(startOf(`dist/apps/${app}/src/main.js`, 'files')) as string[];
    expect(loaded.length).toBeGreaterThan(500);
    const late = run(startOf(program, 'files')) as string[];
    expect(late.filter((file) => !OF_DEVELOPMENT.test(file))).toEqual([program]);
    // Node.js does not list what was imported, only what was required.
    expect(loaded.filter((file) => !names.includes(file) && !OF_DEVELOPMENT.test(file))).toEqual([]);
  });

  it('listens to signals before it loads anything: the first process of a container loses those that come earlier', () => {
    const script = `
      const { Module } = require('node:module');
      const [loaded, load] = [[], Module._load];
      Module._load = (...parameters) => (loaded.push(parameters[0]), load(...parameters));
      process.on('newListener', (event) => {
        if (event !== 'SIGTERM') return;
        console.log(JSON.stringify(loaded));
        process.exit(0);
      });
      require(${JSON.stringify(path.join(root, program))});`;
    expect(run(script)).toEqual([path.join(root, program)]);
  });

  it('consists of the packages of production alone, those that are audited', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly devOptional?: boolean }>>;
    };
    const folders = names
      .filter((name) => !name.startsWith('dist/'))
      .map((name) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(name)?.[1] ?? name);
    expect(folders.length).toBeGreaterThan(300);
    expect([...new Set(folders)].filter((folder) => packages[folder] === undefined || packages[folder]?.dev)).toEqual(
      [],
    );
  });

  it('is plain ASCII, of which V8 keeps one byte each, and names no source map', () => {
    expect(/[^\0-\x7f]/.exec(text)?.[0]).toBeUndefined();
    expect(text).not.toMatch(/^\/\/# sourceMappingURL=/m);
  });
});

/** A service that cannot write its first line: what it prints about that. */
function stackOf(program: string, first: string): string {
  const { status, stderr } = spawnSync(process.execPath, ['--require', first, program], {
    cwd: root,
    encoding: 'utf8',
    env: {},
  });
  expect(status).toBe(1);
  return stderr;
}

describe('a linked program', () => {
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(path.join(tmpdir(), 'linked-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('needs no other file until it has read its configuration', () => {
    const file = path.join(folder, 'dist/apps/verifier/main.js');
    cpSync(path.join(root, programOf('verifier')), file, { recursive: true });
    const { status, stdout } = spawnSync(process.execPath, [file], { encoding: 'utf8', env: {} });
    expect(status).toBe(2);
    expect(stdout).toContain('"variable":"DATABASE_URL","reason":"is missing"');
  });

  it('says in a stack what separate files say, but for the lines of packages', () => {
    const first = path.join(folder, 'break.cjs');
    writeFileSync(first, "process.stdout.write = () => { throw new RangeError('planted'); };\n");
    const separate = stackOf('dist/apps/verifier/src/main.js', first);
    expect(separate).toMatch(/ at runService \(.*\/dist\/libs\/platform\/process\/src\/run-service\.js:\d+:\d+\)\n/);
    expect(separate).toMatch(/ at \S+write \(.*\/node_modules\/pino\/lib\/proto\.js:\d+:\d+\)\n/);
    expect(stackOf(programOf('verifier'), first)).toBe(separate.replaceAll(/(\/node_modules\/[^):]+):\d+:\d+/g, '$1'));
  });

  it('is compiled from its code cache in tests, which V8 does not refuse', () => {
    const counter = path.join(folder, 'counter.cjs');
    writeFileSync(
      counter,
      `const vm = require('node:vm');
      globalThis.refused = [];
      vm.Script = class extends vm.Script {
        constructor(source, options) {
          super(source, options);
          refused.push(this.cachedDataRejected);
        }
      };`,
    );
    const loader = makeCodeCaches();
    const first = ['--require', counter, '--require', loader];
    for (const app of SERVICES) expect(run(startOf(programOf(app), 'refused'), first)).toEqual([false]);
    // A checkout that was copied or moved has the caches of its own programs.
    const caches = JSON.parse(readFileSync(path.join(path.dirname(loader), 'caches.json'), 'utf8')) as object;
    expect(Object.keys(caches)).toEqual(SERVICES.map(programOf));
  });
});
