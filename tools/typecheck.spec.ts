import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { filesBelow } from './docs/repository-files';

const root = path.resolve(__dirname, '..');
const COMPILER = path.join(root, 'node_modules/typescript-native/bin/tsc');
const readJson = (file: string) => JSON.parse(readFileSync(path.join(root, file), 'utf8')) as unknown;

/** What is wrong in a file, and the code of the error that says so; none if nothing is. */
const PLANTED: readonly (readonly [fault: string, source: string, code?: string])[] = [
  ['a wrong type', "export const count: number = 'one';", 'TS2322'],
  ['an item that may be absent', 'export const first = (all: string[]): string => all[0];', 'TS2322'],
  ['null where it is not allowed', 'export const text: string = null;', 'TS2322'],
  ['a parameter without a type', 'export const twice = (value) => value;', 'TS7006'],
  ['an unused variable', 'export function run() { const unused = 1; }', 'TS6133'],
  ['an unused parameter', 'export function run(unused: number) {}', 'TS6133'],
  [
    'a case that falls through',
    'export function run(n: number) { switch (n) { case 1: n++; case 2: n++; } }',
    'TS7029',
  ],
  ['an override without the word', 'class A { go() {} } export class B extends A { go() {} }', 'TS4114'],
  ['a property that is never set', 'export class A { name: string; }', 'TS2564'],
  [
    'an error used before its type is known',
    'export function run() { try { run(); } catch (e) { e.go(); } }',
    'TS18046',
  ],
  ['a type exported as a value', "export { Kind } from './kinds';", 'TS1205'],
  ['no fault', 'export const first = (all: string[]): string | undefined => all[0];'],
];

/** Per file, the codes of the errors in it under the settings of the workspace. */
function findErrors(files: Readonly<Record<string, string>>): Map<string, string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-types-'));
  try {
    const compilerOptions = { rootDir: '.', types: [] };
    const settings = { extends: path.join(root, 'tsconfig.base.json'), include: ['.'], compilerOptions };
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(settings));
    for (const [name, source] of Object.entries(files)) writeFileSync(path.join(folder, `${name}.ts`), source);
    const { stdout } = spawnSync(process.execPath, [COMPILER, '--noEmit', '-p', '.'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const found = new Map<string, string[]>();
    for (const [, name = '', code = ''] of stdout.matchAll(/^([\w-]+)\.ts\(\d+,\d+\): error (TS\d+):/gm)) {
      found.set(name, [...(found.get(name) ?? []), code]);
    }
    return found;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What runs in browsers knows other globals. */
const PROJECTS = ['tsconfig.base.json', 'libs/kit/web'];

describe('the compiler that checks types', () => {
  it('is the one that the targets of the workspace and of each project start', () => {
    const { targets } = readJson('project.json') as { targets: { typecheck: { command: string } } };
    const { targetDefaults } = readJson('nx.json') as { targetDefaults: { typecheck: { command: string } } };
    const compiler = `node ${path.relative(root, COMPILER)} --noEmit --singleThreaded`;
    const all = PROJECTS.map((project) => `${compiler} -p ${project}`);
    expect(targets.typecheck.command).toBe(all.join(' && '));
    expect(targetDefaults.typecheck.command).toBe(`${compiler} -p {projectRoot}`);
  });

  it('checks every file of ours that is TypeScript', () => {
    const list = (project: string) =>
      execFileSync(process.execPath, [COMPILER, '--listFilesOnly', '-p', project], {
        cwd: root,
        encoding: 'utf8',
        maxBuffer: 64 * 1024 * 1024,
      }).split('\n');
    const listed = PROJECTS.flatMap(list);
    const checked = new Set(listed.map((file) => path.relative(root, file.trim())));
    const ours = ['apps', 'libs', 'e2e', 'tools', 'examples'].flatMap((folder) => filesBelow(root, folder));
    const sources = ours.filter((file) => file.endsWith('.ts'));
    expect(sources.length).toBeGreaterThan(500);
    expect(sources.filter((file) => !checked.has(file))).toEqual([]);
  });

  it('finds what the settings forbid, and nothing else', () => {
    const names = PLANTED.map(([fault]) => fault.replaceAll(' ', '-'));
    const sources = Object.fromEntries(PLANTED.map(([, source], index) => [names[index] as string, source]));
    const found = findErrors({ ...sources, kinds: 'export type Kind = string;' });
    const expected = PLANTED.flatMap(([, , code], index) => (code ? [[names[index], [code]] as const] : []));
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
  });
});
