import { readFileSync } from 'node:fs';
import path from 'node:path';
import { filesBelow } from './docs/repository-files';
import { takersOf } from './unused-exports';

const root = path.resolve(__dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
/** Exports of product files that tests alone take, by file; whatever is not there any more has to go from here as well. */
const forTests = JSON.parse(read('tools/exports-for-tests.json')) as Readonly<Record<string, readonly string[]>>;
const { compilerOptions } = JSON.parse(read('tsconfig.base.json')) as {
  compilerOptions: { paths: Readonly<Record<string, readonly [string]>> };
};
const aliases = new Map(
  Object.entries(compilerOptions.paths).map(([name, [file]]) => [name, file.replace(/^\.\//, '')]),
);
const isTest = (file: string) => /(?:spec|\.stage)\.ts$|\/testing\/|^e2e\//.test(file);

/** Loaded from the build by a path that is put together, which no import shows. */
const LOADED = { file: 'apps/gateway/src/describe-apis.ts', by: 'tools/docs.ts', as: "'gateway', 'describe-apis'" };

/** What the package of backends exports is taken by programs elsewhere. */
const PUBLISHED = [
  'published.ts',
  "import * as client from '@vestibule/client'; import * as web from '@vestibule/web';",
] as const;
const GENERATED = 'libs/kit/client/src/generated/';

interface Judged {
  readonly unused: readonly string[];
  readonly onlyForTests: readonly string[];
}

/** Exports of apps and libs that no other file takes, and those of product files that only tests take. */
function judge(sources: ReadonlyMap<string, string>): Judged {
  const isJudged = (file: string) =>
    /^(?:apps|libs)\//.test(file) && !isTest(file) && file !== LOADED.file && !file.startsWith(GENERATED);
  const exported = [...takersOf(sources, aliases)].filter(([key]) => isJudged(key.split('#', 1)[0] as string));
  const unused = exported.filter(([, takers]) => takers.size === 0);
  const onlyForTests = exported.filter(
    ([key, takers]) => takers.size > 0 && !key.startsWith('libs/dev/') && [...takers].every(isTest),
  );
  return { unused: unused.map(([key]) => key).sort(), onlyForTests: onlyForTests.map(([key]) => key).sort() };
}

describe('exports', () => {
  const files = ['apps', 'libs', 'tools', 'e2e'].flatMap((top) =>
    filesBelow(root, top).filter((file) => /\.(?:ts|cjs)$/.test(file)),
  );
  const judged = judge(new Map([PUBLISHED, ...files.map((file) => [file, read(file)] as const)]));

  it('of apps and libraries are all used outside of their file', () => {
    expect(judged.unused).toEqual([]);
  });

  it('that are loaded by a path are loaded indeed', () => {
    expect(read(LOADED.by)).toContain(LOADED.as);
  });

  it('that only tests use are listed in tools/exports-for-tests.json, and no others', () => {
    const listed = Object.entries(forTests).flatMap(([file, names]) => names.map((name) => `${file}#${name}`));
    expect(judged.onlyForTests).toEqual(listed.sort());
  });
});

describe('an export', () => {
  const found = (files: Readonly<Record<string, string>>) => judge(new Map(Object.entries(files)));
  const index = { 'libs/core/crypto/src/index.ts': "export * from './a';" };
  const a = 'libs/core/crypto/src/a.ts';
  const user = 'apps/issuer/src/main.ts';

  it.each<[string, Readonly<Record<string, string>>]>([
    ['that nobody takes', { [a]: 'export const one = 1;' }],
    ['that an index alone passes on', { ...index, [a]: 'export function one() {}' }],
    ['that its own file alone uses', { [a]: 'export const one = 1; const two = one;' }],
    ['of which a namesake is taken', { [a]: 'export const one = 1;', [user]: "import { one } from './one';" }],
    [
      'beside one that is taken',
      { [a]: 'export const one = 1, two = 2;', [user]: "import { two } from '../../../libs/core/crypto/src/a';" },
    ],
    ['that a type of the same file names in its body', { [a]: 'export interface one {} type Two = one;' }],
    [
      'that a test names in a comment',
      { [a]: 'export const one = 1;', 'apps/a.spec.ts': "// import { one } from './a'" },
    ],
  ])('%s is found', (_what, files) => {
    expect(found(files).unused).toEqual([`${a}#one`]);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    [
      'is taken through an index',
      { ...index, [a]: 'export const one = 1;', [user]: "import { one } from '@vestibule/crypto';" },
    ],
    [
      'is taken under another name',
      { ...index, [a]: 'export class one {}', [user]: "import { one as two } from '@vestibule/crypto';" },
    ],
    [
      'is taken as a type',
      { ...index, [a]: 'export interface one {}', [user]: "import type { one } from '@vestibule/crypto';" },
    ],
    [
      'is taken with everything',
      { ...index, [a]: 'export const one = 1;', [user]: "import * as all from '@vestibule/crypto';" },
    ],
    ['is loaded', { ...index, [a]: 'export const one = 1;', [user]: "const all = require('@vestibule/crypto');" }],
    [
      'is the type of another export',
      {
        ...index,
        [a]: 'export interface one {} export const two = (x: one) => x;',
        [user]: "import { two } from '@vestibule/crypto';",
      },
    ],
    [
      'is passed on by name',
      {
        'libs/core/crypto/src/index.ts': "export { one as two } from './a';",
        [a]: 'export const one = 1;',
        [user]: "import { two } from '@vestibule/crypto';",
      },
    ],
  ])('that %s is used', (_what, files) => {
    expect(found(files)).toEqual({ unused: [], onlyForTests: [] });
  });

  it('that a test alone takes is listed as such', () => {
    const files = {
      ...index,
      [a]: 'export const one = 1;',
      'apps/issuer/src/x.spec.ts': "import { one } from '@vestibule/crypto';",
    };
    expect(found(files)).toEqual({ unused: [], onlyForTests: [`${a}#one`] });
  });
});
