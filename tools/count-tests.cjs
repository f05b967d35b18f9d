'use strict';
// usage: node tools/count-tests.cjs <exit code of the run> <result of jest --json, or a folder of them> ...
// Prints "<passed> <failed>", added up. A test file that could not run counts as one failure; so does a result that
// cannot be read, and a run that failed otherwise or in which no test passed.
const { existsSync, readFileSync, readdirSync, statSync } = require('node:fs');
const path = require('node:path');

function resultFiles(place) {
  if (!existsSync(place) || !statSync(place).isDirectory()) return [place];
  const names = readdirSync(place).filter((name) => name.endsWith('.json'));
  return names.map((name) => path.join(place, name));
}

function countOne(file) {
  let result;
  try {
    result = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: 1 };
  }
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  return { passed: result.numPassedTests, failed: failed === 0 && !result.success ? 1 : failed };
}

function count(places, exitCode) {
  const results = places.flatMap(resultFiles).map(countOne);
  const sum = (name) => results.reduce((total, result) => total + result[name], 0);
  const [passed, failed] = [sum('passed'), sum('failed')];
  const failedOtherwise = failed === 0 && (exitCode !== 0 || passed === 0);
  return [passed, failedOtherwise ? 1 : failed];
}

module.exports = { count };

if (require.main === module) console.log(count(process.argv.slice(3), Number(process.argv[2])).join(' '));
