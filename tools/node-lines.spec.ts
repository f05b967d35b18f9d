import { readFileSync } from 'node:fs';
import path from 'node:path';
import { filesBelow } from './docs/repository-files';

const root = path.resolve(__dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
/** Names that a module imports from Node as values; a default import or a namespace counts under its own name. */
const IMPORT = /^import (?!type )(?:\{([^}]*)\}|([^{}'"]+)) from 'node:[^']+'/gm;
/** A digest of bytes is the same on every line of Node. */
const HARMLESS = new Set(['createHash']);

function valuesFromNode(text: string): string[] {
  const names = [...text.matchAll(IMPORT)].flatMap(([, listed, whole]) => (listed ?? whole ?? '').split(','));
  return names.map((name) => name.trim()).filter((name) => name !== '' && !/^type /.test(name) && !HARMLESS.has(name));
}

describe('libraries whose unit tests .ci/run leaves out on other lines of Node', () => {
  const [, listed = ''] = /^above_node='libs\/core\/\(([a-z|0-9-]+)\)\/'$/m.exec(read('.ci/run')) ?? [];
  const libraries = listed.split('|');

  it('are known', () => {
    expect(libraries.length).toBeGreaterThan(3);
    expect(libraries).not.toContain('crypto');
  });

  it.each(libraries)('%s does nothing with Node itself but make digests', (library) => {
    const sources = filesBelow(root, `libs/core/${library}/src`).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('spec.ts') && !file.includes('/testing/'),
    );
    expect(sources.length).toBeGreaterThan(3);
    expect(sources.flatMap((file) => valuesFromNode(read(file)).map((name) => `${file}: ${name}`))).toEqual([]);
  });
});

it.each([
  ["import { sign, type KeyObject } from 'node:crypto';", ['sign']],
  ["import {\n  createHash,\n  inflateSync,\n} from 'node:zlib';", ['inflateSync']],
  ["import tls from 'node:tls';\nimport * as crypto from 'node:crypto';", ['tls', '* as crypto']],
  ["import type { KeyObject } from 'node:crypto';", []],
  ["import { createHash, type KeyObject } from 'node:crypto';", []],
  ["import { sign } from '@vestibule/crypto';", []],
])('what %j takes from Node', (text, expected) => {
  expect(valuesFromNode(text)).toEqual(expected);
});
