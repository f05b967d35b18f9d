import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { renderSpecMap, specMapPage } from './docs/spec-map-page';
import { readRequirements, requirementFaults, RequirementTests, type Requirement } from './docs/spec-map-requirements';
import { requirementResults } from './docs/spec-map-results';
import { findTestTitles, titlesOfSource, type TestTitle } from './docs/spec-map-titles';
import fullRunTests from './full-run-tests.cjs';

const root = path.resolve(__dirname, '..');
const PAGE = path.join(root, 'docs/spec-map.md');

const rowsOf = (page: string) => page.split('\n').filter((line) => line.startsWith('| `'));
/** Alignment of tables is the formatter's. */
const withoutAlignment = (page: string) => page.replace(/ {2,}\|/g, ' |').replace(/-{3,}/g, '---');

function requirement(id: string, more: Partial<Requirement> = {}): Requirement {
  return { id, requirement: 'It holds.', level: 'MUST', standard: 'RFC 1 §2', ...more };
}

const titled = (id: string, file = 'libs/core/a/src/a.spec.ts', title = 'holds'): TestTitle => ({ id, file, title });

describe('the requirements of this repository', () => {
  const lists = readRequirements(root);
  const requirements = lists.flatMap((list) => list.requirements);

  const titles = findTestTitles(root);

  it('each have a test or a reason, never both, and no test names another one', () => {
    expect(requirementFaults(requirements, titles)).toEqual([]);
  });

  it('each keep a test that npm test runs, without those of the full run', () => {
    const usual = titles.filter(({ file }) => !Object.hasOwn(fullRunTests, file));
    expect(usual.length).toBeLessThan(titles.length);
    expect(requirementFaults(requirements, usual)).toEqual([]);
  });

  it('are told in one sentence with a level and a standard', () => {
    const poor = requirements.filter(
      ({ requirement: sentence, level, standard }) => !/^\S.*\.$/.test(sentence) || level === '' || standard === '',
    );
    expect(poor).toEqual([]);
    expect(requirements.length).toBeGreaterThan(500);
  });

  it('are on the page: otherwise run "npm run docs"', () => {
    expect(existsSync(PAGE)).toBe(true);
    const [written, expected] = [readFileSync(PAGE, 'utf8'), specMapPage(root)].map(withoutAlignment);
    expect(rowsOf(written ?? '')).toEqual(rowsOf(expected ?? ''));
    expect(written).toBe(expected);
  });
});

describe('the titles of a test file', () => {
  const titles = (source: string) => titlesOfSource('a.spec.ts', source).map(({ id, title }) => `${id} ${title}`);

  it('are those of groups and tests, also of templates and of a choice of functions', () => {
    expect(
      titles(`
        describe('VP:A1 a group', () => {
          it('VP:A2 VCI:U1 a test', () => {});
          (known ? it : it.skip)(\`VP:A3 takes \${name} well\`, () => {});
        });`),
    ).toEqual(['VP:A1 a group', 'VP:A2 a test', 'VCI:U1 a test', 'VP:A3 takes … well']);
  });

  it('are in tables too, beside a test or apart from it', () => {
    expect(
      titles(`
        const APART = [['VP:A1 first', 1], { rule: 'VP:A2 second' }];
        it.each([['VP:A3', 'third', 3], ['VP:A4', 4]])('%s is refused', () => {});
        it.each(['x'])('VP:A5 %s is refused', () => {});`),
    ).toEqual(['VP:A1 first', 'VP:A2 second', 'VP:A3 third', 'VP:A4 … is refused', 'VP:A5 … is refused']);
  });

  it('are not what a test does, what never runs, or a comment', () => {
    expect(
      titles(`
        // VP:A1
        it('works', () => expect(text).toBe('VP:A2'));
        it.skip('VP:A3 later', () => {});
        it.todo('VP:A4 later');
        xdescribe('VP:A5 later', () => { it('VP:A6 later', () => {}); });`),
    ).toEqual([]);
  });

  it('show an identifier that lost its number', () => {
    expect(titles(`it('VP:E with a query', () => {});`)).toEqual(['VP:E with a query']);
  });
});

describe('a fault between requirements and tests', () => {
  it('is a requirement without test and reason', () => {
    expect(requirementFaults([requirement('VP:A1')], [])).toEqual(['VP:A1: has neither a test nor a reason']);
    expect(requirementFaults([requirement('VP:A1', { notBuilt: ' ' })], [])).toEqual(['VP:A1: the reason is empty']);
    expect(requirementFaults([requirement('VP:A1', { notBuilt: 'planned' })], [])).toEqual([]);
  });

  it('is a reason that is left although there is a test', () => {
    expect(requirementFaults([requirement('VP:A1', { notBuilt: 'planned' })], [titled('VP:A1')])).toEqual([
      'VP:A1: its reason is stale, libs/core/a/src/a.spec.ts tests it',
    ]);
  });

  it('is a test of the demonstration wallet alone, which proves nothing about the product', () => {
    const wallet = titled('VP:A1', 'libs/dev/demo-wallet/src/a.spec.ts');
    expect(requirementFaults([requirement('VP:A1')], [wallet])).toEqual(['VP:A1: has neither a test nor a reason']);
    expect(requirementFaults([], [wallet])).toEqual([
      'VP:A1: is not a known requirement, but libs/dev/demo-wallet/src/a.spec.ts names it',
    ]);
  });

  it('is a test of a requirement that does not exist, and a requirement that is listed twice', () => {
    const both = [requirement('VP:A1'), requirement('VP:A1')];
    expect(requirementFaults(both, [titled('VP:A1'), titled('VP:A99')])).toEqual([
      'VP:A1: is listed twice',
      'VP:A99: is not a known requirement, but libs/core/a/src/a.spec.ts names it',
    ]);
  });

  it('is cover by others that have no test, and any cover but of a decision or a trap', () => {
    const covered = (id: string) => requirement(id, { coveredBy: ['VP:A1'] });
    expect(requirementFaults([requirement('VP:A1'), covered('VP:T1')], [titled('VP:A1')])).toEqual([]);
    expect(requirementFaults([requirement('VP:A1'), covered('VP:A2')], [titled('VP:A1')])).toEqual([
      'VP:A2: needs a test of its own',
    ]);
    expect(requirementFaults([covered('VP:T1')], [])).toEqual([
      'VP:T1: has neither a test nor a reason',
      'VP:T1: is covered by VP:A1, which has no test',
    ]);
  });
});

describe('the page', () => {
  const page = (requirements: readonly Requirement[], titles: readonly TestTitle[]) =>
    rowsOf(renderSpecMap([{ heading: 'Verifier', requirements }], titles));

  it('shows three tests, of different files first, and counts the others', () => {
    const titles = ['1', '2', '3'].map((title) => titled('VP:A1', 'libs/core/a/src/a.spec.ts', title));
    const [row] = page([requirement('VP:A1')], [...titles, titled('VP:A1', 'e2e/src/b.e2e-spec.ts', 'b | `c`')]);
    expect(row).toBe(
      '| `VP:A1` | It holds. | MUST, RFC 1 §2 | [a/a](../libs/core/a/src/a.spec.ts) 1<br>' +
        "[e2e/b](../e2e/src/b.e2e-spec.ts) b \\| 'c'<br>[a/a](../libs/core/a/src/a.spec.ts) 2<br>+1 | passes in CI |",
    );
  });

  it('shows the reason, and what is missing', () => {
    expect(page([requirement('VP:A1', { notBuilt: 'planned' }), requirement('VP:A2')], [])).toEqual([
      '| `VP:A1` | It holds. | MUST, RFC 1 §2 | _planned_ | no test |',
      '| `VP:A2` | It holds. | MUST, RFC 1 §2 | **missing** | no test |',
    ]);
  });
});

describe('the results of a run', () => {
  it('are those of the tests whose full names hold the requirement', () => {
    const requirements = ['VP:A1', 'VP:A10', 'VP:A2', 'VP:A3'].map((id) => requirement(id));
    const planned = requirement('VP:A4', { notBuilt: 'planned' });
    const trap = requirement('VP:T1', { coveredBy: ['VP:A2'] });
    const titles = ['VP:A1', 'VP:A10', 'VP:A2', 'VP:A3'].map((id) => titled(id));
    const assertion = (fullName: string, status: string) => ({ fullName, status });
    const assertions = [
      assertion('a group VP:A10 passes', 'passed'),
      assertion('VP:A10 again', 'passed'),
      assertion('VP:A2 fails', 'failed'),
      assertion('VP:A2 passes', 'passed'),
      assertion('VP:A3 is left out', 'pending'),
    ];
    const wallet = {
      name: '/r/libs/dev/demo-wallet/src/a.spec.ts',
      assertionResults: [assertion('VP:A1 wallet', 'passed')],
    };
    const results = { testResults: [{ name: '/r/libs/core/a/src/a.spec.ts', assertionResults: assertions }, wallet] };
    const found = requirementResults([...requirements, planned, trap], new RequirementTests(titles), results);
    expect(found.map(({ id, outcome, passed, failed }) => [id, outcome, passed, failed])).toEqual([
      ['VP:A1', 'not_run', 0, 0],
      ['VP:A10', 'passed', 2, 0],
      ['VP:A2', 'failed', 1, 1],
      ['VP:A3', 'not_run', 0, 0],
      ['VP:A4', 'no_test', 0, 0],
      ['VP:T1', 'failed', 1, 1],
    ]);
  });
});
