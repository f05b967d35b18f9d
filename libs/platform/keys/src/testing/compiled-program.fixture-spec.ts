import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { transformSync } from '@swc/core';

/** The program of the PKCS#11 process as JavaScript, as the build would write it. */
export function compilePkcs11Program(folder: string): string {
  const source = readFileSync(path.join(__dirname, '../providers/pkcs11-process.ts'), 'utf8');
  const { code } = transformSync(source, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  });
  const file = path.join(folder, 'pkcs11-process.cjs');
  writeFileSync(file, code);
  return file;
}
