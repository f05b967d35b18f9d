import { readFileSync } from 'node:fs';
import vm from 'node:vm';

/** What this worker compiles with, as Jest calls it: {@link vm.compileFunction} of its own realm. */
const compile = (code: string, filename: string, parsingContext = vm.createContext({})) =>
  vm.compileFunction(code, ['exports', 'require'], { filename, parsingContext }) as (exports: object) => unknown;

describe('a module that a worker has compiled', () => {
  it('runs in the context of each test file, with variables of its own', () => {
    const code =
      "'use strict'; let count = 0; exports.next = () => (count += step); exports.strict = this === undefined;";
    const [one, other] = [10, 1].map((step) => {
      const exports = {} as { next(): number; strict: boolean };
      compile(code, '/somewhere/counter.js', vm.createContext({ step })).call(undefined, exports);
      return exports;
    });
    expect([one?.next(), one?.next(), other?.next()]).toEqual([10, 20, 1]);
    expect([one?.strict, other?.strict]).toEqual([true, true]);
  });

  it('is compiled again when its text is another one, though the file is the same', () => {
    const results = ['1', '2', '1'].map((value) => compile(`return ${value};`, '/somewhere/changed.js')({}));
    expect(results).toEqual([1, 2, 1]);
  });

  it('is compiled once for all test files, and for each alone where it may import something later', () => {
    const { Script } = vm;
    const compilations = jest.spyOn(vm, 'Script').mockImplementation((...parameters) => new Script(...parameters));
    try {
      const kept = ['1', '2'].map(() => compile('return [];', '/somewhere/kept.js'));
      expect(Object.getPrototypeOf(kept[0])).not.toBe(Object.getPrototypeOf(kept[1]));
      compile('return () => import ("node:fs");', '/somewhere/importing.js');
      expect(compilations).toHaveBeenCalledTimes(1);
    } finally {
      compilations.mockRestore();
    }
  });

  it('names line and column of a failure as they are in its text', () => {
    const failing = compile("throw new Error('first');", '/somewhere/first.js');
    expect(() => failing({})).toThrow(
      expect.objectContaining({ stack: expect.stringContaining('first.js:1:7') as string }),
    );
    const later = compile("\n  throw new Error('second');", '/somewhere/second.js');
    expect(() => later({})).toThrow(
      expect.objectContaining({ stack: expect.stringContaining('second.js:2:9') as string }),
    );
  });

  it('fails with its own syntax error', () => {
    expect(() => compile('const = 1;', '/somewhere/broken.js')).toThrow('Unexpected token');
  });
});

it('places in stacks of this file are those of its source', () => {
  const { stack = '' } = new Error('here');
  const [, line, column] = /jest-compiled-modules\.spec\.ts:(\d+):(\d+)/.exec(stack) ?? [];
  const text = readFileSync(__filename, 'utf8').split('\n')[Number(line) - 1] ?? '';
  expect(text.slice(Number(column) - 1)).toMatch(/^new Error\('here'\)/);
});
