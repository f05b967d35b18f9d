import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { filesBelow } from './docs/repository-files';
import timingSensitive from './timing-sensitive-tests.cjs';

const root = path.resolve(__dirname, '..');
/** A test that holds a difference of two looks at the clock below a bound. */
const COMPARES_TIMES =
  /expect\([^;\n]*performance\.now\(\)[^;\n]*\)\s*\.toBeLess|expect\((?:Math\.min\(\.\.\.times\)|late|seconds)\)\.toBeLess/;

const findComparisons = (texts: ReadonlyMap<string, string>) =>
  [...texts].filter(([, text]) => COMPARES_TIMES.test(text)).map(([file]) => file);

describe('the list of tests that compare times', () => {
  it('names files that are there, each once', () => {
    expect(timingSensitive.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
    expect(new Set(timingSensitive).size).toBe(timingSensitive.length);
  });

  it('has every test that holds a time below a bound', () => {
    const files = ['apps', 'libs', 'e2e', 'tools'].flatMap((folder) => filesBelow(root, folder));
    const tests = files.filter((file) => /spec\.ts$/.test(file) && !file.startsWith('tools/timing-sensitive'));
    const texts = new Map(tests.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));
    expect(findComparisons(texts).filter((file) => !timingSensitive.includes(file))).toEqual([]);
  });

  it('would miss none that compares in one of the usual ways', () => {
    const texts = new Map([
      ['a', 'expect(performance.now() - start).toBeLessThan(5);'],
      ['b', 'expect(Math.min(...times)).toBeLessThan(5);'],
      ['c', 'const end = performance.now() + 5;'],
    ]);
    expect(findComparisons(texts)).toEqual(['a', 'b']);
  });
});
