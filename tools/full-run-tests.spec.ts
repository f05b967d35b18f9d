import { existsSync } from 'node:fs';
import path from 'node:path';
import fullRunTests from './full-run-tests.cjs';
import timingSensitive from './timing-sensitive-tests.cjs';

const root = path.resolve(__dirname, '..');
const files = Object.keys(fullRunTests);
const quicker = Object.values(fullRunTests).flat();

// That each requirement and each demand keeps a test is in spec-map.spec.ts and contract-map.spec.ts.
describe('the list of tests that only the full run has', () => {
  it('names files that are there, each with at least one quicker test, which npm test runs', () => {
    expect([...files, ...quicker].filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
    expect(files.filter((file) => fullRunTests[file]?.length === 0)).toEqual([]);
    expect(quicker.filter((file) => files.includes(file))).toEqual([]);
  });

  it('names none that compares times: those run alone', () => {
    expect(files.filter((file) => timingSensitive.includes(file))).toEqual([]);
  });
});
