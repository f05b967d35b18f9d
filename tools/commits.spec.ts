import { execFileSync } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(__dirname, '..');

/** The last commit before these rules. */
const BEFORE = 'ab48c157';
const MAX_LENGTH = 72;
const TYPES = ['feat', 'fix', 'docs', 'test', 'ci', 'refactor', 'perf', 'build', 'chore', 'style', 'revert'];
const CONVENTIONAL = new RegExp(`^(?:${TYPES.join('|')})(?:\\([a-z0-9-]+(?:,[a-z0-9-]+)*\\))?!?: \\S(?:.*[^.\\s])?$`);

interface Commit {
  readonly hash: string;
  readonly parents: number;
  readonly subject: string;
}

function faultOf({ parents, subject }: Commit): string | undefined {
  if (parents > 1) return 'a merge';
  if (subject.length > MAX_LENGTH) return `${subject.length} characters`;
  return CONVENTIONAL.test(subject) ? undefined : 'no conventional subject';
}

function git(...argv: string[]): string | undefined {
  try {
    return execFileSync('git', argv, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/** Those since the rules began; of a clone without so much history, those that it has; none outside of a repository. */
function readCommits(): Commit[] {
  const isKnown = git('merge-base', '--is-ancestor', BEFORE, 'HEAD') !== undefined;
  const log = git('log', '--format=%h%x09%p%x09%s', isKnown ? `${BEFORE}..HEAD` : '-50') ?? '';
  return log.split('\n').flatMap((line) => {
    const [hash = '', parents = '', ...subject] = line.split('\t');
    return hash === '' ? [] : [{ hash, parents: parents.split(' ').length, subject: subject.join('\t') }];
  });
}

describe('the subject of a commit', () => {
  it('is conventional, has at most 72 characters, and is of no merge', () => {
    const faults = readCommits().flatMap((commit) => {
      const fault = faultOf(commit);
      return fault === undefined ? [] : [`${commit.hash} ${commit.subject}: ${fault}`];
    });
    expect(faults).toEqual([]);
  });

  const of = (subject: string, parents = 1) => faultOf({ hash: 'x', parents, subject });

  it.each([
    'feat: a thing',
    'fix(oid4vp): refuse a response without state',
    'feat(wallet-store)!: an address is gone',
    'docs(oid4vci,oauth): a sentence',
    `fix: ${'x'.repeat(67)}`,
  ])('may be %s', (subject) => {
    expect(of(subject)).toBeUndefined();
  });

  it.each([
    [`fix: ${'x'.repeat(68)}`, '73 characters'],
    ['a thing', 'no conventional subject'],
    ['feature: a thing', 'no conventional subject'],
    ['fix(): a thing', 'no conventional subject'],
    ['fix(A): a thing', 'no conventional subject'],
    ['fix:a thing', 'no conventional subject'],
    ['fix: ', 'no conventional subject'],
    ['fix: a thing.', 'no conventional subject'],
    ['merge: branch x', 'no conventional subject'],
  ])('may not be %s', (subject, fault) => {
    expect(of(subject)).toBe(fault);
  });

  it('is refused for a merge, whatever it says', () => {
    expect(of('fix: a thing', 2)).toBe('a merge');
  });
});
