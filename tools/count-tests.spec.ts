import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

describe('count-tests', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(path.join(tmpdir(), 'vestibule-count-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  function count(result: object | undefined, exitCode: number): string {
    const file = path.join(folder, 'result.json');
    writeFileSync(file, result === undefined ? '' : JSON.stringify(result));
    const script = path.join(__dirname, 'count-tests.cjs');
    return execFileSync(process.execPath, [script, String(exitCode), file], { encoding: 'utf8' }).trim();
  }
  const result = (numPassedTests: number, numFailedTests: number, numRuntimeErrorTestSuites: number) => ({
    numPassedTests,
    numFailedTests,
    numRuntimeErrorTestSuites,
    success: numFailedTests + numRuntimeErrorTestSuites === 0,
  });

  it('takes the figures from the result', () => {
    expect(count(result(10, 0, 0), 0)).toBe('10 0');
    expect(count(result(10, 2, 0), 1)).toBe('10 2');
  });

  it('counts a test file that could not run as a failure', () => {
    expect(count(result(10, 2, 1), 1)).toBe('10 3');
  });

  it('adds up the results of a folder, and one that cannot be read is a failure', () => {
    const results = mkdtempSync(path.join(folder, 'results-'));
    const script = path.join(__dirname, 'count-tests.cjs');
    const counted = (exitCode: number) =>
      execFileSync(process.execPath, [script, String(exitCode), results], { encoding: 'utf8' }).trim();
    expect(counted(0)).toBe('0 1');
    writeFileSync(path.join(results, 'a.unit.json'), JSON.stringify(result(10, 0, 0)));
    writeFileSync(path.join(results, 'b.e2e.json'), JSON.stringify(result(5, 1, 1)));
    expect(counted(1)).toBe('15 2');
    writeFileSync(path.join(results, 'c.unit.json'), '{');
    expect(counted(1)).toBe('15 3');
  });

  it('never calls a failed, empty or missing run a success', () => {
    expect(count(result(10, 0, 0), 1)).toBe('10 1');
    expect(count(result(0, 0, 0), 0)).toBe('0 1');
    expect(count(undefined, 0)).toBe('0 1');
  });
});
