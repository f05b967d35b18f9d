import { readFileSync } from 'node:fs';
import path from 'node:path';
import { preProcessFile } from 'typescript';
import { filesBelow } from './docs/repository-files';

const root = path.resolve(__dirname, '..');
const callsJose = (text: string) =>
  preProcessFile(text, true, true).importedFiles.some(({ fileName }) => /^jose(?:\/|$)/.test(fileName));

describe('jose', () => {
  it('is called by two product files, behind which its errors end', () => {
    const isProduct = (file: string) => /\.ts$/.test(file) && !/spec\.ts$/.test(file);
    const callers = ['apps', 'libs/core', 'libs/platform']
      .flatMap((folder) => filesBelow(root, folder).filter(isProduct))
      .filter((file) => callsJose(readFileSync(path.join(root, file), 'utf8')));
    expect(callers).toEqual(['apps/gateway/src/backend/access-tokens.ts', 'libs/core/crypto/src/by-jose.ts']);
  });

  it.each([
    ["import { jwtVerify } from 'jose';", true],
    ["export * from 'jose/jwt/verify';", true],
    ["const { jwtVerify } = await import('jose');", true],
    ["import { joseFailure } from './jose-failure';", false],
    ["import joseph from 'joseph';", false],
  ])('is found in %s: %s', (text, found) => {
    expect(callsJose(text)).toBe(found);
  });
});
