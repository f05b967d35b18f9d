import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import LongestFirst from './jest-sequencer.cjs';
import { mergeResults } from './merge-results.cjs';
import { costliestSuites, slowestSuites } from './slowest-suites.cjs';

jest.setTimeout(180_000);

const root = path.resolve(__dirname, '..');

const suite = (file: string, seconds: number, tests = 1) => ({
  name: path.join(root, file),
  startTime: 1_000,
  endTime: 1_000 + seconds * 1_000,
  assertionResults: Array.from({ length: tests }, () => ({ status: 'passed' })),
});
const run = (passed: number, failed: number, ...testResults: ReturnType<typeof suite>[]) => ({
  numPassedTests: passed,
  numFailedTests: failed,
  numRuntimeErrorTestSuites: 0,
  success: failed === 0,
  testResults,
});

describe('the results of several runs', () => {
  it('are added up', () => {
    const [one, other] = [run(3, 0, suite('a.spec.ts', 1)), run(4, 1, suite('b.spec.ts', 2))];
    expect(mergeResults([one, other])).toMatchObject({
      numPassedTests: 7,
      numFailedTests: 1,
      numRuntimeErrorTestSuites: 0,
      success: false,
      testResults: [...one.testResults, ...other.testResults],
    });
    expect(mergeResults([one, run(1, 0)])).toMatchObject({ numPassedTests: 4, success: true });
  });

  it('are a failure when one run left none', () => {
    expect(mergeResults([run(3, 0), undefined])).toMatchObject({ success: false, numRuntimeErrorTestSuites: 1 });
  });
});

describe('the table of suites', () => {
  it('has the slowest ones first, no more than were asked for, and the sum of each project', () => {
    const suites = [
      suite('libs/a/src/quick.spec.ts', 1, 2),
      suite('e2e/src/slow.e2e-spec.ts', 30, 4),
      suite('libs/a/src/middle.int-spec.ts', 7),
      suite('libs/dev/testkit/src/fastest.spec.ts', 2),
    ];
    const cells = slowestSuites(run(8, 0, ...suites), 2).map((line) => line.trim().split(/ {2,}/));
    expect(cells).toEqual([
      ['seconds', 'tests', 'project', 'the 2 slowest suites'],
      ['30.0', '4', 'e2e', 'e2e/src/slow.e2e-spec.ts'],
      ['7.0', '1', 'integration', 'libs/a/src/middle.int-spec.ts'],
      ['30.0', '4', 'e2e', '1 file'],
      ['7.0', '1', 'integration', '1 file'],
      ['2.0', '1', 'timing', '1 file'],
      ['1.0', '2', 'unit', '1 file'],
    ]);
  });
});

describe('the table of processor time', () => {
  it('has the costliest files first, no more than were asked for, and the sum', () => {
    const times = [
      ['a.spec.ts', 1],
      ['b.spec.ts', 30.04],
      ['c.spec.ts', 2],
    ].map(([file, seconds]) => JSON.stringify({ file: path.join(root, String(file)), seconds }));
    const cells = costliestSuites(`${times.join('\n')}\n`, 2).map((line) => line.trim().split(/ {2,}/));
    expect(cells).toEqual([
      ['seconds', 'of processor time: the 2 costliest suites'],
      ['30.0', 'b.spec.ts'],
      ['2.0', 'c.spec.ts'],
      ['33.0', 'all 3 files'],
    ]);
  });
});

describe('the order of test files', () => {
  const sorted = (...files: string[]) => {
    const context = { hasteFS: { getSize: () => 1 }, config: { cacheDirectory: tmpdir(), id: 'nobody' } };
    const tests = files.map((file) => ({ path: path.join(root, file), context }));
    return new LongestFirst().sort(tests).map((test) => path.relative(root, test.path));
  };

  it('begins with those known to be long, which are there', () => {
    expect(LongestFirst.LONGEST.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
    const [longest = '', second = ''] = LongestFirst.LONGEST;
    const others = ['libs/a/src/a.spec.ts', 'libs/a/src/a.int-spec.ts', 'e2e/src/a.e2e-spec.ts'];
    expect(sorted(...others, second, longest)).toEqual([longest, second, ...others.slice().reverse()]);
  });
});

describe('a run of Jest', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(path.join(tmpdir(), 'vestibule-jest-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Runs Jest on one test file, with the reporter that ends a run which does not end by itself. */
  function runJest(test: string) {
    writeFileSync(path.join(folder, 'sample.test.js'), test);
    const reporter = [path.join(root, 'tools/jest-exit-reporter.cjs'), { seconds: 1 }];
    const config = { rootDir: folder, transform: {}, reporters: ['default', reporter] };
    const jest = path.join(root, 'node_modules/jest/bin/jest.js');
    const { status, stderr } = spawnSync(process.execPath, [jest, '--config', JSON.stringify(config)], {
      encoding: 'utf8',
      timeout: 100_000,
    });
    return { status, stderr };
  }

  it('that leaves nothing open ends by itself', () => {
    expect(runJest("test('x', () => undefined);")).toMatchObject({ status: 0 });
  });

  it('that leaves a server and a process open fails, says what is open, and ends', () => {
    const { status, stderr } = runJest(`
      test('x', async () => {
        await new Promise((done) => require('node:net').createServer().listen(0, done));
        require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 30_000)']);
      });
    `);
    expect(stderr).toMatch(/left something open; 1 s after[\s\S]*Server \(\d+\)/);
    expect(stderr).toMatch(/ChildProcess \d+ \(.*node -e/);
    expect(status).toBe(1);
  });
});
