'use strict';
// What tests get as `fast-check`, so that only files which use it load it. `npm run fuzz` sets more runs per property than a
// test usually makes.
const fastCheck = require('../node_modules/fast-check/lib/cjs/fast-check.js');

const runs = Number(process.env.FUZZ_RUNS);
if (runs > 0) fastCheck.configureGlobal({ numRuns: runs });

module.exports = fastCheck;
