import { readFileSync } from 'node:fs';
import path from 'node:path';
import { VERSION } from './version';

it('VERSION is the version of the package', () => {
  const manifest = readFileSync(path.join(__dirname, '../../../../package.json'), 'utf8');
  expect((JSON.parse(manifest) as { version: string }).version).toBe(VERSION);
});
