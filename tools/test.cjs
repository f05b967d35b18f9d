'use strict';
// usage: node tools/test.cjs [jest argument ...]
// Runs all tests: unit, integration and end-to-end side by side, then those that compare times, one file at a time. The
// setup reports which Postgres and which NATS is used. With --selectProjects it is plain Jest. The results are in
// dist/test-results/workspace.json, or where --outputFile says. With --part=most or --part=timing it runs only the first or only
// the last: continuous integration runs other steps beside the first. With --part=all it also runs those that only the full
// run has (tools/full-run-tests.cjs), between the two; with --part=full only those.
var checks = require('./checks.cjs');

checks.checkInstallation();
checks.followNpm();
checks.forgetColours();

const { spawn } = require('node:child_process');
const { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { mergeResults } = require('./merge-results.cjs');

const JEST = path.join(__dirname, '../node_modules/jest/bin/jest.js');
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Arguments for which a single run is intended. */
const ONE_RUN = /^--(selectProjects|watch|watchAll|listTests|showConfig|help|version|clearCache|init)\b/;

/** Runs Jest in a child process, to which signals are passed on. Returns its exit code. */
function jest(argv) {
  const child = spawn(process.execPath, [JEST, ...argv], { stdio: 'inherit' });
  const passOn = (signal) => child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, passOn);
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      for (const signal of SIGNALS) process.off(signal, passOn);
      resolve(code ?? 1);
    });
  });
}

const MOST = ['--selectProjects', 'unit', 'integration', 'e2e'];
const FULL = ['--selectProjects', 'full'];
const TIMING = ['--runInBand', '--selectProjects', 'timing'];
/** The runs of Jest, sequentially, for each value of `--part`. */
const PARTS = { usual: [MOST, TIMING], most: [MOST], timing: [TIMING], full: [FULL], all: [MOST, FULL, TIMING] };

/** Removes `--part=…` from the arguments; without it the usual parts run. */
function takePart(argv) {
  const parts = argv.filter((argument) => argument.startsWith('--part='));
  const [part = 'usual'] = parts.map((argument) => argument.slice('--part='.length));
  if (!Object.hasOwn(PARTS, part)) throw new Error(`there is no part ${part}`);
  return { rest: argv.filter((argument) => !parts.includes(argument)), runs: PARTS[part] };
}

/** Removes `--outputFile` from the arguments: that file gets the results of both runs. */
function takeOutputFile(argv) {
  const at = argv.findIndex((argument) => /^--outputFile(=|$)/.test(argument));
  if (at === -1) return { rest: argv, outputFile: undefined };
  const [, value] = argv[at].split(/=(.*)/s);
  const count = value === undefined ? 2 : 1;
  return { rest: argv.filter((_, index) => index < at || index >= at + count), outputFile: value ?? argv[at + 1] };
}

const ALL_RESULTS = path.join(__dirname, '../dist/test-results/workspace.json');
/** Where tools/jest-environment.cjs notes what each file used of the processors. */
const PROCESSOR_TIMES = path.join(path.dirname(ALL_RESULTS), 'processor-times.jsonl');

/** Jest writes its results only into an existing folder. */
function makeFolderOf(file) {
  mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
  return file;
}

const readResults = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
};

function runOnce(argv) {
  const { rest, outputFile = ALL_RESULTS } = takeOutputFile(argv);
  return jest(['--json', `--outputFile=${makeFolderOf(outputFile)}`, ...rest]);
}

async function runAll(argv) {
  const { rest: withoutPart, runs } = takePart(argv);
  const { rest, outputFile = ALL_RESULTS } = takeOutputFile(withoutPart);
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-results-'));
  rmSync(makeFolderOf(PROCESSOR_TIMES), { force: true });
  process.env.JEST_PROCESSOR_TIMES = PROCESSOR_TIMES;
  // A path or a name may select tests of only one run.
  const common = [...rest, '--passWithNoTests', '--json'];
  let code = 0;
  const results = [];
  try {
    for (const [index, run] of runs.entries()) {
      const file = path.join(folder, `${index}.json`);
      code = Math.max(code, await jest([...common, `--outputFile=${file}`, ...run]));
      results.push(readResults(file));
    }
    writeFileSync(makeFolderOf(outputFile), JSON.stringify(mergeResults(results)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return code;
}

// The end-to-end tests start the compiled apps.
require('./build.cjs').build();
const argv = process.argv.slice(2);
const work = argv.some((argument) => ONE_RUN.test(argument)) ? runOnce(argv) : runAll(argv);
work.then((code) => (process.exitCode = code));
