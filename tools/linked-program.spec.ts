import { webcrypto } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import { endOnSignals, type LinkedFile, run } from './linked-program.cjs';

const root = path.resolve(__dirname, '..');
const filename = path.join(root, 'dist/apps/none/main.js');
const program = { require: createRequire(__filename), filename };

type Kind = LinkedFile[1];
type Code = LinkedFile[4];
let lines = 1;
/** Files that require each other by their names. */
function link(files: Readonly<Record<string, readonly [Kind, Code]>>): LinkedFile[] {
  const names = Object.keys(files);
  const required = Object.fromEntries(names.map((name, index) => [`./${name}`, index]));
  return names
    .map((name) => [`dist/${name}.js`, ...(files[name] as readonly [Kind, Code])] as const)
    .map(([name, kind, code]) => [name, kind, required, (lines += 100), code]);
}

const { prepareStackTrace } = Error;
beforeEach(() => void (lines = 1));
afterEach(() => void (Error.prepareStackTrace = prepareStackTrace));

/** What the first of the files passes to `note`. */
function outcomeOf(files: (note: (value: unknown) => void) => Parameters<typeof link>[0]): unknown[] {
  const noted: unknown[] = [];
  run(link(files((value) => noted.push(value))), program);
  return noted;
}

describe('a linked program', () => {
  it('runs each file once, when it is first required, with its own name and folder', () => {
    const noted = outcomeOf((note) => ({
      main: ['cjs', (_, require) => note([require('./one') === require('./one'), require('./one')])],
      one: [
        'cjs',
        (exports, _, module, ...[name, folder]) => {
          note('one');
          Object.assign(exports, { name, folder, isOwn: module.exports === exports });
        },
      ],
      never: ['cjs', () => note('never')],
    }));
    const one = { name: path.join(root, 'dist/one.js'), folder: path.join(root, 'dist'), isOwn: true };
    expect(noted).toEqual(['one', [true, one]]);
  });

  it('ends cycles with what is exported so far', () => {
    const noted = outcomeOf((note) => ({
      main: ['cjs', (_, require) => note((require('./one') as { later: number }).later)],
      one: [
        'cjs',
        (exports, require) => {
          exports['first'] = 1;
          require('./two');
          exports['later'] = 2;
        },
      ],
      two: ['cjs', (_, require) => note({ ...(require('./one') as object) })],
    }));
    expect(noted).toEqual([{ first: 1 }, 2]);
  });

  it('gives a module the exports of CommonJS by name and as the default, and CommonJS the exports themselves', () => {
    const noted = outcomeOf((note) => ({
      main: [
        'esm',
        (_, require) => {
          note(require('./old'));
          require('./file');
        },
      ],
      old: [
        'cjs',
        (_, __, module) => {
          Object.defineProperty(module.exports, '__esModule', { value: true });
          Object.defineProperty(module.exports, 'default', { get: () => 'its own', enumerable: true });
          Object.defineProperty(module.exports, 'late', { get: () => 'on request' });
        },
      ],
      file: ['cjs', (_, require) => note(require('./old'))],
    }));
    const [namespace, exports] = noted as Record<string, unknown>[];
    expect([namespace?.['default'] === exports, namespace?.['late'], namespace?.['__esModule']]).toEqual([
      true,
      'on request',
      true,
    ]);
    expect(exports?.['default']).toBe('its own');
  });

  it('reads no getter of a built-in module before the program does: Node.js warns of deprecated ones', () => {
    const [crypto] = outcomeOf((note) => ({ main: ['esm', (_, require) => note(require('node:crypto'))] }));
    const getterOf = (name: string) => Object.getOwnPropertyDescriptor(crypto, name)?.get;
    expect(['fips', 'webcrypto', 'createHash'].map((name) => typeof getterOf(name))).toEqual([
      'function',
      'function',
      'undefined',
    ]);
    expect((crypto as { webcrypto: unknown }).webcrypto).toBe(webcrypto);
  });

  it('has exports of a module as values, but those that may change and those of a cycle as they are', () => {
    const getter = (name: string, get: () => unknown) => ({ [name]: { enumerable: true, get } });
    const noted = outcomeOf((note) => ({
      main: [
        'esm',
        (_, require) => {
          const [fixed, live, cycle] = ['./fixed', './live', './cycle'].map((name) => require(name) as object);
          note([fixed, live].map((exports) => Object.getOwnPropertyDescriptor(exports, 'one')?.get === undefined));
          note(cycle);
        },
      ],
      fixed: [
        'esm',
        (exports) =>
          void Object.defineProperties(
            exports,
            getter('one', () => 1),
          ),
      ],
      live: [
        'live',
        (exports) =>
          void Object.defineProperties(
            exports,
            getter('one', () => 1),
          ),
      ],
      cycle: [
        'esm',
        (exports, require) => {
          Object.defineProperties(
            exports,
            getter('late', () => late),
          );
          require('./partner');
          const late = 'initialised';
        },
      ],
      partner: [
        'esm',
        (exports, require) => {
          const cycle = require('./cycle') as { late: string };
          Object.defineProperties(
            exports,
            getter('again', () => cycle.late),
          );
          note(Object.keys(cycle));
        },
      ],
    }));
    expect(noted).toEqual([['late'], [true, false], { late: 'initialised' }]);
  });

  it('gives a module what is no object, and what Node.js has, as the default', () => {
    const noted = outcomeOf((note) => ({
      main: [
        'esm',
        (_, require) => {
          note((require('./text') as { default: unknown }).default);
          const found = require('node:path') as { default: unknown; sep: string };
          note([found.default === path, found.sep]);
        },
      ],
      text: ['json', (_, __, module) => void (module.exports = 'text')],
    }));
    expect(noted).toEqual(['text', [true, path.sep]]);
  });

  it('looks for everything else from the place of the file, and forgets a file that fails', () => {
    const noted = outcomeOf((note) => ({
      main: [
        'cjs',
        (_, require) => {
          note(typeof (require('semver') as { satisfies: unknown }).satisfies);
          note(require.resolve('semver/package.json'));
          for (const name of ['no-such-package', './broken', './broken'])
            try {
              require(name);
            } catch (error) {
              note((error as { code?: string }).code ?? (error as Error).message);
            }
        },
      ],
      broken: [
        'cjs',
        () => {
          note('runs');
          throw new Error('broken');
        },
      ],
    }));
    expect(noted).toEqual([
      'function',
      path.join(root, 'node_modules/semver/package.json'),
      ...['MODULE_NOT_FOUND', 'runs', 'broken', 'runs', 'broken'],
    ]);
  });

  it('says in stacks which file it was, and for our own files at which line', () => {
    run(link({ main: ['cjs', () => undefined] }), program);
    run(
      [
        ['dist/main.js', 'cjs', {}, 10, () => undefined],
        ['dist/libs/one.js', 'cjs', {}, 20, () => undefined],
        ['node_modules/two/index.js', 'cjs', {}, 40, () => undefined],
      ],
      program,
    );
    const frames = [
      `ask (${filename}:22:7)`,
      `async Two.handle (${filename}:41:9000)`,
      `${filename}:10:1`,
      `eval (eval at one (${filename}:39:2), <anonymous>:1:1)`,
      `start (${filename}:3:1)`,
      'node:internal/main:1:1',
    ];
    const stack = Error.prepareStackTrace?.(new TypeError('wrong'), frames as unknown as NodeJS.CallSite[]) as string;
    expect(stack.replaceAll(root, '').split('\n')).toEqual([
      'TypeError: wrong',
      '    at ask (/dist/libs/one.js:3:7)',
      '    at async Two.handle (/node_modules/two/index.js)',
      '    at /dist/main.js:1:1',
      '    at eval (eval at one (/dist/libs/one.js:20:2), <anonymous>:1:1)',
      '    at start (/dist/apps/none/main.js:3:1)',
      '    at node:internal/main:1:1',
    ]);
  });
});

describe('a signal to a linked program', () => {
  it.each(['SIGTERM', 'SIGINT'])('ends it by %s, until it listens itself', (signal) => {
    const codes: unknown[] = [];
    const host = Object.assign(new EventEmitter(), { exit: (code: unknown) => void codes.push(code) });
    endOnSignals(host as unknown as NodeJS.Process);
    host.emit(signal);
    expect(codes).toEqual([1]);
    host.on(signal, () => codes.push('its own'));
    host.emit(signal);
    expect(codes).toEqual([1, 'its own']);
  });
});
