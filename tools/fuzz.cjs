'use strict';
// usage: node tools/fuzz.cjs [runs per property, default 20000] [jest argument ...]
// Runs the property tests of every parser, with many more runs than `npm test`; a failure prints the seed that repeats
// it.
const { spawnSync } = require('node:child_process');
const path = require('node:path');

const [first, ...rest] = process.argv.slice(2);
const runs = /^\d+$/.test(first ?? '') ? first : '20000';
const others = runs === first ? rest : process.argv.slice(2);
/** Parsers of untrusted bytes are in the core, except that of form bodies, which is in the gateway. */
const PARSERS = 'libs/core/|apps/gateway/.*fuzz-spec';
const jest = path.join(__dirname, '../node_modules/jest/bin/jest.js');
const selection = others.length > 0 ? others : ['--testPathPatterns', PARSERS];

console.log(`${runs} runs of each property; this takes a while`);
const { status } = spawnSync(
  process.execPath,
  [jest, '--selectProjects', 'unit', '--testTimeout', '3600000', ...selection],
  {
    stdio: 'inherit',
    env: { ...process.env, FUZZ_RUNS: runs },
  },
);
process.exit(status ?? 1);
