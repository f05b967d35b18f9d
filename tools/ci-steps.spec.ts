import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

jest.setTimeout(180_000);

const root = path.resolve(__dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
/** What two cores have in ten minutes. */
const ALL_SECONDS = 2 * 600;

/** The seconds of processor time that steps may use, by their names. */
function readShares(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => line.split('\t')).map(([seconds, name = '']) => [name, Number(seconds)]));
}

/** The names of the steps of a run, those of `prepare` among them. */
function stepNames(): string[] {
  const prepare = /^prepare\(\) \{[\s\S]*?^\}/m.exec(read('.ci/steps'))?.[0] ?? '';
  const steps = `${prepare}\n${read('.ci/run')}`;
  return [...steps.matchAll(/^ *(?:required|counted|tested) "([^"]+)"/gm)].map(([, name = '']) => name);
}

describe('the processor time of .ci/run', () => {
  const shares = readShares(read('.ci/shares'));

  it('is divided among its steps: each has a share, and nothing else has one', () => {
    const names = stepNames();
    expect(names).toEqual(
      expect.arrayContaining(['npm ci', 'npm test', 'demo on Node 24', 'tests that compare times']),
    );
    expect([...shares.keys()].sort()).toEqual([...names].sort());
  });

  it('is no more than two cores have in ten minutes', () => {
    const seconds = [...shares.values()];
    expect(seconds.every((one) => Number.isInteger(one) && one > 0)).toBe(true);
    expect(seconds.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(ALL_SECONDS);
  });
});

describe('the full run', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(path.join(tmpdir(), 'vestibule-full-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Goes through its steps and runs none: the number that it announces, and the limit of each in minutes. */
  function stepsOf(...argv: readonly string[]) {
    const print = 'echo "$steps_total $2"';
    const instead = `step() { ${print}; }\ntested() { step "$@"; }\nquick() { :; }\nfinish() { rm "$report"; exit; }\n`;
    mkdirSync(path.join(folder, '.ci'), { recursive: true });
    writeFileSync(path.join(folder, '.ci/full'), read('.ci/full'));
    writeFileSync(path.join(folder, '.ci/steps'), `${read('.ci/steps')}\n${instead}`);
    const { stdout } = spawnSync('bash', ['.ci/full', ...argv], {
      cwd: folder,
      encoding: 'utf8',
      env: { FAKETIME_LIBRARY: 'none' },
    });
    const lines = stdout.trim().split('\n');
    return { total: Number(lines[0]?.split(' ')[0]), limits: lines.map((line) => Number(line.split(' ')[1])) };
  }

  it.each([[[]], [['--short']]])('says of how many steps each is one, with %j', (argv) => {
    const { total, limits } = stepsOf(...argv);
    expect(limits.length).toBeGreaterThan(20);
    expect(limits).toHaveLength(total);
  });

  it('leaves to each project of Jest which files it ignores: other patterns would run the files of one in another as well', () => {
    expect(`${read('.ci/full')}${read('.ci/run')}`).not.toContain('--testPathIgnorePatterns');
  });

  it('takes no longer than it says: the limits of its steps in hours', () => {
    const hours = Math.ceil(stepsOf().limits.reduce((sum, one) => sum + one, 0) / 60);
    expect(read('.ci/full')).toContain(`by the limits of its steps ${hours} at most`);
    expect(read('CONTRIBUTING.md')).toContain(`(at most ${hours}, by the limits of its steps)`);
  });
});

describe('the steps of continuous integration', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(path.join(tmpdir(), 'vestibule-steps-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Runs a script that has these steps, with these shares, and returns its exit code and its lines. */
  function run(script: string, shares = '') {
    writeFileSync(path.join(folder, 'shares'), shares);
    const text = `set -euo pipefail\n. '${path.join(root, '.ci/steps')}'\n${script}\nfinish\n`;
    const { status, stdout, stderr } = spawnSync('bash', ['-c', text], { cwd: folder, encoding: 'utf8' });
    return { status, lines: `${stdout}${stderr}`.trim().split('\n') };
  }
  /** Busy for about two seconds of processor time. */
  const BUSY = `node -e "let used = 0; while (used < 2e6) { const { user, system } = process.cpuUsage(); used = user + system; }"`;

  it('report what each used and whether that is more than its share', () => {
    const { status, lines } = run(
      `shares=shares\ncounted busy 1 ${BUSY}\ncounted idle 1 true\ncounted new 1 true`,
      '1\tbusy\n1\tidle\n',
    );
    expect(status).toBe(0);
    expect(lines).toContainEqual(expect.stringMatching(/^[2-4]\t\d+\tbusy$/));
    expect(lines).toContainEqual(expect.stringMatching(/^0\t\d+\tidle$/));
    expect(lines.filter((line) => line.startsWith('OVER ITS SHARE'))).toEqual([
      expect.stringMatching(/^OVER ITS SHARE: busy used [2-4] s of processor time, its share is 1 s$/),
      'OVER ITS SHARE: new has none in .ci/shares and used 0 s of processor time',
    ]);
    expect(lines.at(-1)).toBe('0 passed, 0 failed');
  });

  it('say plainly that a run took longer than ten minutes', () => {
    const late = (minutes: number) => run(`shares=shares\nbegan=$((SECONDS - 60 * ${minutes}))`).lines;
    expect(late(11)).toContainEqual(
      expect.stringMatching(/^TOO LONG: 66\d s, and a run should take at most 10 minutes/),
    );
    expect(late(9).filter((line) => line.startsWith('TOO LONG'))).toEqual([]);
  });

  it('count failures of lanes beside each other, name them, and report what they used', () => {
    const lanes = `one() { counted works 1 true; counted breaks 1 false; }\ntwo() { counted other 1 true; passed=7; }`;
    const { status, lines } = run(`${lanes}\nthree() { exit 3; }\nbeside one two three`);
    expect(status).toBe(1);
    expect(lines).toContainEqual(expect.stringMatching(/^0\t\d+\tworks$/));
    expect(lines).toContainEqual(expect.stringMatching(/^0\t\d+\tother$/));
    expect(lines.slice(-4)).toEqual([
      'FAILED:',
      '  breaks',
      '  three (ended with 3 before its last step)',
      '7 passed, 2 failed',
    ]);
  });

  it('print what the first lane prints while it runs, and what others print when they are done', () => {
    const lanes =
      'one() { echo first; until [ -e done ]; do sleep 0.05; done; echo last; }\ntwo() { echo between; touch done; }';
    const { lines } = run(`${lanes}\nbeside one two`);
    expect(lines.filter((line) => ['first', 'between', 'last'].includes(line))).toEqual(['first', 'last', 'between']);
  });

  it('have no share in a run that has none', () => {
    expect(run('counted idle 1 true').lines.filter((line) => line.startsWith('OVER'))).toEqual([]);
  });
});
