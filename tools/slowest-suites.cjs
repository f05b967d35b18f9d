'use strict';
// usage: node tools/slowest-suites.cjs <result file of jest --json> [how many, default 20]
// Prints a table of the slowest test files.
const { readFileSync } = require('node:fs');
const path = require('node:path');

const root = path.resolve(__dirname, '..');
const timingSensitive = new Set(require('./timing-sensitive-tests.cjs'));

function projectOf(file) {
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

module.exports = { slowestSuites };

if (require.main === module) {
  const results = JSON.parse(readFileSync(process.argv[2], 'utf8'));
  console.log(slowestSuites(results, Number(process.argv[3] ?? 20)).join('\n'));
}
