import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unformattedFiles } from './check-format.cjs';

jest.setTimeout(180_000);

const root = path.resolve(__dirname, '..');

/** For each kind of file that Prettier formats here: a text that it would change. */
const UNFORMATTED: Readonly<Record<string, string>> = {
  'double-quotes.ts': 'export const one = "two";\n',
  'no-semicolon.cjs': "module.exports = 'two'\n",
  'spaces.mjs': 'export  const one = 1;\n',
  'types.d.cts': 'export declare function go( ) : void;\n',
  'package.json': '{"name":"one"}\n',
  'page.md': '* one\n* two\n',
  'values.yaml': 'one:    two\n',
  'compose.yml': 'one:    two\n',
  'too-long.ts': `export const sum = ${'1 + '.repeat(40)}1;\n`,
};
const FORMATTED: Readonly<Record<string, string>> = {
  'single-quotes.ts': "export const one = 'two';\n",
  // oxfmt would put each member into a line of its own.
  'union.ts':
    'export type CallbackHeaders =\n  { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;\n',
  'kept-order.json': '{ "version": "1.0.0", "name": "one" }\n',
  'ignored/double-quotes.ts': 'export const one = "two";\n',
  'no-kind': 'one   two\n',
};

function write(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-unformatted-'));
  cpSync(path.join(root, '.prettierrc.json'), path.join(folder, '.prettierrc.json'));
  writeFileSync(path.join(folder, '.prettierignore'), 'ignored\n');
  mkdirSync(path.join(folder, 'ignored'));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return folder;
}

describe('the check of the format', () => {
  let folder: string;
  beforeAll(() => (folder = write({ ...UNFORMATTED, ...FORMATTED })));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('finds every kind of file that Prettier would change, and none that it would leave', () => {
    expect(unformattedFiles(folder).sort()).toEqual(Object.keys(UNFORMATTED).sort());
  });

  it('names the files and fails as a program', () => {
    const program = path.join(root, 'tools/check-format.cjs');
    const { status, stderr } = spawnSync(process.execPath, [program], { cwd: folder, encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toContain('not formatted: double-quotes.ts\n');
  });
});

describe('the check of the format of well-formed files', () => {
  let folder: string;
  beforeAll(() => (folder = write(FORMATTED)));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('finds none', () => {
    expect(unformattedFiles(folder)).toEqual([]);
  });

  it('fails where a file cannot be read, for it has no verdict', () => {
    writeFileSync(path.join(folder, 'broken.ts'), 'export const = ;\n');
    expect(() => unformattedFiles(folder)).toThrow();
  });
});
