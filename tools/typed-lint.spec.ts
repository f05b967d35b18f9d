import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PLANTED_FOLDER } from './docs/repository-files';

jest.setTimeout(600_000);

const root = path.resolve(__dirname, '..');
/** Imports in it go through the aliases of tsconfig.base.json. No folder of boundaries.spec.ts, which runs at the same time. */
const folder = path.join(root, 'libs/platform/callbacks/src', PLANTED_FOLDER);

const FLOATING = 'no-floating-promises';
const MISUSED = 'no-misused-promises';
const AWAITED = 'await-thenable';
const EXHAUSTIVE = 'switch-exhaustiveness-check';

interface Planted {
  readonly what: string;
  readonly text: string;
  /** The rule that must see it; none for what is allowed. */
  readonly rule: string | undefined;
}

const choose = (rest: string) => `export function place(kind: 'near' | 'far'): number {
  switch (kind) {
    case 'near':
      return 1;
    ${rest}
  }
  return 0;
}
`;
const work = 'export const work = (item?: number): Promise<boolean> => Promise.resolve(item === 1);\n';

const PLANTED: readonly Planted[] = [
  {
    what: 'a promise that nobody waits for',
    text: `${work}export const start = (): void => { work(); };\n`,
    rule: FLOATING,
  },
  {
    what: 'a promise of another library that nobody waits for',
    text: "import { until } from '@vestibule/testkit';\nexport function wait(): void {\n  until(() => true);\n}\n",
    rule: FLOATING,
  },
  {
    what: 'a promise whose failure nobody handles',
    text: `${work}export function start(): void {\n  work().then((done) => [done]);\n}\n`,
    rule: FLOATING,
  },
  {
    what: 'a list of promises that nobody waits for',
    text: `${work}export function start(): void {\n  [1, 2].map((item) => work(item));\n}\n`,
    rule: FLOATING,
  },
  {
    what: 'an asynchronous callback where nobody looks at the result',
    text: `${work}export const all = (items: number[]) => items.forEach(async (item) => { await work(item); });\n`,
    rule: MISUSED,
  },
  {
    what: 'an asynchronous listener',
    text: `${work}export const listen = () => process.on('exit', async () => { await work(); });\n`,
    rule: MISUSED,
  },
  {
    what: 'an asynchronous method where one without result is declared',
    text: `${work}export const port: { close(): void } = { close: async () => { await work(); } };\n`,
    rule: MISUSED,
  },
  { what: 'a promise as a condition', text: `${work}export const word = work() ? 'yes' : 'no';\n`, rule: MISUSED },
  {
    what: 'a promise as the verdict of a filter',
    text: `${work}export const some = [1].filter((item) => work(item));\n`,
    rule: MISUSED,
  },
  { what: 'a promise that is spread', text: `${work}export const all = { ...work() };\n`, rule: MISUSED },
  { what: 'await of a number', text: 'export const five = async () => await 5;\n', rule: AWAITED },
  {
    what: 'await of what is returned at once',
    text: 'const now = (): Date => new Date(0);\nexport const later = async () => { await now(); };\n',
    rule: AWAITED,
  },
  { what: 'a switch that forgets a case', text: choose(''), rule: EXHAUSTIVE },
  { what: 'a switch with a default', text: choose('default:\n      return 2;'), rule: undefined },
  { what: 'a switch with every case', text: choose("case 'far':\n      return 2;"), rule: undefined },
  {
    what: 'a promise that is awaited',
    text: `${work}export const start = async () => { await work(); };\n`,
    rule: undefined,
  },
  {
    what: 'a promise that is left alone on purpose',
    text: `${work}export function start(): void {\n  void work();\n}\n`,
    rule: undefined,
  },
  {
    what: 'a promise whose failure is handled',
    text: `${work}export function start(): void {\n  work().catch(() => false);\n}\n`,
    rule: undefined,
  },
  {
    what: 'an asynchronous callback where promises are expected',
    text: `${work}export const all = (items: number[]) => Promise.all(items.map(async (item) => work(item)));\n`,
    rule: undefined,
  },
];

const fileOf = (index: number) => path.join(folder, `case-${index}.ts`);
/** Names of rules begin with their plugin: `typescript(await-thenable)`. */
const nameOf = (code: string) => /\((.*)\)$/.exec(code)?.[1] ?? code;

/** The rules that each planted file breaks, from one run. */
function lintPlanted(): ReadonlyMap<string, readonly string[]> {
  rmSync(folder, { recursive: true, force: true });
  try {
    mkdirSync(folder, { recursive: true });
    PLANTED.forEach(({ text }, index) => writeFileSync(fileOf(index), text));
    const program = path.join(root, 'node_modules/.bin/oxlint');
    const { stdout } = spawnSync(program, ['--format', 'json', folder], { cwd: root, encoding: 'utf8' });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { filename: string; code: string }[] };
    const found = new Map<string, string[]>();
    for (const { filename, code } of diagnostics) {
      const file = path.resolve(root, filename);
      found.set(file, [...(found.get(file) ?? []), nameOf(code)]);
    }
    return found;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('lint with types', () => {
  let broken: ReadonlyMap<string, readonly string[]>;
  beforeAll(() => {
    broken = lintPlanted();
  });

  it.each(PLANTED.map(({ what, rule }, index) => [rule === undefined ? 'allows' : 'refuses', what, index] as const))(
    '%s %s',
    (_verdict, _what, index) => {
      const { rule } = PLANTED[index] as Planted;
      expect([...new Set(broken.get(fileOf(index)) ?? [])]).toEqual(rule === undefined ? [] : [rule]);
    },
  );

  it('is part of the target lint of the workspace, and of each project', () => {
    const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
    expect(read('project.json')).toContain('"command": "eslint . && oxlint && node tools/check-format.cjs"');
    expect(read('nx.json')).toContain('"command": "eslint {projectRoot} && oxlint {projectRoot}"');
  });
});
