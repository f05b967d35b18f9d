import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ApiError, DomainError, failureFamily, ProcessingFailure } from '@vestibule/foundation';
import { OAuthError, REFUSAL_REASONS } from '@vestibule/oauth';
import { INVALID_REQUESTS } from '@vestibule/oid4vp';
import { errorsPage } from './docs/errors-page';
import { ERROR_TABLES } from './docs/error-tables';
import { filesBelow } from './docs/repository-files';
import { throwableCodes } from './thrown-codes';

const root = path.resolve(__dirname, '..');
const isProduct = (file: string) =>
  /^(?:apps|libs\/(?:core|platform))\/.*\.ts$/.test(file) && !/spec\.ts$|\.stage\.ts$|\/testing\//.test(file);
const product = ['apps', 'libs']
  .flatMap((top) => filesBelow(root, top))
  .filter(isProduct)
  .map((file) => readFileSync(path.join(root, file), 'utf8'));

const tables = { ...ERROR_TABLES, refusal: REFUSAL_REASONS, invalidRequest: INVALID_REQUESTS };
const codes = Object.entries(tables).flatMap(([table, entries]) => Object.keys(entries).map((code) => [table, code]));

describe('error codes', () => {
  it('of every table can be thrown by some product source', () => {
    const throwable = throwableCodes(product);
    expect(codes.filter(([, code]) => !throwable.has(code as string))).toEqual([]);
  });

  it('of every table are on the page of error codes', () => {
    const page = errorsPage();
    expect(codes.filter(([, code]) => !page.includes(`| \`${code}\` |`))).toEqual([]);
  });

  it('outside of the tables do not compile', () => {
    const table = {
      expired: { section: '', meaning: '', remedy: '' },
      planted: { section: '', meaning: '', remedy: '' },
    };
    const code = 'planted_code';
    const text: string = code;
    void (() => [
      // @ts-expect-error: in no table
      new ApiError({ kind: 'conflict', code, detail: '' }),
      // @ts-expect-error: any string is not a code
      new DomainError({ kind: 'conflict', code: text, detail: '' }),
      // @ts-expect-error: in no table
      new ProcessingFailure('planted_code', ''),
      // @ts-expect-error: in a table that is not registered
      failureFamily(table)('planted'),
      // @ts-expect-error: in no table of reasons
      new OAuthError('invalid_grant', 'planted_reason'),
      // @ts-expect-error: a code, but not one of OAuth
      new OAuthError('seal_broken', 'code_not_open'),
      // @ts-expect-error: in no table of reasons
      new DomainError({ kind: 'conflict', code: 'seal_broken', detail: '', reason: 'planted_reason' }),
      // @ts-expect-error: a comparison that is never true
      new ProcessingFailure('seal_broken', '').code === 'planted_code',
    ]);
    expect(codes.map(([, known]) => known)).not.toContain(code);
  });
});

describe('a code', () => {
  const canBeThrown = (source: string) => throwableCodes([source]).has('some_code');

  it.each([
    "throw fail('some_code');",
    "const REFUSALS = new Map([[404, ['invalid', 'some_code']]]);",
    "throw new ApiError({ kind: 'gone', code: wrong ? 'some_code' : 'other_code', detail });",
    "(kind: 'some' | 'other') => fail(`${kind}_code`);",
    'const CODES = { ETIMEDOUT: `some_code` };',
  ])('can be thrown by %s', (source) => {
    expect(canBeThrown(source)).toBe(true);
  });

  it.each([
    "const TABLE = { 'some_code': { meaning: '' } };",
    'const TABLE = { some_code: { meaning: 1 } };',
    "if (error.code === 'some_code') throw error;",
    "switch (code) { case 'some_code': return; }",
    "type Code = 'some_code';",
    "// throw fail('some_code')",
    "if (AWAY.has('some_code')) throw error;",
    "throw fail('some_code_');",
    'throw fail(`${kind}_code`);',
    "(kind: 'other') => fail(`${kind}_code`);",
  ])('cannot be thrown by %s', (source) => {
    expect(canBeThrown(source)).toBe(false);
  });
});
