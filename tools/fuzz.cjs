'use strict';
// usage: node tools/fuzz.cjs [times, default 200] [jest argument ...]
// Runs the property tests of every parser, each with so many times its usual runs; a failure prints the seed that repeats it.
const { spawnSync } = require('node:child_process');
const path = require('node:path');

const [first, ...rest] = process.argv.slice(2);
const times = /^\d+$/.test(first ?? '') ? first : '200';
const others = times === first ? rest : process.argv.slice(2);
/** Most parsers of untrusted bytes are in the core; those elsewhere have files of their own for it. */
const PARSERS = 'libs/core/|fuzz-spec';
const jest = path.join(__dirname, '../node_modules/jest/bin/jest.js');
const selection = others.length > 0 ? others : ['--testPathPatterns', PARSERS];

console.log(`${times} times the usual runs of each property; this takes a while`);
const { status } = spawnSync(
  process.execPath,
  [jest, '--selectProjects', 'unit', '--testTimeout', '3600000', ...selection],
  {
    stdio: 'inherit',
    env: { ...process.env, FUZZ_TIMES: times },
  },
);
process.exit(status ?? 1);
