'use strict';
// usage: node tools/slowest-suites.cjs <result file of jest --json> [how many, default 20]
// Prints a table of the slowest test files, and one of those that used most processor time, with the processes that they
// started, which tools/test.cjs keeps beside the results. Postgres, NATS and the stages that files share are not in it.
const { existsSync, readFileSync } = require('node:fs');
const path = require('node:path');

const root = path.resolve(__dirname, '..');
const timingSensitive = new Set(require('./timing-sensitive-tests.cjs'));
const fullRunTests = require('./full-run-tests.cjs');

function projectOf(file) {
  if (Object.hasOwn(fullRunTests, file)) return 'full';
  if (timingSensitive.has(file)) return 'timing';
  if (file.endsWith('.e2e-spec.ts')) return 'e2e';
  return file.endsWith('.int-spec.ts') ? 'integration' : 'unit';
}

function suitesOf({ testResults }) {
  return testResults.map(({ name, startTime, endTime, assertionResults }) => {
    const file = path.relative(root, name).split(path.sep).join('/');
    const seconds = Math.max(0, endTime - startTime) / 1000;
    return { file, project: projectOf(file), seconds, tests: assertionResults.length };
  });
}

const line = (seconds, tests, project, rest) =>
  `${seconds.padStart(8)}  ${String(tests).padStart(6)}  ${project.padEnd(12)} ${rest}`;

/** Lines of a table: the slowest suites, then each project as a whole. */
function slowestSuites(results, count) {
  const suites = suitesOf(results).sort((one, other) => other.seconds - one.seconds);
  const projects = [...new Set(suites.map(({ project }) => project))].sort().map((project) => {
    const own = suites.filter((suite) => suite.project === project);
    const sum = (member) => own.reduce((total, suite) => total + suite[member], 0);
    const files = own.length === 1 ? '1 file' : `all ${own.length} files, one after the other`;
    return line(sum('seconds').toFixed(1), sum('tests'), project, files);
  });
  const slowest = suites
    .slice(0, count)
    .map(({ seconds, tests, project, file }) => line(seconds.toFixed(1), tests, project, file));
  return [
    line(
      'seconds',
      'tests',
      'project',
      slowest.length === 1 ? 'the slowest suite' : `the ${slowest.length} slowest suites`,
    ),
    ...slowest,
    ...projects,
  ];
}

/** Lines of a table: the files that used most processor time, then all. `times` has `{"file", "seconds"}` in each line. */
function costliestSuites(times, count) {
  const files = times
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text))
    .sort((one, other) => other.seconds - one.seconds);
  const total = files.reduce((sum, { seconds }) => sum + seconds, 0);
  const row = (seconds, rest) => `${seconds.padStart(8)}  ${rest}`;
  return [
    row('seconds', `of processor time: the ${Math.min(count, files.length)} costliest suites`),
    ...files.slice(0, count).map(({ file, seconds }) => row(seconds.toFixed(1), path.relative(root, file))),
    row(total.toFixed(1), `all ${files.length} files`),
  ];
}

module.exports = { costliestSuites, slowestSuites };

if (require.main === module) {
  const [, , file, count = 20] = process.argv;
  if (!existsSync(file)) {
    console.error(`there is no result file ${file}`);
    process.exit(1);
  }
  const results = JSON.parse(readFileSync(file, 'utf8'));
  console.log(slowestSuites(results, Number(count)).join('\n'));
  const times = path.join(path.dirname(file), 'processor-times.jsonl');
  if (existsSync(times)) console.log(costliestSuites(readFileSync(times, 'utf8'), Number(count)).join('\n'));
}
