import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundlePackages, requiredPackages } from './app-packages.cjs';

const root = path.resolve(__dirname, '..');
const APPS = ['gateway', 'issuer', 'verifier', 'wallet-store'];

let loader: string;
beforeAll(async () => {
  loader = await bundlePackages();
});

/** Runs a script of ours with or without the bundle and returns what it prints as JSON. */
function run(script: string, first: readonly string[]): unknown {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...first, '-e', script], {
    cwd: root,
    encoding: 'utf8',
    env: {},
  });
  if (status !== 0) throw new Error(`it ended with ${status}: ${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}
const both = (script: string) => ({ usual: run(script, []), bundled: run(script, ['--require', loader]) });

const FROM_FOLDERS = "Object.keys(require.cache).filter((file) => file.includes('node_modules'))";

describe('the packages of the apps in one file', () => {
  it('are all that the product requires, and export the same', () => {
    const names = requiredPackages();
    expect(names).toEqual(expect.arrayContaining(['@nestjs/core', 'jose', 'typeorm', 'zod']));
    const describeAll = `console.log(JSON.stringify(${JSON.stringify(names)}.map((name) => {
      const all = require(name);
      return [name, typeof all, Object.keys(all).sort().map((key) => key + ': ' + typeof all[key])];
    })))`;
    const { usual, bundled } = both(describeAll);
    expect(bundled).toEqual(usual);
  });

  it.each(APPS)('are the only ones that %s loads, so that none is there twice', (app) => {
    const script = `process.argv[2] = 'no-such-command';
      process.on('exit', () => { process.exitCode = 0; console.log(JSON.stringify(${FROM_FOLDERS}.length)); });
      require('./dist/apps/${app}/main.js');`;
    const { usual, bundled } = both(script);
    expect(usual).toBeGreaterThan(100);
    expect(bundled).toBe(0);
  });

  it('are those of Node where the product does not require them', () => {
    expect(run(`require('semver'); console.log(${FROM_FOLDERS}.length > 0)`, ['--require', loader])).toBe(true);
  });

  it('are those of Node in a thread, whose memory is limited', () => {
    const inThread = `require('jose'); require('node:worker_threads').parentPort.postMessage(${FROM_FOLDERS}.length)`;
    const script = `new (require('node:worker_threads').Worker)(${JSON.stringify(inThread)}, { eval: true })
      .on('message', (count) => console.log(count > 0))`;
    expect(run(script, ['--require', loader])).toBe(true);
  });
});

/** Every app without its `main`. */
const WITHOUT_MAIN =
  "['gateway/src/gateway', 'issuer/src/issuer.module', 'verifier/src/verifier.module', 'wallet-store/src/wallet-store.module']";
const REQUIRE_ALL = `for (const file of ${WITHOUT_MAIN}) require('./dist/apps/' + file);`;

describe('the files of the product in one file', () => {
  it('are modules of their own with the same exports', () => {
    const { usual, bundled } = both(`${REQUIRE_ALL}
      const ours = Object.values(require.cache).filter(({ filename }) => /dist.(apps|libs)/.test(filename));
      const described = ours.map(({ filename, exports }) => [filename, Object.keys(exports).sort()]);
      console.log(JSON.stringify(described.sort(([a], [b]) => (a < b ? -1 : 1))));`);
    expect((usual as unknown[]).length).toBeGreaterThan(300);
    expect(bundled).toEqual(usual);
  });

  it('say in a stack where they are', () => {
    const { usual, bundled } = both(`const { decodeBase64url } = require('./dist/libs/core/foundation/src');
      try { decodeBase64url(Symbol.iterator); } catch (error) { console.log(JSON.stringify(error.stack.split('\\n').slice(0, 4))); }`);
    expect(usual).toContainEqual(expect.stringMatching(/foundation[/]src[/]base64url\.js:\d+:\d+/));
    expect(bundled).toEqual(usual);
  });

  it('and the packages are compiled from their caches, of which V8 refuses none', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'app-packages-'));
    const counter = path.join(folder, 'counter.cjs');
    writeFileSync(
      counter,
      `const vm = require('node:vm');
      globalThis.compiled = { cached: 0, refused: 0 };
      vm.Script = class extends vm.Script {
        constructor(source, options) {
          super(source, options);
          if (this.cachedDataRejected === false) compiled.cached += 1;
          if (this.cachedDataRejected === true) compiled.refused += 1;
        }
      };`,
    );
    try {
      const script = `${REQUIRE_ALL} console.log(JSON.stringify(compiled));`;
      const { cached, refused } = run(script, ['--require', counter, '--require', loader]) as Record<string, number>;
      expect(refused).toBe(0);
      expect(cached).toBeGreaterThan(300);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
