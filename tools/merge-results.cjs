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

/** Stands for a run without results: it counts as one test file that could not run. */
const LOST = { success: false, numRuntimeErrorTestSuites: 1, testResults: [] };

/** Merges the Jest results of several runs into one; `undefined` is a run without results. */
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
