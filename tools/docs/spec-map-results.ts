import { readFileSync } from 'node:fs';
import { readRequirements, RequirementTests, type Requirement } from './spec-map-requirements';
import { findTestTitles, idsIn, isDevelopmentFile } from './spec-map-titles';

/** The parts that are read from the output of `jest --json --outputFile`. */
export interface JestResults {
  readonly testResults: readonly {
    /** The path of the test file. */
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** `not_run`: there are tests, but the file contains none of them; `no_test`: the requirement has a reason instead. */
export type RequirementOutcome = 'passed' | 'failed' | 'not_run' | 'no_test';

export interface RequirementResult {
  readonly id: string;
  readonly outcome: RequirementOutcome;
  readonly passed: number;
  readonly failed: number;
}

function countById(results: JestResults): Map<string, { passed: number; failed: number }> {
  const counts = new Map<string, { passed: number; failed: number }>();
  const files = results.testResults.filter(({ name }) => !isDevelopmentFile(name));
  for (const { fullName, status } of files.flatMap(({ assertionResults }) => assertionResults)) {
    for (const id of idsIn(fullName)) {
      const { passed, failed } = counts.get(id) ?? { passed: 0, failed: 0 };
      counts.set(id, {
        passed: passed + Number(status === 'passed'),
        failed: failed + Number(status === 'failed'),
      });
    }
  }
  return counts;
}

function outcomeOf(passed: number, failed: number, hasTest: boolean): RequirementOutcome {
  if (failed > 0) return 'failed';
  if (passed > 0) return 'passed';
  return hasTest ? 'not_run' : 'no_test';
}

/** The result of each requirement in a test run. */
export function requirementResults(
  requirements: readonly Requirement[],
  tests: RequirementTests,
  results: JestResults,
): RequirementResult[] {
  const counts = countById(results);
  return requirements.map((one) => {
    const each = [one.id, ...(one.coveredBy ?? [])].flatMap((id) => counts.get(id) ?? []);
    const passed = each.reduce((sum, count) => sum + count.passed, 0);
    const failed = each.reduce((sum, count) => sum + count.failed, 0);
    return { id: one.id, outcome: outcomeOf(passed, failed, tests.of(one).length > 0), passed, failed };
  });
}

const lineOf = ({ id, outcome, passed, failed }: RequirementResult) =>
  `${id.padEnd(8)} ${outcome.padEnd(8)} ${passed} passed, ${failed} failed\n`;

/**
 * Prints the result of each requirement from a result file of Jest. The exit code is 1 if one of its tests failed or
 * none of them were run.
 */
export function printSpecResults(root: string, file: string, print: (text: string) => void): number {
  const results = JSON.parse(readFileSync(file, 'utf8')) as JestResults;
  const requirements = readRequirements(root).flatMap((list) => list.requirements);
  const all = requirementResults(requirements, new RequirementTests(findTestTitles(root)), results);
  for (const result of all) print(lineOf(result));
  const count = (outcome: RequirementOutcome) => all.filter((one) => one.outcome === outcome).length;
  print(
    `${count('passed')} passed, ${count('failed')} failed, ${count('not_run')} not run, ${count('no_test')} without a test\n`,
  );
  return count('failed') + count('not_run') > 0 ? 1 : 0;
}
