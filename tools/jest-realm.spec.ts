import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { filesBelow } from './docs/repository-files';

const root = path.resolve(__dirname, '..');

/** Leaves behind whatever it can, in a test and outside of one. */
const POLLUTER = `
  const { Logger } = require('@nestjs/common');
  require('counted');
  require('./counter').next();
  expect.extend({ toBeLeftBehind: () => ({ pass: true, message: () => '' }) });
  globalThis.left = 1;
  globalThis[Symbol.for('left')] = 1;
  globalThis.setImmediate = () => undefined;
  globalThis.URL = class {};
  delete globalThis.btoa;
  test('leaves much behind', () => {
    process.env.LEFT = 'here';
    delete process.env.PATH;
    process.on('SIGUSR2', () => undefined);
    process.cwd = () => '/left';
    Array.prototype.left = 1;
    Object.prototype.left = 1;
    Date.now = () => 0;
    Math.random = () => 0;
    JSON.stringify = () => 'left';
    Buffer.prototype.left = 1;
    Error.prepareStackTrace = () => 'left';
    console.log = () => 'left';
    Logger.overrideLogger({ log: () => 'left' });
    Logger.prototype.log = () => 'left';
    jest.spyOn(require('node:fs'), 'existsSync').mockReturnValue('left');
  });
`;

/** What a file sees of all that. Every test ends the same in a worker of its own. */
const WITNESS = `
  const { Logger } = require('@nestjs/common');
  require('counted');
  const seen = () => [
    'left' in globalThis, Symbol.for('left') in globalThis, typeof expect(1).toBeLeftBehind, typeof btoa,
    new URL('https://a.example/b').host, process.env.LEFT, typeof process.env.PATH, process.listenerCount('SIGUSR2'),
    process.cwd() === '/left', [].left, Date.now() > 0, [Math.random(), Math.random()].every((n) => n === 0),
    JSON.stringify([1]), Buffer.from('a').left,
    Logger.prototype.log.name, Logger.staticInstanceRef.constructor.name,
    require('./counter').next(), require('node:fs').existsSync('/nowhere'),
    typeof Reflect.getMetadata, new Error('x').stack !== 'left', console.log('') !== 'left',
  ];
  test('sees nothing of it', async () => {
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(seen()).toEqual([
      false, false, 'undefined', 'function', 'a.example', undefined, 'string', 0, false, undefined, true, false, '[1]', undefined,
      '', 'ConsoleLogger', 1, false, 'function', true, true,
    ]);
  });
  test('has what a package made of the realm, and errors and bytes of one kind', () => {
    const { ZodError, z } = require('zod');
    expect(z.string().safeParse(1).error).toBeInstanceOf(ZodError);
    expect(() => require('jose').decodeJwt('a')).toThrow(Error);
    expect(require('node:crypto').randomBytes(1)).toBeInstanceOf(Uint8Array);
    expect(require('node:util').types.isNativeError(new TypeError('x')) && [] instanceof Array).toBe(true);
  });
`;

const BY_NAME = `
  const { default: Sequencer } = require(${JSON.stringify(path.join(root, 'node_modules/@jest/test-sequencer'))});
  module.exports = class extends Sequencer {
    sort(tests) {
      return [...tests].sort((one, other) => (one.path < other.path ? -1 : 1));
    }
  };
`;

/** A file with `import()` is compiled apart from the others. */
const IMPORTER = `
  const later = () => import('node:fs');
  test('has the globals of the realm, too', () => {
    expect([typeof later, typeof btoa, new URL('https://a.example/b').host]).toEqual(['function', 'function', 'a.example']);
  });
`;

/** Runs files one after the other in one process. Returns how that ended, and how often the package \`counted\` was loaded. */
function runFiles(files: Readonly<Record<string, string>>, environment = 'tools/jest-environment.cjs') {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-realm-'));
  try {
    const modules = path.join(folder, 'node_modules');
    mkdirSync(path.join(modules, 'counted'), { recursive: true });
    for (const name of ['@nestjs', 'zod', 'jose'])
      symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name));
    const loads = path.join(folder, 'loads');
    const counted = `require('node:fs').appendFileSync(${JSON.stringify(loads)}, 'x');`;
    writeFileSync(path.join(modules, 'counted/index.js'), counted);
    writeFileSync(path.join(folder, 'counter.js'), 'let count = 0; exports.next = () => (count += 1);');
    writeFileSync(path.join(folder, 'by-name.cjs'), BY_NAME);
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
    const config = {
      rootDir: folder,
      testEnvironment: path.join(root, environment),
      runtime: path.join(root, 'tools/jest-runtime.cjs'),
      setupFiles: [path.join(root, 'node_modules/reflect-metadata/Reflect.js')],
      testSequencer: path.join(folder, 'by-name.cjs'),
      transform: {},
    };
    const argv = [path.join(root, 'node_modules/jest/bin/jest.js'), '--runInBand', '--config', JSON.stringify(config)];
    const { status, stderr } = spawnSync(process.execPath, argv, { cwd: folder, encoding: 'utf8' });
    return { status, stderr, loads: readFileSync(loads, 'utf8').length };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('a test file', () => {
  it('sees nothing of what the one before it in the same worker changed', () => {
    const { status, stderr, loads } = runFiles({
      'a.test.js': POLLUTER,
      'b.test.js': WITNESS,
      'c.test.js': POLLUTER,
      'd.test.js': WITNESS,
      'e.test.js': IMPORTER,
    });
    expect(stderr).toContain('5 passed, 5 total');
    expect({ status, loads }).toEqual({ status: 0, loads: 1 });
  });

  it('that fakes timers has a context of its own, for Jest itself would get them, too', () => {
    const faking =
      "require('counted'); test('fakes timers', () => { jest.useFakeTimers(); setTimeout(() => 0, 1); jest.runAllTimers(); });";
    const own = path.join(root, 'tools/jest-context-environment.cjs');
    const { stderr } = runFiles({ 'a.test.js': faking, 'b.test.js': `/** @jest-environment ${own} */\n${faking}` });
    expect(stderr).toMatch(
      /FAIL .*a\.test\.js[^]*begin the file with[^]*PASS .*b\.test\.js[^]*1 failed, 1 passed, 2 total/,
    );
  });

  it('has no context of its own without fake timers, for that costs half as much again', () => {
    const files = ['apps', 'libs', 'e2e', 'tools'].flatMap((folder) => filesBelow(root, folder));
    const inContext = files.filter((file) =>
      /^\/\*\* @jest-environment .* \*\//.test(readFileSync(path.join(root, file), 'utf8')),
    );
    expect(inContext.length).toBeGreaterThan(5);
    const needless = inContext.filter(
      (file) => !/\bjest\.useFakeTimers\(/.test(readFileSync(path.join(root, file), 'utf8')),
    );
    expect(needless).toEqual([]);
  });
});
