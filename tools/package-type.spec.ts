import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { packageType } from './package-type.cjs';

describe('what the .js files of a folder are', () => {
  let root: string;
  beforeEach(() => (root = realpathSync(mkdtempSync(path.join(tmpdir(), 'vestibule-types-')))));
  afterEach(() => rmSync(root, { recursive: true }));

  function folder(name: string, manifest?: object): string {
    const made = path.join(root, name);
    mkdirSync(made, { recursive: true });
    if (manifest) writeFileSync(path.join(made, 'package.json'), JSON.stringify(manifest));
    return made;
  }

  it('is what the nearest package.json says', () => {
    folder('a', { type: 'module' });
    folder('a/b', { type: 'commonjs' });
    expect(packageType(folder('a/deep/er'))).toBe('module');
    expect(packageType(folder('a/b/deep'))).toBe('commonjs');
    expect(packageType(folder('a/c', {}))).toBe('commonjs');
    expect(packageType(folder('a/d', { type: 'nonsense' }))).toBe('commonjs');
  });

  it('is commonjs where no package.json is up to the root of the file system: the search ends there', () => {
    expect(packageType(path.parse(root).root)).toBe('commonjs');
    expect(packageType('/a/folder/that/is/nowhere')).toBe('commonjs');
  });

  it('is not what a package around a folder of packages says', () => {
    folder('app', { type: 'module' });
    expect(packageType(folder('app/node_modules/without-manifest'))).toBe('commonjs');
    expect(packageType(folder('app/node_modules/esm', { type: 'module' }))).toBe('module');
  });

  it('is known to the transform of the tests, also of files outside of the repository', () => {
    const { process: transform } = jest.requireActual<{
      process(source: string, file: string): { code: string };
    }>('./jest-transform.cjs');
    const source = 'export const one = 1;';
    expect(transform(source, path.join('/a/folder/that/is/nowhere', 'a.js'))).toEqual({ code: source });
    expect(transform(source, path.join(folder('esm', { type: 'module' }), 'a.js')).code).toContain('exports');
  });
});
