import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { foldRelease, parseRelease } from './release.cjs';

const root = path.resolve(__dirname, '..');
const CHART = 'deploy/kubernetes/Chart.yaml';
const VERSIONED = ['package.json', 'package-lock.json', 'libs/core/foundation/src/version.ts', CHART];
const GENERATED = '## 0.2.0 (2026-12-01)\n\n### Features\n\n- **issuer:** a thing\n';
const OLD =
  '# Changelog\n\nWhat changes.\n\n## Unreleased\n\n- Do this first.\n\n## 0.1.0 (2026-01-01)\n\n- It began.\n';

describe('a release', () => {
  it('gets the text under Unreleased as its introduction, and older sections stay as they are', () => {
    expect(foldRelease(OLD, GENERATED)).toBe(
      '# Changelog\n\nWhat changes.\n\n## Unreleased\n\nNothing yet.\n\n## 0.2.0 (2026-12-01)\n\n- Do this first.\n\n' +
        '### Features\n\n- **issuer:** a thing\n\n## 0.1.0 (2026-01-01)\n\n- It began.\n',
    );
  });

  it('has no introduction where nobody wrote one, and may be the first', () => {
    const once = foldRelease('# Changelog\n\n## Unreleased\n\n', GENERATED);
    expect(once).toContain('## Unreleased\n\nNothing yet.\n\n## 0.2.0 (2026-12-01)\n\n### Features');
    const twice = foldRelease(once, GENERATED.replace('0.2.0', '0.3.0'));
    expect(twice.match(/Nothing yet/g)).toHaveLength(1);
    expect(twice.indexOf('## 0.3.0')).toBeLessThan(twice.indexOf('## 0.2.0'));
  });

  it.each([
    ['a changelog without Unreleased', '# Changelog\n', GENERATED],
    ['one with two', `${OLD}\n## Unreleased\n`, GENERATED],
    ['a version that has a section', OLD, GENERATED.replace('0.2.0', '0.1.0')],
    ['no version', OLD, 'nothing'],
  ])('is refused for %s', (_what, changelog, generated) => {
    expect(() => foldRelease(changelog, generated)).toThrow(Error);
  });

  it.each([
    [[], { specifier: undefined, dryRun: false }],
    [['--dry-run'], { specifier: undefined, dryRun: true }],
    [['minor', '--dry-run'], { specifier: 'minor', dryRun: true }],
    [['1.0.0'], { specifier: '1.0.0', dryRun: false }],
    [['minor', 'major'], undefined],
    [['--dryrun'], undefined],
  ])('is asked for by %j', (argv, expected) => {
    expect(parseRelease(argv)).toEqual(expected);
  });
});

describe('npm run release', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-release-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const git = (...argv: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.example', '-c', 'commit.gpgsign=false', ...argv], {
      cwd: folder,
      encoding: 'utf8',
    });
  const release = (...argv: string[]) =>
    execFileSync(process.execPath, ['tools/release.cjs', ...argv], {
      cwd: folder,
      encoding: 'utf8',
      // eslint-disable-next-line no-restricted-properties -- Nx gets the surroundings of this process, without its daemon
      env: { ...process.env, NX_DAEMON: 'false', CI: 'true' },
    });
  const read = (file: string) => readFileSync(path.join(folder, file), 'utf8');

  it('decides by the commits since the tag, in a clone without a remote, and writes what it says', () => {
    for (const file of [...VERSIONED, 'nx.json', 'project.json', 'apps/issuer/project.json', 'tools/release.cjs']) {
      cpSync(path.join(root, file), path.join(folder, file), { recursive: true });
    }
    writeFileSync(path.join(folder, 'CHANGELOG.md'), OLD);
    writeFileSync(path.join(folder, '.gitignore'), 'node_modules\n.nx\n');
    symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-q', '-m', 'feat: the beginning');
    const { version } = JSON.parse(read('package.json')) as { version: string };
    git('tag', '-a', `v${version}`, '-m', version);
    expect(release('--dry-run')).toContain('nothing to release');
    for (const [file, subject] of [
      ['apps/issuer/thing.ts', 'fix(issuer): a mended thing'],
      ['docs.md', 'docs: not for a release'],
    ] as const) {
      writeFileSync(path.join(folder, file), '');
      git('add', '-A');
      git('commit', '-q', '-m', subject);
    }

    const [major = '', minor = '', patch = ''] = version.split('.');
    const next = `${major}.${minor}.${Number(patch) + 1}`;
    expect(release('--dry-run')).toContain(`would release ${next}`);
    expect(git('status', '--porcelain')).toBe('');
    expect(release()).toContain(`wrote ${next}`);
    for (const file of VERSIONED) {
      expect(git('diff', '--numstat', file)).toMatch(file.includes('lock') || file === CHART ? /^2\t2\t/ : /^1\t1\t/);
      expect(git('diff', file)).toContain(next);
    }
    const section = read('CHANGELOG.md').split('## 0.1.0 (')[0] ?? '';
    expect(section).toMatch(
      new RegExp(`## ${next} \\(.*\\)\\n\\n- Do this first\\.\\n\\n[^]*\\*\\*issuer:\\*\\* a mended thing`),
    );
    expect(section).not.toContain('not for a release');
    expect(git('tag').trim()).toBe(`v${version}`);
  });
});
