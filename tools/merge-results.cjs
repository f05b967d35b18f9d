'use strict';

const SUMS = [
  'numFailedTestSuites',
  'numFailedTests',
  'numPassedTestSuites',
  'numPassedTests',
  'numPendingTestSuites',
  'numPendingTests',
  'numRuntimeErrorTestSuites',
  'numTodoTests',
  'numTotalTestSuites',
  'numTotalTests',
];

/** What stands for a run that left no results: it counts as one test file that could not run. */
const LOST = { success: false, numRuntimeErrorTestSuites: 1, testResults: [] };

/** One result of Jest made of those of several runs; `undefined` is a run that ended without one. */
function mergeResults(runs) {
  const all = runs.map((run) => run ?? LOST);
  const sums = SUMS.map((name) => [name, all.reduce((sum, run) => sum + (run[name] ?? 0), 0)]);
  return {
    ...Object.fromEntries(sums),
    success: all.every(({ success }) => success),
    testResults: all.flatMap(({ testResults }) => testResults),
  };
}

module.exports = { mergeResults };
