import { readFileSync } from 'node:fs';

/** What package-lock.json says of one package, as far as this spec reads it. */
type Locked = {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

/**
 * The packages that are named as a dependency and that the lock file has no entry for: `npm ci` refuses such a file.
 * `npm install` writes one without a word where the registry lacks the build for another platform of an optional
 * dependency, and a machine that has the packages already never notices.
 */
function missingFrom(locked: Readonly<Record<string, Locked>>): string[] {
  return Object.entries(locked).flatMap(([at, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !foldersAbove(at).some((folder) => `${folder}node_modules/${name}` in locked))
      .map((name) => `${at || 'package.json'} needs ${name}`),
  );
}

/** The folders in whose node_modules Node looks for a dependency of the package at a path: its own, then upwards. */
function foldersAbove(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '');
  return [...parts.keys()].map((index) => `${parts.slice(0, index + 1).join('/')}/`).concat('');
}

describe('package-lock.json', () => {
  it('names every package that it needs, on every platform', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Readonly<Record<string, Locked>>;
    };
    expect(Object.keys(packages).length).toBeGreaterThan(500);
    expect(missingFrom(packages)).toEqual([]);
  });

  it('would be caught without the build of an optional dependency for another platform', () => {
    expect(
      missingFrom({
        '': { dependencies: { linter: '1.0.0' } },
        'node_modules/linter': { optionalDependencies: { 'linter-darwin': '1.0.0', 'linter-linux': '1.0.0' } },
        'node_modules/linter/node_modules/linter-linux': {},
      }),
    ).toEqual(['node_modules/linter needs linter-darwin']);
  });
});
