import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { installPackages } from './own-package';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vestibule-own-package-'));
  const manifest = { name: 'sample', version: '1.0.0', dependencies: { absent: '1.0.0' } };
  const absent = { version: '1.0.0', resolved: 'https://registry.npmjs.org/absent/-/absent-1.0.0.tgz' };
  const packages = { '': manifest, 'node_modules/absent': absent };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  const lock = { ...manifest, lockfileVersion: 3, requires: true, packages };
  writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify(lock));
  // Nothing listens there, and nothing is cached here.
  writeFileSync(path.join(folder, '.npmrc'), `registry=http://127.0.0.1:1/\ncache=${path.join(folder, 'cache')}\n`);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('21.8 a package with a lock file of its own says in one line that the registry cannot be reached', async () => {
  const lines: string[] = [];
  const own = { name: 'sample', folder, environment: {}, report: (line: string) => void lines.push(line) };
  const failed = await installPackages(own).catch((error: Error) => error.message);
  expect(failed).toBe(`Its packages could not be installed (ECONNREFUSED): "npm ci --prefix ${folder}" says more`);
  expect(lines).toEqual(['sample: installing its packages, once']);
});
