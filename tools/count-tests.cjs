'use strict';
// usage: node tools/count-tests.cjs <result file of jest --json> <exit code of jest>
// Prints "<passed> <failed>". A test file that could not run counts as one failed; so does a run that failed otherwise.
const { readFileSync } = require('node:fs');

function count(file, exitCode) {
  let result;
  try {
    result = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return [0, 1];
  }
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  const failedOtherwise = failed === 0 && (exitCode !== 0 || !result.success || result.numPassedTests === 0);
  return [result.numPassedTests, failedOtherwise ? 1 : failed];
}

module.exports = { count };

if (require.main === module) console.log(count(process.argv[2], Number(process.argv[3])).join(' '));
